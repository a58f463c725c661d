package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Globber is what a Resolver may also be able to do: say which paths a glob in
// a command hits. complete is false when it gave up; without a Globber, or then,
// a glob that might name a sensitive file asks.
type Globber interface {
	Glob(dir, pattern string) (paths []string, complete bool)
}

// fileTargets turns the words of a script into targets: every word that names
// something that exists, and every redirection (control §2, rulings 29, 92).
func fileTargets(f Facts, s *shell.Script) []tool.Target {
	t := targetList{seen: map[tool.Target]bool{}}
	t.renames = slices.ContainsFunc(s.Commands, func(c *shell.Command) bool { return slices.Contains(renaming, c.Head) })
	resolver := f.Resolver
	if resolver == nil {
		resolver = lexical{f.Roots}
	}
	type question struct{ dir, word string }
	type reply struct {
		objects []string
		exists  bool
	}
	known := map[question]reply{}
	ask := func(dir, word string) ([]string, bool) {
		if strings.HasPrefix(word, "/") {
			dir = ""
		}
		q := question{dir, word}
		a, ok := known[q]
		if !ok {
			a.objects, a.exists = resolver.Objects(dir, word)
			known[q] = a
		}
		return a.objects, a.exists
	}
	for _, u := range s.Uses {
		dirs := s.Dirs
		if len(dirs) == 0 || strings.HasPrefix(u.Word, "/") {
			dirs = []string{""}
		}
		for _, dir := range dirs {
			if u.Glob {
				globTargets(s, &t, f, resolver, u, dir)
				continue
			}
			objects, exists := ask(dir, u.Word)
			t.add(f, u, objects, exists)
		}
	}
	return t.list
}

// globTargets asks the disk what a glob hits, or guesses on the safe side.
func globTargets(s *shell.Script, t *targetList, f Facts, resolver Resolver, u shell.Use, dir string) {
	if g, ok := resolver.(Globber); ok {
		if paths, complete := g.Glob(dir, u.Word); complete {
			if len(paths) == 0 {
				paths = []string{u.Word} // the shell leaves it as it is
			}
			for _, p := range paths {
				objects, exists := resolver.Objects(dir, p)
				t.add(f, u, objects, exists)
			}
			return
		}
	}
	if u.Head == "ls" && u.Domain == "read" {
		return // it shows names only
	}
	if u.MightName() {
		s.Doubt("the pattern " + Title(u.Word, 60) + " may name sensitive files")
	}
}

// targetList collects targets in order, each once.
type targetList struct {
	list []tool.Target
	seen map[tool.Target]bool
	// renames says that the text itself gives files other names: `ln -s . d; cat
	// d/.env`.
	renames bool
}

// renaming are the programs that give files other names.
var renaming = []string{"ln", "cp", "mv", "mount"}

func (t *targetList) add(f Facts, u shell.Use, objects []string, exists bool) {
	for _, object := range objects {
		o := newObject(object)
		home := f.inHome(o)
		switch {
		case strings.HasPrefix(object, "fs:") && shell.HarmlessDevice(object[len("fs:"):]):
			continue
		case home, u.Redirect:
			// The sidecar's home counts even where nothing is there yet.
		case u.Writer && (!o.isVault() || o.rest == "" || o.rest == "."):
			continue // outside a root the word is a read target (ruling 34)
		case !exists && !u.Writer && !(t.renames && (sensitive(object) || IsProtected(object))):
			continue
		}
		target := tool.Target{Domain: u.Domain, Object: object}
		if !t.seen[target] {
			t.seen[target] = true
			t.list = append(t.list, target)
		}
	}
}

// lexical answers without a disk: what looks like a path counts as one.
type lexical struct{ roots []string }

func (l lexical) Objects(dir, word string) ([]string, bool) {
	looks := strings.ContainsAny(word, "/~") || strings.HasPrefix(word, ".") || sensitive("vault:/"+word)
	if !strings.HasPrefix(word, "/") {
		if dir == "" {
			return []string{"vault:/" + strings.TrimPrefix(path.Clean("/"+word), "/")}, looks
		}
		word = dir + "/" + word
	}
	word = shell.CleanPath(word)
	for i, root := range l.roots {
		if i == 0 && shell.Inside(word, root) {
			return []string{"vault:/" + strings.TrimPrefix(word[len(strings.TrimSuffix(root, "/")):], "/")}, looks
		}
	}
	return []string{"fs:" + word}, looks
}
