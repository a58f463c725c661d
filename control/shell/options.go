package shell

import (
	"slices"
	"strings"
)

// firstVerb is the first argument that is no option and no value of one, "" where it is
// not known.
func firstVerb(cmd *Command) string {
	for i := 0; i < len(cmd.Args); i++ {
		switch a := cmd.Args[i]; {
		case !a.begins("-") && !(a.begins("+") && cmd.Head == "cargo"):
			verb, _ := a.Text()
			return verb
		case a.in("-C -c --git-dir --work-tree --prefix --namespace"):
			i++
		}
	}
	return ""
}

// hasLongOption finds a long option, abbreviated to no less than least bytes.
func hasLongOption(args []string, long string, least int) bool {
	return slices.ContainsFunc(args, func(a string) bool { return len(a) >= least && strings.HasPrefix(long, a) })
}

// optionNames are the words before "=".
func optionNames(args []string) []string {
	var out []string
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		out = append(out, name)
	}
	return out
}

// hasProgramFile finds options whose value is a program or the file of one, also
// attached to it.
func hasProgramFile(args []string, letters, long string) bool {
	for _, a := range optionNames(args) {
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(letters, a[1]) >= 0 || words(long).has(a) {
			return true
		}
	}
	return false
}

// hasShortOption finds -i, -ri, -i.bak and the long form.
func hasShortOption(args []string, letter byte, long string) bool {
	for _, a := range args {
		if long != "" && (a == long || strings.HasPrefix(a, long+"=")) {
			return true
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, letter) > 0 {
			return true
		}
	}
	return false
}
