package shell

import "strings"

// arg is one word of a command line after expansion.
type arg struct {
	Parts
	likely bool  // it came from an expansion: even what is known of it may be wrong
	feeds  Parts // what <(…) gives to anyone who opens it
}

// unsure says that running the script may tell something else about the word.
func (a arg) unsure() bool { return a.likely || a.isOpen() }

// plain are words of a command line that are known.
func plain(list ...string) []arg {
	var out []arg
	for _, text := range list {
		out = append(out, arg{Parts: known(text)})
	}
	return out
}

func joinArgs(parts []arg) arg {
	var all arg
	var list []Parts
	for _, p := range parts {
		list = append(list, p.Parts)
		all.likely = all.likely || p.likely
	}
	all.Parts = joined(list, " ")
	return all
}

func showArgs(argv []arg) string {
	var shown []string
	for _, a := range argv {
		if a.length() > 0 || !a.isOpen() {
			shown = append(shown, quoteWord(a.filled(unknownShown)))
		}
	}
	return strings.Join(shown, " ")
}
