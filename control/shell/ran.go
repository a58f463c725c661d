package shell

import (
	"slices"
	"strings"
)

// noteRan keeps what a simple command starts, of each combination of values.
func (r *reader) noteRan(cmd *Command, program Parts, sc *scope) {
	if r.probing || cmd.Head == "" {
		return
	}
	c := ran{command: cmd.Text, program: knownOrNone(program), head: cmd.Head}
	for _, a := range cmd.Args {
		c.args = append(c.args, knownOrNone(a))
	}
	if sc.dir != "" {
		c.dirs = append(c.dirs, sc.dir)
	}
	for _, dir := range sc.other {
		if dir != "" && !slices.Contains(c.dirs, dir) {
			c.dirs = append(c.dirs, dir)
		}
	}
	r.s.ran = append(r.s.ran, c)
}

// knownOrNone is the text of a word that is known as a whole, else "", which is neither a
// file nor an option.
func knownOrNone(p Parts) string {
	text, _ := p.Text()
	return text
}

// certain says that a word is known, and is no option.
func certain(word string) bool { return word != "" && !strings.HasPrefix(word, "-") }
