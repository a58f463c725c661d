package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
)

// onlyReads are programs that are known to change none of the files among their
// arguments. Any other program that is given a protected file is taken to change
// it.
var onlyReads = words(`echo printf true false : cat head tail wc pwd grep egrep fgrep rgrep zgrep rg ag ack cut tr basename dirname stat file du df date
	which nl rev tac cmp diff comm tree realpath readlink md5sum sha1sum sha256sum ls find fd cd pushd popd test [ [[ for less more bat jq od hexdump
	strings base64 paste column join fold fmt source . bash sh dash zsh shellcheck yamllint actionlint sed awk gawk mawk read mapfile readarray tar`)

// gitReads are the verbs of git that change no file of the work tree and no
// configuration.
var gitReads = words("status diff log show blame add commit ls-files rev-parse describe grep branch tag fetch push shortlog reflog cat-file check-ignore check-attr whatchanged")

// mayWrite says that a program may change a file that it is given.
func mayWrite(cmd *Command) bool {
	switch cmd.Known {
	case "git":
		return !gitReads.has(firstVerb(cmd))
	case "awk", "gawk", "mawk":
		return slices.Contains(cmd.likely, "inplace")
	}
	return !onlyReads.has(cmd.Known) && !isWrapper(cmd.Known) // what a wrapper starts is a command of its own
}

// findReads says that find gives files to a program that reads them, and that
// sensitive ones may be among them.
func findReads(args []Parts) bool {
	for i, a := range args {
		if (a.begins("-exec") || a.begins("-ok")) && i+1 < len(args) && !args[i+1].in(namesOnly) && mayFindSensitive(args[:i]) {
			return true
		}
	}
	return false
}

// grepRecurses reads the options of grep as grep does, abbreviations included.
func grepRecurses(args []Parts) bool {
	for i := 0; i < len(args) && !args[i].is("--"); i++ {
		a := args[i].filled("")
		next := ""
		if i+1 < len(args) {
			next = args[i+1].filled("")
		}
		if strings.HasPrefix(a, "--") {
			name, how, given := strings.Cut(a, "=")
			if !given {
				how = next
			}
			switch {
			case len(name) > 4 && (strings.HasPrefix("--dereference-recursive", name) || strings.HasPrefix("--recursive", name)),
				strings.HasPrefix("--directories", name) && how != "" && strings.HasPrefix("recurse", how):
				return true
			}
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		for j := 1; j < len(a); j++ {
			how := a[j+1:]
			if how == "" {
				how = next
			}
			switch {
			case a[j] == 'r', a[j] == 'R', a[j] == 'd' && how != "" && strings.HasPrefix("recurse", how):
				return true
			}
			if strings.IndexByte("efmABCDd", a[j]) >= 0 {
				if j == len(a)-1 && !args[i].isOpen() {
					i++ // its value is the next word
				}
				break
			}
		}
	}
	return false
}

// namesOnly are programs that look at names or attributes of files.
var namesOnly = words("echo printf ls stat touch rm rmdir mkdir chmod chown test [ basename dirname realpath readlink du true")

// sourceEnds are ends of names that are those of sources and of what is built of them,
// and of no file that holds secrets.
var sourceEnds = words(".go .c .h .cc .cpp .hpp .cs .java .kt .swift .py .pyc .rs .js .mjs .ts .tsx .jsx .vue .css .html .md .sh .sql .proto .lua .o .tmp .orig .rej")

// onlySources says that all names which a pattern matches end so.
func onlySources(pattern string) bool { return sourceEnds.has(path.Ext(path.Base(pattern))) }

// mayFindSensitive says that the conditions of find let a sensitive file pass.
func mayFindSensitive(conditions []Parts) bool {
	if !narrowed(conditions) {
		return true
	}
	for i, a := range conditions {
		if !strings.HasSuffix(a.filled(""), "name") || i+1 == len(conditions) {
			continue
		}
		if !onlySources(conditions[i+1].filled("*")) {
			return true
		}
	}
	return false
}

// lists says that a statement prints the names of files, hidden ones too.
func lists(head string, args []Parts) bool {
	switch words := guesses(args); head {
	case "find":
		return mayFindSensitive(args)
	case "git":
		return slices.Contains(words, "ls-files") && hasShortOption(words, 'o', "--others")
	case "ls":
		return hasShortOption(words, 'a', "--all") || hasShortOption(words, 'A', "--almost-all") || hasShortOption(words, 'f', "")
	}
	return false
}

// narrowed says that a condition before the action names what it is about. One
// that is turned round, or an alternative to it, names everything else.
func narrowed(conditions []Parts) bool {
	found := false
	for i, a := range conditions {
		switch name, _ := a.Text(); name {
		case "-o", "-or", ",":
			return false
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			negated := i > 0 && (conditions[i-1].is("!") || conditions[i-1].is("-not"))
			plain := i+1 < len(conditions) && (conditions[i+1].isOpen() || !paths.OnlyWild(strings.Trim(conditions[i+1].filled(""), "/^$")) && !conditions[i+1].is(".+"))
			found = found || !negated && plain
		}
	}
	return found
}

// findStarts are where find begins, of the words behind it.
func findStarts(words []Parts) []Parts {
	var starts []Parts
	for i, a := range words {
		if a.in("-H -L -P -D") || a.begins("-O") || i > 0 && words[i-1].is("-D") {
			continue
		}
		if a.is("") || a.begins("-") || a.in("( !") {
			break
		}
		starts = append(starts, a)
	}
	if len(starts) == 0 {
		return []Parts{known(".")}
	}
	return starts
}
