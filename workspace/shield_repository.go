package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// A command makes a repository as easily as a file: of a directory by its shape, or with
// a `.git` as far down as it likes. Git asks nobody who made it.

const (
	// mostNewcomers is how many names that a command has made are looked at.
	mostNewcomers = 200_000
	// mostOutputs is how many names of the artifact directory are looked at.
	mostOutputs = 20_000
)

// gitPlace is what git takes for a repository: a directory of that shape, or a `.git`.
type gitPlace struct {
	root *folders.Root
	rel  string
	dir  bool
	info fs.FileInfo
}

func newGitPlace(root *folders.Root, rel string) gitPlace {
	info, err := root.Dir.Lstat(rel)
	return gitPlace{root, rel, err == nil && info.IsDir(), info}
}

// repositoriesOf are the repositories that are not only a `.git` near the top: those are
// near, and the ones among what is followed.
func (v *Vault) repositoriesOf(w *watch, near []gitPlace) []gitPlace {
	out := slices.Clone(near)
	add := func(abs string) {
		if p := v.asSeen(abs); p.root != nil && !slices.ContainsFunc(out, func(g gitPlace) bool { return g.root == p.root && g.rel == p.rel }) {
			out = append(out, newGitPlace(p.root, p.rel))
		}
	}
	parts := map[string]repositoryParts{}
	w.tracked().Marked(func(dir, name string, isDir bool) {
		if part := partOf(name, isDir); part != 0 {
			parts[dir] |= part
		} else if isDotGit(name) {
			add(filepath.Join(dir, name))
		}
	})
	for dir, has := range parts {
		if has.obeyed() {
			add(dir)
		}
	}
	return out
}

// followWorktrees looks after the directories of linked worktrees, which are outside of
// every folder.
func (b *box) followWorktrees() {
	_, _, owns := b.v.worktreePlaces()
	for _, own := range owns {
		if dir, err := durable.OpenRoot(own); err == nil {
			r := &folders.Root{Name: own, Given: own, Real: own, Dir: dir}
			b.own = append(b.own, r)
			b.repos = append(b.repos, newGitPlace(r, "."))
		}
	}
}

// letGo closes what was opened for this command alone.
func (b *box) letGo() {
	for _, r := range b.own {
		r.Dir.Close()
	}
}

// depth is how many directories below its folder a path is.
func (v *Vault) depth(abs string) int {
	p := v.asSeen(abs)
	if p.root == nil || p.rel == "." {
		return 0
	}
	return strings.Count(p.rel, "/") + 1
}

// tracked is what is followed, nil when nothing is.
func (w *watch) tracked() *changes.Watch {
	if w == nil {
		return nil
	}
	return w.files
}

// theirs notes that somebody else than the command changed something at a path.
func (b *box) theirs(abs string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.accepted == nil {
		b.accepted = map[string]bool{}
	}
	b.accepted[abs] = true
}

// isTheirs says that what is at the path, or something in it, is somebody else's. mu is held.
func (b *box) isTheirs(abs string) bool {
	if b.accepted[abs] {
		return true
	}
	for at := range b.accepted {
		if _, in := pathname.Below(abs, at); in {
			return true
		}
	}
	return false
}

// errManyNames is for a command that made more than anybody looks through.
var errManyNames = errors.New("it made more names than can be looked through, or folders that cannot be read; git may take one of them for a repository")

// removeMade takes away what makes git obey a directory, wherever the command has put it,
// and what other programs obey where so many names came that the look at the top ends
// before it.
func (u *undoing) removeMade(near []gitPlace) {
	var protected []string
	shapes := map[string][]string{} // directories, with the parts that came
	visit := func(abs string, e fs.DirEntry) (into bool) {
		name, dir := filepath.Base(abs), e.IsDir()
		u.box.mayStay(abs, e)
		switch {
		case isDotGit(name), u.guardedNew(abs, dir):
			protected = append(protected, abs)
			return false
		case partOf(name, dir) != 0:
			up := filepath.Dir(abs)
			shapes[up] = append(shapes[up], abs)
		}
		return true
	}
	if !u.box.watch.tracked().Newcomers(mostNewcomers, visit) {
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
	p := u.v.asSeen(abs)
	g := u.v.guarded
	if p.root == nil || g.Protected == nil || u.v.depth(abs) > shieldDepth {
		return false
	}
	for at := path.Dir(p.rel); at != "."; at = path.Dir(at) {
		if base := path.Base(at); base == "node_modules" || base == u.v.artifactDir {
			return false
		}
	}
	object := objectAt(p.rel, dir)
	return g.Protected(object) && (g.MerelySecret == nil || !g.MerelySecret(object))
}

// visitOutputs visits all in the artifact directories: what is followed leaves them out.
func (u *undoing) visitOutputs(visit func(abs string, e fs.DirEntry) bool) {
	left := mostOutputs
	for _, root := range u.v.Roots() {
		top := filepath.Join(root, u.v.artifactDir)
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
	p := u.v.asSeen(abs)
	if p.root == nil || u.box.isTheirs(abs) {
		return
	}
	s := shield{root: p.root, rel: p.rel}
	if _, before := u.was[s.key()]; before || u.isTaken(s) {
		return
	}
	info, err := p.root.Dir.Lstat(p.rel)
	if err != nil || u.cameAlong(look(s, info, false)) {
		return
	}
	u.takeAway(s)
	u.say(s, "created")
}

// unmakeRepository takes from a directory a part that makes it a repository and that the
// command brought: HEAD, where that is one.
func (u *undoing) unmakeRepository(dir string, parts []string) {
	p := u.v.asSeen(dir)
	if p.root == nil || !partsAt(dir).obeyed() || u.isTaken(shield{root: p.root, rel: p.rel + "/HEAD"}) || u.wasRepository(p) {
		return
	}
	slices.Sort(parts)
	for _, abs := range parts {
		if !u.box.isTheirs(abs) && partsAt(dir).obeyed() {
			s := shield{root: p.root, rel: path.Join(p.rel, filepath.Base(abs))}
			u.takeAway(s)
			u.say(s, "made a repository of its folder")
		}
	}
}

// wasRepository says that git obeyed this very directory before, here or before the
// command renamed one above it. Where contents are known a new one gets those of the old.
func (u *undoing) wasRepository(p Path) bool {
	now, err := p.root.Dir.Lstat(p.rel)
	return slices.ContainsFunc(u.box.repos, func(g gitPlace) bool {
		return g.dir && (u.box.contents && g.root == p.root && g.rel == p.rel || err == nil && g.info != nil && os.SameFile(now, g.info))
	})
}
