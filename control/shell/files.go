package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// onlyReads are programs that are known to change none of the files among their
// arguments. Any other program that is given a protected file is taken to change
// it (ruling 80).
var onlyReads = words(`echo printf true false : cat head tail wc pwd grep egrep fgrep rgrep zgrep rg ag ack cut tr basename dirname stat file du df date
	which nl rev tac cmp diff comm tree realpath readlink md5sum sha1sum sha256sum ls find fd cd pushd popd test [ [[ for less more bat jq od hexdump
	strings base64 paste column join fold fmt source . bash sh dash zsh shellcheck yamllint actionlint sed awk gawk mawk read mapfile readarray tar`)

// gitReads are the verbs of git that change no file of the work tree and no
// configuration.
var gitReads = words("status diff log show blame add commit ls-files rev-parse describe grep branch tag fetch push shortlog reflog cat-file check-ignore check-attr whatchanged")

// mayWrite says that a program may change a file that it is given.
func mayWrite(cmd *Command) bool {
	switch cmd.Head {
	case "git":
		return !gitReads.has(firstVerb(cmd))
	case "awk", "gawk", "mawk":
		return slices.Contains(cmd.Args, "inplace")
	}
	return !onlyReads.has(cmd.Head) && !isWrapper(cmd.Head) // what a wrapper starts is a command of its own
}

// written notes the files that sed and awk programs write. The names stand in
// the program text: w file, s/a/b/w file, print > "file".
var (
	sedWrites = lazy.Regexp(`(?:^|[;{}\n0-9$/!,|])\s*[0-9gpiImM]*[wW]\s*([^\s;}]+)`)
	sedReads  = lazy.Regexp(`(?:^|[;{}\n0-9$/!,])\s*[rR]\s*([^\s;}]+)`)
)

func (r *reader) programFiles(cmd *Command, argv []arg, sc *scope) {
	switch cmd.Head {
	case "sed", "gsed":
		for _, a := range argv[1:] {
			for _, m := range sedWrites().FindAllStringSubmatch(a.text, maxDirs) {
				r.pathWord("edit", value{text: m[1]}, cmd.Head, sc)
			}
			for _, m := range sedReads().FindAllStringSubmatch(a.text, maxDirs) {
				r.pathWord("read", value{text: m[1]}, cmd.Head, sc)
			}
		}
	case "awk", "gawk", "mawk", "perl", "python", "python2", "python3", "ruby", "node", "php", "lua", "vim", "vi", "ex", "sqlite3":
		for _, a := range argv[1:] {
			for _, m := range quotedText().FindAllStringSubmatch(a.text, maxDirs) {
				name := strings.TrimLeft(m[1]+m[2]+m[3], "> ")
				if r.at.Protected("vault:/" + name) {
					r.pathWord("edit", value{text: name}, cmd.Head, sc)
				}
			}
		}
	}
}

// removesRoot notes that a whole workspace folder goes, with everything that is
// protected in it. "." itself is refused by rm.
func (r *reader) removesRoot(cmd *Command, sc *scope) {
	for _, a := range cmd.Args {
		p := r.resolve(a, sc)
		if p == "" || strings.HasPrefix(a, "-") || cmd.Head == "rm" && words(". ./ .. ../").has(a) {
			continue
		}
		for _, root := range r.at.Roots {
			if Inside(path.Clean(root), p) {
				r.s.Uses = append(r.s.Uses, Use{Domain: "edit", Word: path.Join(root, ".git"), Writer: true, Head: cmd.Head})
			}
		}
	}
}

// findReads says that find gives files to a program that reads them, and that
// sensitive ones may be among them (control §2).
func findReads(args []string) bool {
	for i, a := range args {
		if (strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok")) && i+1 < len(args) && !leavesUnread(args[i+1]) && mayFindSensitive(args[:i]) {
			return true
		}
	}
	return false
}

// namesOnly are programs that look at names or attributes of files.
var namesOnly = words("echo printf ls stat touch rm rmdir mkdir chmod chown test [ basename dirname realpath readlink du true")

func leavesUnread(program string) bool { return namesOnly.has(programName(program)) }

// mayFindSensitive says that the conditions of find let a sensitive file pass.
func mayFindSensitive(conditions []string) bool {
	if !narrowed(conditions) {
		return true
	}
	for i, a := range conditions {
		if !strings.HasSuffix(a, "name") || i+1 == len(conditions) {
			continue
		}
		pattern := strings.ToLower(conditions[i+1])
		if slices.ContainsFunc(sampleSensitive, func(sample string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(sample)) }) {
			return true
		}
	}
	return false
}

// lists says that a statement prints the names of files, hidden ones too.
func lists(head string, args []string) bool {
	switch head {
	case "find":
		return mayFindSensitive(args)
	case "git":
		return slices.Contains(args, "ls-files") && hasShortOption(args, 'o', "--others")
	case "ls":
		return hasShortOption(args, 'a', "--all") || hasShortOption(args, 'A', "--almost-all") || hasShortOption(args, 'f', "")
	}
	return false
}
