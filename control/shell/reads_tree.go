package shell

import (
	"slices"
	"strings"
)

// searchOptions are, for programs that read whole directories, the options that change
// nothing about which files those are: none follows links, names a file with names, or
// starts a program.
var searchOptions = map[string]string{
	"grep": listedRecursive, "egrep": listedRecursive, "fgrep": listedRecursive, "rgrep": listedRecursive,
	"cp": `rRapPfvnudiTxt:S: --recursive --archive --verbose --force --no-clobber --update=? --preserve=? --parents --no-dereference --target-directory= --suffix=`,
	"mv": `bfinTuvZt:S: --backup=? --force --interactive --no-clobber --no-target-directory --target-directory= --suffix= --strip-trailing-slashes --update=? --verbose --debug`,
	"tar": `cxtruzjJvpkmaSf: --create --extract --get --list --gzip --bzip2 --xz --zstd --verbose --file= --exclude= --exclude-vcs --strip-components=
		--preserve-permissions --keep-old-files`,
	"zip":   `rq0123456789jvyDXu --recurse-paths --quiet --symlinks`,
	"rsync": `avzrtplgoDhnPuHcxi --archive --verbose --progress --stats --dry-run --human-readable --partial --exclude= --times --compress --recursive --links --perms --info=`,
}

// remote are those of them that take places on other machines.
const remote words = "tar zip rsync"

const listedRecursive = listedGrep + ` rR --recursive --dereference-recursive`

// searched says what a command that sweeps reads, nil where its words do not say.
func searched(cmd *Command, argv []arg) *Search {
	spec := searchOptions[cmd.Known]
	if spec == "" || cmd.Dynamic || slices.ContainsFunc(cmd.Args, Parts.isOpen) {
		return nil
	}
	args := slices.Clone(cmd.likely)
	if cmd.Known == "tar" && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		// Its old style: letters without a dash. What they take stands among the words.
		spec = strings.Replace(spec, "f:", "f", 1)
		args[0] = "-" + args[0]
	}
	l := listOf(spec)
	l.head = cmd.Known
	if l.read(args); len(l.out) > 0 {
		return nil
	}
	s := &Search{}
	words := l.plain
	switch cmd.Known {
	case "grep", "egrep", "fgrep", "rgrep":
		s.Follows = hasShortOption(args, 'R', "--dereference-recursive")
		s.Only = included(args)
		if len(l.scripts) == 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--regexp") }) {
			words = words[min(1, len(words)):]
		}
		if len(words) == 0 {
			words = []string{"."}
		}
	case "cp":
		words = append(slices.Clone(words), l.values...)
	case "mv":
		if !hasShortOption(args, 't', "--target-directory") {
			words = words[:max(0, len(words)-1)] // the last is where it goes
		}
	case "zip":
		s.Follows = !hasShortOption(args, 'y', "--symlinks")
	}
	for _, w := range words {
		if strings.Contains(w, ":") && remote.has(cmd.Known) {
			return nil // a place on another machine
		}
		use := Use{Domain: "read", Word: w, Head: cmd.Known}
		for _, a := range argv {
			if a.wild() && a.filled("") == w {
				use.Word, use.Glob = a.pattern(), true
			}
		}
		s.Words = append(s.Words, use)
	}
	return s
}

// included are the ends of names that grep --include lets through, nil where that is
// not all that it says about names.
func included(args []string) (ends []string) {
	for i, a := range args {
		pattern, joined := strings.CutPrefix(a, "--include=")
		switch {
		case strings.HasPrefix(a, "--exclude") && !strings.HasPrefix(a, "--exclude-dir"):
			return nil
		case a == "--include" && i+1 < len(args):
			pattern = args[i+1]
		case !joined:
			continue
		}
		end, star := strings.CutPrefix(pattern, "*")
		if !star || end == "" || strings.Trim(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			return nil
		}
		ends = append(ends, end)
	}
	return ends
}
