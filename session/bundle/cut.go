package bundle

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// minCut is how much of a secret may be left at a cut, in bytes, before it is
// replaced: less tells nothing.
const minCut = 4

// cutShape is the beginning of a secret that was cut: it has no longer the length
// that gives its shape away.
var cutShape = lazy.Regexp(`\b(?:gh[pousr]_|github_pat_|sk-|[rs]k_(?:live|test)_|AKIA|ASIA|xox[abeoprs]-|eyJ|glpat-|AIza|npm_|hf_|pypi-|SG\.)[A-Za-z0-9_.-]{4,}$`)

// cut finds what is left of secrets and places where a text was cut: titles and
// previews end with "…" wherever their room ends.
func (r *redactor) cut(all []found, v view) []found {
	const mark = "…"
	for from := 0; ; {
		i := strings.Index(v.text[from:], mark)
		if i < 0 {
			return all
		}
		at := from + i
		from = at + len(mark)
		before := strings.TrimSuffix(v.text[:at], "\n") // the mark may be on a line of its own
		after := strings.TrimPrefix(v.text[from:], "\n")
		at, end := len(before), len(v.text)-len(after)
		longest, first := 0, literal{} // the shortest of those that begin alike: the home before what is in it
		for _, l := range r.literals {
			if k := l.beginning(before); k > longest || k == longest && k > 0 && len(l.text) < len(first.text) {
				longest, first = k, l
			}
			if k := l.ending(after); k > 0 {
				all = append(all, found{v.place(end), v.place(end + k), r.standsFor(l)})
			}
		}
		if longest > 0 {
			all = append(all, found{v.place(at - longest), v.place(at), r.standsFor(first)})
		}
		tail := max(0, at-200)
		if m := cutShape().FindStringIndex(before[tail:]); m != nil {
			all = append(all, found{v.place(tail + m[0]), v.place(at), r.number("secret:cut", before[tail+m[0]:])})
		}
	}
}

// standsFor is what is written in the place of a literal.
func (r *redactor) standsFor(l literal) string {
	if l.secret != "" {
		return r.word("key", l.secret)
	}
	return l.as
}

// beginning is how much of the end of a text is the beginning of the literal; of a
// place it must reach into its second name: the first is that of any other.
func (l literal) beginning(s string) int {
	least := minCut
	if l.place {
		least = strings.IndexByte(l.text[1:], '/') + 3
		if least < 3 {
			return 0 // it has only one
		}
	}
	for k := min(len(l.text)-1, len(s)); k >= least; k-- {
		if strings.HasSuffix(s, l.text[:k]) {
			return k
		}
	}
	return 0
}

// ending is how much of the beginning of a text is the end of a secret.
func (l literal) ending(s string) int {
	if l.secret == "" {
		return 0
	}
	for k := min(len(l.text)-1, len(s)); k >= minCut; k-- {
		if strings.HasPrefix(s, l.text[len(l.text)-k:]) {
			return k
		}
	}
	return 0
}
