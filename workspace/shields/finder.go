package shields

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// All finds the protected paths of every folder, and what git obeys of the
// repositories, which may be anywhere in them.
func (k *Set) All(repos ...GitPlace) []Shield {
	near, _ := k.lookAround()
	return k.withRepositories(near, repos)
}

// lookAround looks near the top of every folder: for protected paths, and directories
// that have the shape of a repository.
func (k *Set) lookAround() (found []Shield, shaped []GitPlace) {
	k.notify.Update()
	for _, root := range k.folders.Now() {
		f := finder{k: k, root: root, output: k.output, left: shieldEntries}
		f.look(".", 1)
		found = append(found, f.found...)
		for _, rel := range f.shaped {
			shaped = append(shaped, NewGitPlace(root, rel))
		}
	}
	return found, shaped
}

// withRepositories adds what git obeys of repositories, each path once.
func (k *Set) withRepositories(found []Shield, repos []GitPlace) []Shield {
	for _, r := range repos {
		f := finder{k: k, root: r.root, left: shieldEntries}
		f.git(r.rel, r.dir)
		found = append(found, f.found...)
	}
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(s Shield) bool {
		twice := seen[s.key()]
		seen[s.key()] = true
		return twice
	})
	slices.SortStableFunc(found, func(a, b Shield) int { return a.rank() - b.rank() })
	most := shieldMost
	if i := slices.IndexFunc(found, func(s Shield) bool { return s.rank() > 0 }); i >= 0 {
		most += i
	}
	return found[:min(len(found), most)]
}

// finder looks through one folder.
type finder struct {
	k      *Set
	root   *folders.Root
	output string
	left   int // names that may still be looked at
	found  []Shield
	shaped []string // directories that git takes for a repository, though not called .git
}

func (f *finder) add(s Shield) {
	s.root = f.root
	if info, err := f.root.Dir.Lstat(s.Rel); err == nil {
		s.Link = info.Mode()&os.ModeSymlink != 0
	}
	f.found = append(f.found, s)
}

func (f *finder) entries(rel string) []fs.DirEntry {
	entries, _ := namesBelow(f.root, rel, max(f.left, 0)+1)
	f.left -= len(entries)
	return entries
}

// linked adds what is in the folder and has a protected name by a link.
func (f *finder) linked(links []LinkedName, private bool) {
	for _, l := range links {
		at, in := pathname.Below(f.root.Real, l.At)
		if info, err := os.Lstat(l.At); in && at != "." && err == nil {
			f.add(Shield{Rel: filepath.ToSlash(at), dir: info.IsDir(), private: private})
		}
	}
}

// look looks at the names of one directory, then below.
func (f *finder) look(rel string, depth int) {
	if f.k.Names.Protected == nil || f.left < 0 {
		return
	}
	d := f.near(rel)
	for _, n := range d.found {
		if n.repository {
			f.git(n.rel, n.dir)
			continue
		}
		f.add(Shield{Rel: n.rel, dir: n.dir, private: n.justSecret})
		if l, ok := FollowLink(filepath.Join(f.root.Real, filepath.FromSlash(n.rel))); ok && depth == 1 {
			f.linked([]LinkedName{l}, n.justSecret)
		}
	}
	if d.parts.Obeyed() {
		f.shaped = append(f.shaped, rel)
	}
	if depth == shieldDepth {
		return
	}
	for _, at := range d.dirs { // the nearer ones first: they matter more
		f.look(at, depth+1)
	}
}

// git shields what a repository obeys, and that of its submodules and linked worktrees.
func (f *finder) git(rel string, dir bool) {
	if path.Base(rel) == ".git" {
		f.linked(f.k.gitLinks(filepath.Join(f.root.Real, filepath.FromSlash(path.Dir(rel)))), false)
	}
	if !dir {
		f.add(Shield{Rel: rel}) // a worktree's; it names the repository
		return
	}
	if rel != "." || f.root.Real != "/" { // that one is not given away
		f.add(Shield{Rel: rel, dir: true, KeepsPlace: true})
	}
	for _, name := range gitObeyed {
		at := path.Join(rel, name)
		if info, err := f.root.Dir.Lstat(at); err == nil {
			f.add(Shield{Rel: at, dir: info.IsDir()})
		}
	}
	f.gitBelow(path.Join(rel, "worktrees"), 1)
	f.gitBelow(path.Join(rel, "modules"), moduleDepth)
}

// moduleDepth is how many parts of a submodule's name are looked at: it is a path.
const moduleDepth = 6

// gitBelow shields the directories of git in rel. One without a HEAD is part of a name.
func (f *finder) gitBelow(rel string, depth int) {
	if info, err := f.root.Dir.Lstat(rel); err != nil || !info.IsDir() {
		return
	}
	f.add(Shield{Rel: rel, dir: true, KeepsPlace: true})
	for _, e := range f.entries(rel) {
		if !e.IsDir() || f.left <= 0 {
			continue
		}
		at := path.Join(rel, e.Name())
		if _, err := f.root.Dir.Lstat(path.Join(at, "HEAD")); err != nil && depth > 1 && !f.obeyedIn(at) {
			f.gitBelow(at, depth-1)
			continue
		}
		f.git(at, true)
	}
}

// obeyedIn says that something in a directory has a name that git obeys.
func (f *finder) obeyedIn(rel string) bool {
	return slices.ContainsFunc(gitObeyed, func(name string) bool {
		_, err := f.root.Dir.Lstat(path.Join(rel, name))
		return err == nil
	})
}

// near is what counts in a directory that is looked into. It is remembered where the
// system tells when its names are others.
func (f *finder) near(rel string) *nearDir {
	abs := Shield{root: f.root, Rel: rel}.Abs()
	most := max(f.left, 0) + 1
	k := f.k
	k.near.mu.Lock()
	defer k.near.mu.Unlock()
	d := k.near.dirs[abs]
	if d == nil || d.names > most || !k.notify.SameSince(abs, d.mark) {
		delete(k.near.dirs, abs)
		mark := k.notify.Mark()
		entries, err := namesBelow(f.root, rel, most)
		if d = f.sort(rel, entries); err == nil && len(entries) < most {
			if k.near.dirs == nil || len(k.near.dirs) >= shieldEntries {
				k.near.dirs = map[string]*nearDir{}
			}
			d.mark = mark
			k.near.dirs[abs] = d
		}
	}
	f.left -= d.names
	return d
}

// sort says what the names are to others.
func (f *finder) sort(rel string, entries []fs.DirEntry) *nearDir {
	d := &nearDir{names: len(entries)}
	for _, e := range entries {
		name, isDir := e.Name(), e.IsDir()
		at := path.Join(rel, name)
		d.parts |= partOf(name, isDir)
		switch object := Object(at, isDir); {
		case name == ".git":
			d.found = append(d.found, nearName{rel: at, dir: isDir, repository: true})
		case f.k.Names.Protected(object):
			d.found = append(d.found, nearName{rel: at, dir: isDir, justSecret: f.k.Names.MerelySecret != nil && f.k.Names.MerelySecret(object)})
		case isDir && name != "node_modules" && name != f.output:
			d.dirs = append(d.dirs, at)
		}
	}
	return d
}

// namesBelow are at most so many names of a directory of a folder.
func namesBelow(r *folders.Root, rel string, most int) ([]fs.DirEntry, error) {
	dir, err := durable.DirIn(r.Dir, rel)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := namesIn(dir, most)
	if errors.Is(err, io.EOF) { // an empty one
		err = nil
	}
	return entries, err
}
