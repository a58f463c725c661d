package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
			if paths.HarmlessDevice(u.Word) {
				continue
			}
			to := w.to(dir, u.Word)
			if u.Makes {
				if !to.Exists && slices.ContainsFunc(to.Objects, func(o string) bool { return !f.mayBeMade(o) }) {
					s.AddUncertain(said.That("the command makes %s, which is outside the workspace", Title(u.Word, 60)))
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
		return strings.HasPrefix(object, "fs:"+temp+"/") && !slices.ContainsFunc(f.Roots, func(root string) bool { return paths.Inside(root, temp) })
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
			s.AddUncertain(said.That("which files the pattern %s names cannot be told", Title(u.Word, 60)))
		}
		return
	}
	// Where a pattern hits nothing it stays as it is, and so it does where the shell was
	// told not to expand any.
	for _, p := range append(paths, u.Unmatched()) {
		if strings.ContainsAny(u.Word[:1], "*?[") && strings.HasPrefix(path.Base(p), "-") {
			s.AddUncertain(said.That("the pattern %s hits a name that programs take for an option", Title(u.Word, 60)))
		}
		to := w.to(dir, p)
		t.doubt(s, w, nil, dir, p, to)
		t.add(f, u, to)
		t.addPassed(s, f, w, u, dir, p)
	}
}
