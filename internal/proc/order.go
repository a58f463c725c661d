package proc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// order is one command, as a guard is told of it.
type order struct {
	marker  string
	dir     string
	confine []string // the words of a Confinement, which the confined process gets as they are
	args    []string
	env     []string
}

// errOrder is said of what is no order.
var errOrder = errors.New("not an order")

// text puts an order into one text. All in it goes to the kernel as texts that a NUL ends.
func (o order) text() (string, error) {
	head := []string{o.marker, o.dir, strconv.Itoa(len(o.confine)), strconv.Itoa(len(o.args))}
	all := slices.Concat(head, o.confine, o.args, o.env)
	for _, one := range all {
		if strings.Contains(one, "\x00") {
			return "", errors.New("a NUL in a command, its directory, its environment or its sandbox")
		}
	}
	return strings.Join(all, "\x00"), nil
}

// orderOf is the other end of text.
func orderOf(text string) (order, error) {
	all := strings.Split(text, "\x00")
	if len(all) < 4 {
		return order{}, errOrder
	}
	confine, err := strconv.Atoi(all[2])
	args, argsErr := strconv.Atoi(all[3])
	rest := all[4:]
	if err != nil || argsErr != nil || confine < 0 || args < 0 || confine > len(rest) || args > len(rest)-confine {
		return order{}, errOrder
	}
	env := rest[confine+args:]
	return order{marker: all[0], dir: all[1], confine: rest[:confine], args: rest[confine:][:args], env: env[:len(env):len(env)]}, nil
}

// words are c for a command line: a letter and what it says, one a word. A path stays the
// bytes that it is, and no word is "--".
func (c Confinement) words() (out []string) {
	one := func(letter, what string) {
		if what != "" {
			out = append(out, letter+what)
		}
	}
	each := func(letter string, what []string) {
		for _, path := range what {
			out = append(out, letter+path)
		}
	}
	one("l", c.Level)
	one("b", c.Bubblewrap)
	each("r", c.Read)
	each("w", c.Write)
	each("o", c.ReadOnly)
	each("h", c.Hidden)
	for _, k := range c.Known {
		out = append(out, fmt.Sprintf("k%d:%d:%s", k.Device, k.Inode, k.Path))
	}
	one("c", c.Closed)
	each("s", c.Shown)
	one("t", c.Temp)
	for _, own := range c.Own {
		at := "R"
		if own.Write {
			at = "W"
		}
		out = append(out, "f"+own.From, at+own.At)
	}
	if c.Network {
		one("n", "et")
	}
	for letter, most := range map[string]int64{"p": int64(c.Most.Processes), "m": c.Most.Memory, "d": c.Most.Disk} {
		if most != 0 {
			one(letter, strconv.FormatInt(most, 10))
		}
	}
	return out
}

// confinementOf is the other end of words. One that is not understood is refused: what it
// would have forbidden would be allowed.
func confinementOf(words []string) (c Confinement, err error) {
	from := ""
	for _, word := range words {
		if word == "" {
			return Confinement{}, errOrder
		}
		switch letter, what := word[0], word[1:]; letter {
		case 'l':
			c.Level = what
		case 'b':
			c.Bubblewrap = what
		case 'r':
			c.Read = append(c.Read, what)
		case 'w':
			c.Write = append(c.Write, what)
		case 'o':
			c.ReadOnly = append(c.ReadOnly, what)
		case 'h':
			c.Hidden = append(c.Hidden, what)
		case 'k':
			var k Known
			if _, err := fmt.Sscanf(what, "%d:%d:", &k.Device, &k.Inode); err != nil {
				return Confinement{}, errOrder
			}
			k.Path = strings.SplitN(what, ":", 3)[2]
			c.Known = append(c.Known, k)
		case 'c':
			c.Closed = what
		case 's':
			c.Shown = append(c.Shown, what)
		case 't':
			c.Temp = what
		case 'f':
			from = what
		case 'R', 'W':
			c.Own = append(c.Own, Own{From: from, At: what, Write: letter == 'W'})
		case 'n':
			c.Network = true
		case 'p', 'm', 'd':
			n, err := strconv.ParseInt(what, 10, 64)
			if err != nil {
				return Confinement{}, errOrder
			}
			switch letter {
			case 'p':
				c.Most.Processes = int(n)
			case 'm':
				c.Most.Memory = n
			case 'd':
				c.Most.Disk = n
			}
		default:
			return Confinement{}, errOrder
		}
	}
	return c, nil
}

// word is the hidden argument of the process that c confines.
func (c Confinement) word() string {
	if c.Level == Landlock || c.Level == Namespaces && c.Network {
		return restrictArg
	}
	return confineArg
}
