package shields

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
)

// A command makes a repository as easily as a file: of a directory by its shape, or with
// a `.git` as far down as it likes. Git asks nobody who made it.

const (
	// mostNewcomers is how many names that a command has made are looked at.
	mostNewcomers = 200_000
	// mostOutputs is how many names of the artifact directory are looked at.
	mostOutputs = 20_000
)

// errManyNames is for a command that made more than anybody looks through.
var errManyNames = errors.New("it made more names than can be looked through, or folders that cannot be read; git may take one of them for a repository")

// removeMade takes away what makes git obey a directory, wherever the command has put it,
// and what other programs obey where so many names came that the look at the top ends
// before it.
func (u *undoing) removeMade(near []GitPlace) {
	var protected []string
	shapes := map[string][]string{} // directories, with the parts that came
	visit := func(abs string, e fs.DirEntry) (into bool) {
		name, dir := filepath.Base(abs), e.IsDir()
		u.snapshot.mayStay(abs, e)
		switch {
		case IsDotGit(name), u.guardedNew(abs, dir):
			protected = append(protected, abs)
			return false
		case partOf(name, dir) != 0:
			up := filepath.Dir(abs)
			shapes[up] = append(shapes[up], abs)
		}
		return true
	}
	if !u.snapshot.files.Newcomers(mostNewcomers, visit) {
		u.errs = append(u.errs, errManyNames)
	}
	u.visitOutputs(visit)
	for _, g := range near {
		abs := filepath.Join(g.root.Real, filepath.FromSlash(g.rel))
		if len(shapes[abs]) == 0 { // nobody followed it: what git ignores
			shapes[abs] = []string{filepath.Join(abs, "HEAD")}
		}
	}
	slices.Sort(protected)
	for _, abs := range protected {
		u.removeProtected(abs)
	}
	dirs := make([]string, 0, len(shapes))
	for dir := range shapes {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		u.unmakeRepository(dir, shapes[dir])
	}
}

// guardedNew says that a program which opens the folder obeys what is at the path. A new
// secret is nobody's program.
func (u *undoing) guardedNew(abs string, dir bool) bool {
	root, rel := u.k.at(abs)
	g := u.k.Names
	if root == nil || g.Protected == nil || u.k.Depth(abs) > shieldDepth {
		return false
	}
	for at := path.Dir(rel); at != "."; at = path.Dir(at) {
		if base := path.Base(at); base == "node_modules" || base == u.k.output {
			return false
		}
	}
	object := Object(rel, dir)
	return g.Protected(object) && (g.MerelySecret == nil || !g.MerelySecret(object))
}

// visitOutputs visits all in the artifact directories: what is followed leaves them out.
func (u *undoing) visitOutputs(visit func(abs string, e fs.DirEntry) bool) {
	left := mostOutputs
	for _, root := range u.k.folders.Now().Paths() {
		top := filepath.Join(root, u.k.output)
		_ = filepath.WalkDir(top, func(abs string, d fs.DirEntry, err error) error {
			if left--; left < 0 {
				return filepath.SkipAll
			}
			if err != nil || abs == top || visit(abs, d) {
				return nil
			}
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		})
	}
}

// removeProtected takes one away that was not there before.
func (u *undoing) removeProtected(abs string) {
	root, rel := u.k.at(abs)
	if root == nil || u.snapshot.isTheirs(abs) {
		return
	}
	s := Shield{root: root, Rel: rel}
	if _, before := u.was[s.key()]; before || u.isTaken(s) {
		return
	}
	info, err := root.Dir.Lstat(rel)
	if err != nil || u.cameAlong(look(s, info, false)) {
		return
	}
	u.takeAway(s)
	u.say(s, "created")
}

// unmakeRepository takes from a directory a part that makes it a repository and that the
// command brought: HEAD, where that is one.
func (u *undoing) unmakeRepository(dir string, parts []string) {
	root, rel := u.k.at(dir)
	if root == nil || !PartsAt(dir).Obeyed() || u.isTaken(Shield{root: root, Rel: rel + "/HEAD"}) || u.wasRepository(root, rel) {
		return
	}
	slices.Sort(parts)
	for _, abs := range parts {
		if !u.snapshot.isTheirs(abs) && PartsAt(dir).Obeyed() {
			s := Shield{root: root, Rel: path.Join(rel, filepath.Base(abs))}
			u.takeAway(s)
			u.say(s, "made a repository of its folder")
		}
	}
}

// wasRepository says that git obeyed this very directory before, here or before the
// command renamed one above it. Where contents are known a new one gets those of the old.
func (u *undoing) wasRepository(root *folders.Root, rel string) bool {
	now, err := root.Dir.Lstat(rel)
	return slices.ContainsFunc(u.snapshot.repos, func(g GitPlace) bool {
		return g.dir && (u.snapshot.contents && g.root == root && g.rel == rel || err == nil && g.info != nil && os.SameFile(now, g.info))
	})
}
