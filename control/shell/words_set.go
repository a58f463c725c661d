package shell

import "strings"

// words is a set of words in one text. It is searched and never built into a map:
// most starts of the program ask none of these tables.
type words string

func (w words) has(word string) bool {
	for rest := string(w); word != ""; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || blank(rest[i-1])) && (end == len(rest) || blank(rest[end])) {
			return !strings.ContainsAny(word, " \t\n")
		}
		rest = rest[i+1:]
	}
	return false
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
