package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Globber is what a Resolver may also be able to do: say which paths a glob in
// a command hits. complete is false when it gave up, and then the command asks. Without
// a Globber every glob does.
type Globber interface {
	Glob(dir, pattern string) (paths []string, complete bool)
}

// Finder is what a Resolver may also be able to do: say which file a bare name
// finds in the PATH of commands, as an absolute path; "" where that cannot be told.
// Without a Finder a program that is named by its path is a file like any other.
type Finder interface {
	Program(name string) string
	// Planted says that the file is in a place that commands may write to, and whether
	// another one of that name, which they may not, is further on in PATH.
	Planted(name string) (planted, shadows bool)
}

// fileTargets turns the words of a script into targets: every word that names
// something that exists, and every redirection. direct are those that the text
// itself writes to: behind ">", or with tee.
func fileTargets(f Facts, s *shell.Script, w *walks) (all []tool.Target, direct map[tool.Target]bool) {
	t := targetList{seen: map[tool.Target]bool{}, direct: map[tool.Target]bool{}}
	t.renames = slices.ContainsFunc(s.Commands, func(c *shell.Command) bool { return slices.Contains(renaming, c.Head) })
	t.links = slices.ContainsFunc(s.Commands, func(c *shell.Command) bool { return c.Head == "ln" || c.Head == "mount" })
	t.planted = plantedPaths(s, w)
	made := madeDirectories(s, w)
	for _, u := range s.Uses {
		dirs := s.Dirs
		if len(dirs) == 0 || strings.HasPrefix(u.Word, "/") {
			dirs = []string{""}
		}
		for _, dir := range dirs {
			if u.Glob {
				globTargets(s, &t, f, w, u, dir)
				continue
			}
			if shell.HarmlessDevice(u.Word) {
				continue
			}
			to := w.to(dir, u.Word)
			if u.Makes {
				if !to.Exists && slices.ContainsFunc(to.Objects, func(o string) bool { return !f.mayBeMade(o) }) {
					s.Doubt("the command makes " + Title(u.Word, 60) + ", which is outside the workspace")
				}
				continue
			}
			t.doubt(s, w, made, dir, u.Word, to)
			t.add(f, u, to)
			t.addPassed(s, f, w, u, dir, u.Word)
		}
	}
	return t.list, t.direct
}

// mayBeMade says that an object is in the workspace, or where everybody keeps what does
// not last. Where the workspace is there itself, other projects may be, too.
func (f Facts) mayBeMade(object string) bool {
	if o := newObject(object); o.isVault() {
		return true
	}
	return slices.ContainsFunc([]string{"/tmp", "/var/tmp"}, func(temp string) bool {
		return strings.HasPrefix(object, "fs:"+temp+"/") && !slices.ContainsFunc(f.Roots, func(root string) bool { return shell.Inside(root, temp) })
	})
}

// globTargets asks the disk what a glob hits.
func globTargets(s *shell.Script, t *targetList, f Facts, w *walks, u shell.Use, dir string) {
	var paths []string
	g, complete := w.resolver.(Globber)
	if complete {
		paths, complete = g.Glob(dir, u.Word)
	}
	if !complete {
		if !(u.Head == "ls" && u.Domain == "read") { // ls shows names only
			s.Doubt("which files the pattern " + Title(u.Word, 60) + " names cannot be told")
		}
		return
	}
	// Where a pattern hits nothing it stays as it is, and so it does where the shell was
	// told not to expand any.
	for _, p := range append(paths, u.Unmatched()) {
		if strings.ContainsAny(u.Word[:1], "*?[") && strings.HasPrefix(path.Base(p), "-") {
			s.Doubt("the pattern " + Title(u.Word, 60) + " hits a name that programs take for an option")
		}
		to := w.to(dir, p)
		t.doubt(s, w, nil, dir, p, to)
		t.add(f, u, to)
		t.addPassed(s, f, w, u, dir, p)
	}
}

// mostPassed is how often a word may go up again.
const mostPassed = 16

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
			s.Doubt("the path " + Title(word, 60) + " goes up too often")
			return
		}
		t.add(f, u, w.to(dir, strings.Join(parts[:i], "/")))
	}
}

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

// renaming are the programs that give files other names.
var renaming = []string{"ln", "cp", "mv", "mount"}

func (t *targetList) add(f Facts, u shell.Use, to tool.Walk) {
	for _, object := range to.Objects {
		o := newObject(object)
		home := f.inHome(o)
		switch {
		case strings.HasPrefix(object, "fs:") && shell.HarmlessDevice(object[len("fs:"):]) && to.Unknown == "":
			continue
		case home, u.Redirect:
			// The sidecar's home counts even where nothing is there yet.
		case u.Writer && (!o.isVault() || o.rest == "" || o.rest == "."):
			continue // outside a root the word is a read target
		case !to.Exists && !u.Writer && !(t.renames && (sensitive(object) || IsProtected(object))):
			continue
		}
		target := tool.Target{Domain: u.Domain, Object: object}
		if u.Redirect || u.Head == "tee" {
			t.direct[target] = true
		}
		if !t.seen[target] {
			t.seen[target] = true
			t.list = append(t.list, target)
		}
	}
}
