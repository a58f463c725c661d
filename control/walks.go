package control

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
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
	way := paths.Below(dir, word)
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

// forShell is where an absolute path leads, for anyone who reads a command.
func (w *walks) forShell(p string) paths.Walk {
	to := w.to("/", p)
	return paths.Walk{Paths: to.Paths, Dir: to.Dir, Magic: to.Magic}
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
// what is in them; "" is any place.
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

// renaming are the programs that give files other names.
var renaming = []string{"ln", "cp", "mv", "mount"}
