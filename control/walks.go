package control

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// walks are the ways that one command names. Each is gone once, so that hard limits,
// rules and what a person is shown see the same.
type walks struct {
	resolver Resolver
	known    map[string]tool.Walk
}

func newWalks(f Facts) *walks {
	w := &walks{resolver: f.Resolver, known: map[string]tool.Walk{}}
	if w.resolver == nil {
		w.resolver = lexical{f.Roots}
	}
	return w
}

// to is where a word leads seen from a directory, "" for the first folder.
func (w *walks) to(dir, word string) tool.Walk {
	way := shell.Below(dir, word)
	if dir == "" {
		way = word
	}
	to, known := w.known[way]
	if !known {
		to = w.resolver.Walk(dir, word)
		w.known[way] = to
	}
	return to
}

// forShell is where an absolute path leads, for whoever reads a command.
func (w *walks) forShell(p string) shell.Walk {
	to := w.to("/", p)
	return shell.Walk{Paths: to.Paths, Dir: to.Dir, Magic: to.Magic}
}

// madeDirectories are the places that the command itself makes directories of.
func madeDirectories(s *shell.Script, w *walks) (made []string) {
	for _, c := range s.Commands {
		if c.Known != "mkdir" {
			continue
		}
		for _, word := range c.Args {
			name, known := word.Text()
			if !known || strings.HasPrefix(name, "-") {
				continue
			}
			for _, dir := range append([]string{""}, s.Dirs...) {
				if to := w.to(dir, name); to.Unknown == "" {
					made = append(made, to.End())
				}
			}
		}
	}
	return made
}

// plantedPaths are the places where the command itself puts links or other files, and
// what lies in them; "" is any place.
func plantedPaths(s *shell.Script, w *walks) (planted []string) {
	for _, c := range s.Commands {
		if !slices.Contains(renaming, c.Head) || len(c.Args) == 0 {
			continue
		}
		to := c.Args[len(c.Args)-1:]
		for i, a := range c.Args[:len(c.Args)-1] {
			if text, _ := a.Start(); strings.HasPrefix(text, "-t") || strings.HasPrefix(text, "--t") {
				to = append(to, c.Args[i+1])
			}
		}
		for _, word := range to {
			place := somewhereIn(word)
			if place == "" || place[0] == '-' {
				planted = append(planted, "")
				continue
			}
			for _, dir := range append([]string{""}, s.Dirs...) {
				planted = append(planted, w.to(dir, place).End())
			}
		}
		if len(c.Args) < 3 { // `ln -s x` makes a link here
			planted = append(planted, "")
		}
	}
	return planted
}

// somewhereIn is a word, or the directory in which what it stands for is; "" where nobody
// can tell.
func somewhereIn(word shell.Parts) string {
	text, whole := word.Start()
	if _, known := word.Text(); whole || !known && text == "" {
		return text
	}
	return cmp.Or(text[:strings.LastIndexByte(text, '/')+1], ".")
}

// plants says that the command itself decides what is at a path.
func (t *targetList) plants(at string) bool {
	return slices.ContainsFunc(t.planted, func(p string) bool { return p == "" || shell.Inside(at, p) })
}

// doubt notes that nobody can tell where a word leads: the kernel shows each process
// something else there, or what is on the way is not there yet, and whoever puts a link
// there decides what lies behind and beside it.
func (t *targetList) doubt(s *shell.Script, w *walks, made []string, dir, word string, to tool.Walk) {
	if to.Unknown != "" {
		s.Doubt("where " + Title(word, 60) + " leads is only known when it runs: " + Title(to.Unknown, 100))
		return
	}
	open := to.Missing
	planted := t.plants(cmp.Or(open, to.Gap))
	if open == "" && t.links && planted {
		open = to.Gap
	}
	switch {
	case open == "":
	case !planted && slices.ContainsFunc(made, func(p string) bool { return shell.Inside(p, open) }):
	case !planted && !path.IsAbs(word) && !w.to(dir, ".").Exists: // nobody can be there
	default:
		s.Doubt("where " + Title(word, 60) + " leads depends on what " + Title(open, 100) + " will be")
	}
}

// lexical answers without a disk: what looks like a path counts as one.
type lexical struct{ roots []string }

func (l lexical) Walk(dir, word string) tool.Walk {
	to := tool.Walk{Exists: strings.ContainsAny(word, "/~") || strings.HasPrefix(word, ".") || sensitive("vault:/"+word)}
	if !strings.HasPrefix(word, "/") && dir == "" {
		word = strings.TrimPrefix(path.Clean("/"+word), "/")
		to.Objects = []string{"vault:/" + word}
		return to
	}
	word = shell.CleanPath(shell.Below(dir, word))
	to.Objects, to.Paths = []string{"fs:" + word}, []string{word}
	for i, root := range l.roots {
		if i == 0 && shell.Inside(word, root) {
			to.Objects = []string{"vault:/" + strings.TrimPrefix(word[len(strings.TrimSuffix(root, "/")):], "/")}
		}
	}
	return to
}
