package shell

import (
	"slices"
	"strings"
)

// readersListed are the programs with listed options that only read. For them a rule
// that a person wrote with a wildcard covers no more than one that was stored.
var readersListed = words("ls cat head tail wc pwd grep egrep fgrep rg stat file du tree diff cmp sort cut nl sed awk gawk mawk")

// ReadsListed says that its program only reads and that all its harmless options are
// listed.
func (c *Command) ReadsListed() bool { return readersListed.has(c.Known) }

// unlisted are the words of a command that the list of its program does not know, nil
// where the program has no list.
func unlisted(cmd *Command) []string {
	spec, rest := listedOptions[cmd.Known], cmd.likely
	if spec == "" && len(rest) > 0 {
		spec, rest = listedOptions[cmd.Known+" "+rest[0]], rest[1:]
	}
	if spec == "" || cmd.Known == "" {
		return nil
	}
	l := listOf(spec)
	l.head = cmd.Known
	l.read(rest)
	if cmd.Known == "git" {
		for _, a := range rest {
			if strings.Contains(a, "%G") {
				l.out = append(l.out, a) // it has a signature checked by another program
			}
		}
	}
	switch {
	case cmd.Known == "sed":
		l.programs(plainSed().MatchString)
	case strings.HasSuffix(cmd.Known, "awk"):
		l.programs(plainAwk)
	}
	return l.out
}

// optionList is one entry of listedOptions, taken apart, and what reading the words of
// a command has found.
type optionList struct {
	head                                      string
	letters                                   map[byte]byte // to 0, ':' or '?'
	long                                      map[string]byte
	as                                        []string
	number, goes, split, noAt, noWords, noEnd bool
	plain                                     []string // words that are no options
	scripts                                   []string // values of -e and --expression
	values                                    []string // of options, each in a word of its own
	out                                       []string
}

func listOf(spec string) *optionList {
	l := &optionList{letters: map[byte]byte{}, long: map[string]byte{}}
	for _, w := range strings.Fields(spec) {
		switch {
		case w == "#":
			l.number = true
		case w == "go":
			l.goes = true
		case w == "split":
			l.split = true
		case w == "no@":
			l.noAt = true
		case w == "nowords":
			l.noWords = true
		case w == "noend":
			l.noEnd = true
		case strings.HasPrefix(w, "=-"):
			l.as = append(l.as, w[1:])
		case strings.HasPrefix(w, "-"):
			name, kind, takes := strings.Cut(strings.TrimLeft(w, "-"), "=")
			switch {
			case !takes:
				l.long[name] = 0
			case kind == "?":
				l.long[name] = '?'
			default:
				l.long[name] = ':'
			}
		default:
			for i := 0; i < len(w); i++ {
				kind := byte(0)
				if i+1 < len(w) && (w[i+1] == ':' || w[i+1] == '?') {
					kind = w[i+1]
				}
				l.letters[w[i]] = kind
				if kind != 0 {
					i++
				}
			}
		}
	}
	return l
}

func (l *optionList) read(args []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		// A value in the next word that begins with "-" may be an option after all.
		value := func() {
			if i++; i >= len(args) || strings.HasPrefix(args[i], "-") && !digits(args[i][1:]) {
				l.out = append(l.out, a)
			} else {
				l.values = append(l.values, args[i])
			}
		}
		switch {
		case a == "--":
			if l.noEnd {
				l.out = append(l.out, a)
			}
			for _, w := range args[i+1:] {
				l.word(w)
			}
			return
		case len(a) < 2 || a[0] != '-':
			l.word(a)
		case slices.Contains(l.as, a):
		case l.goes || strings.HasPrefix(a, "--"):
			name, text, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
			switch kind, known := l.long[name]; {
			case !known, kind == 0 && given:
				l.out = append(l.out, a)
			case kind == ':' && !given:
				value()
				text = args[min(i, len(args)-1)]
				fallthrough
			case name == "expression":
				l.scripts = append(l.scripts, text)
			}
		case l.number && digits(a[1:]):
		default:
			l.cluster(a, value, func() string { return args[min(i, len(args)-1)] })
		}
	}
}

// cluster reads letters behind one dash.
func (l *optionList) cluster(a string, value func(), taken func() string) {
	for i := 1; i < len(a); i++ {
		kind, known := l.letters[a[i]]
		rest := a[i+1:]
		switch {
		case !known, kind == ':' && rest != "" && l.split:
			l.out = append(l.out, a)
			return
		case kind == ':':
			if rest == "" {
				value()
				rest = taken()
			}
			if a[i] == 'e' {
				l.scripts = append(l.scripts, rest)
			}
			return
		case kind == '?':
			if l.head == "sed" && strings.Trim(rest, ".abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				l.out = append(l.out, a)
			}
			return
		}
	}
}

func (l *optionList) word(w string) {
	if l.noWords || l.noAt && strings.HasPrefix(w, "@") {
		l.out = append(l.out, w)
	}
	l.plain = append(l.plain, w)
}

// programs asks about the program text of sed and awk: the values of -e, else the
// first word.
func (l *optionList) programs(plain func(string) bool) {
	texts := l.scripts
	if len(texts) == 0 && len(l.plain) > 0 {
		texts = l.plain[:1]
	}
	for _, t := range texts {
		if !plain(t) {
			l.out = append(l.out, t)
		}
	}
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
