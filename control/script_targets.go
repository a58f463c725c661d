package control

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// targetList collects targets in order, each once.
type targetList struct {
	list []tool.Target
	seen map[tool.Target]bool
	// direct are those that the text itself writes to.
	direct map[tool.Target]bool
	// renames says that the text itself gives files other names: `ln -s . d; cat
	// d/.env`.
	renames bool
	// links says that it makes links, or puts other files in the place of directories.
	links bool
	// planted are where it puts files by other names; "" is any place.
	planted []string
}

func (t *targetList) add(f Facts, u shell.Use, to tool.Walk) {
	for _, object := range to.Objects {
		o := newObject(object)
		home := f.inHome(o)
		switch {
		case strings.HasPrefix(object, "fs:") && paths.HarmlessDevice(object[len("fs:"):]) && to.Unknown == "":
			continue
		case home, u.Redirect:
			// The sidecar's home counts even where nothing is there yet.
		case u.Writer && (!o.isVault() || o.rest == "" || o.rest == "."):
			continue // outside a root the word is a read target
		case !to.Exists && !u.Writer && !(t.renames && (sensitive(object) || IsProtected(object))):
			continue
		}
		target := tool.Target{Domain: tool.Domain(u.Domain), Object: object}
		if u.Redirect || u.Head == "tee" {
			t.direct[target] = true
		}
		if !t.seen[target] {
			t.seen[target] = true
			t.list = append(t.list, target)
		}
	}
}

// addPassed adds what a program may make on the way of a word that goes up again:
// `mkdir -p .git/../x` and `cp --parents .git/.. x` leave a directory .git.
func (t *targetList) addPassed(s *shell.Script, f Facts, w *walks, u shell.Use, dir, word string) {
	if u.Domain != "edit" {
		return
	}
	parts := strings.Split(word, "/")
	passed := 0
	for i, part := range parts {
		for i > 0 && (parts[i-1] == "" || parts[i-1] == ".") {
			i--
		}
		if i == 0 || part != ".." || parts[i-1] == ".." {
			continue
		}
		if passed++; passed > mostPassed {
			s.AddUncertain(said.That("the path %s goes up too often", Title(word, 60)))
			return
		}
		t.add(f, u, w.to(dir, strings.Join(parts[:i], "/")))
	}
}

// mostPassed is how often a word may go up again.
const mostPassed = 16

// plants says that the command itself decides what is at a path.
func (t *targetList) plants(at string) bool {
	return slices.ContainsFunc(t.planted, func(p string) bool { return p == "" || paths.Inside(at, p) })
}

// doubt notes that nobody can tell where a word leads: the kernel shows each process
// something else there, or what is on the way is not there yet, and anyone who puts a link
// there decides what is behind and beside it.
func (t *targetList) doubt(s *shell.Script, w *walks, made []string, dir, word string, to tool.Walk) {
	if to.Unknown != "" {
		s.AddUncertain(said.That("where %s leads is only known when it runs: %s", Title(word, 60), Title(to.Unknown, 100)))
		return
	}
	open := to.Missing
	planted := t.plants(cmp.Or(open, to.Gap))
	if open == "" && t.links && planted {
		open = to.Gap
	}
	switch {
	case open == "":
	case !planted && slices.ContainsFunc(made, func(p string) bool { return paths.Inside(p, open) }):
	case !planted && !path.IsAbs(word) && !w.to(dir, ".").Exists: // nobody can be there
	default:
		s.AddUncertain(said.That("where %s leads depends on what %s will be", Title(word, 60), Title(open, 100)))
	}
}
