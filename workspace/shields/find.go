package shields

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Find finds the protected paths, and notes the repositories, as both are now. kept says
// that the command can change no repository, worktrees that those of linked worktrees are
// looked after, too.
func (sn *Snapshot) Find(kept, worktrees bool) []Shield {
	shields, shaped := sn.k.lookAround()
	sn.repos = sn.k.withPointed(sn.k.repositoriesOf(sn.files, append(sn.k.topRepositories(), shaped...)))
	if worktrees {
		sn.followWorktrees()
	}
	shields = sn.k.withRepositories(shields, sn.repos)
	if kept {
		shields = sn.k.withPartsElsewhere(shields)
	}
	return sn.k.withTwins(shields, kept)
}

// followWorktrees looks after the directories of linked worktrees, which are outside of
// every folder.
func (sn *Snapshot) followWorktrees() {
	_, _, owns := sn.k.WorktreePlaces()
	for _, own := range owns {
		if dir, err := durable.OpenRoot(own); err == nil {
			r := &folders.Root{Name: own, Given: own, Real: own, Dir: dir}
			sn.own = append(sn.own, r)
			sn.repos = append(sn.repos, NewGitPlace(r, "."))
		}
	}
}

// repositoriesOf are the repositories that are not only a `.git` near the top: those are
// near, and the ones among what is followed.
func (k *Set) repositoriesOf(files *changes.Watch, near []GitPlace) []GitPlace {
	out := slices.Clone(near)
	add := func(abs string) {
		if root, rel := k.at(abs); root != nil && !slices.ContainsFunc(out, func(g GitPlace) bool { return g.root == root && g.rel == rel }) {
			out = append(out, NewGitPlace(root, rel))
		}
	}
	parts := map[string]RepositoryParts{}
	files.Marked(func(dir, name string, isDir bool) {
		if part := partOf(name, isDir); part != 0 {
			parts[dir] |= part
		} else if IsDotGit(name) {
			add(filepath.Join(dir, name))
		}
	})
	for dir, has := range parts {
		if has.Obeyed() {
			add(dir)
		}
	}
	return out
}

// Begin remembers how the paths that find has found are before the command begins.
func (sn *Snapshot) Begin(shields []Shield, kept bool) {
	sn.was = remember(shields, sn.contents)
	if kept {
		sn.keepRepositories()
	} else {
		sn.steps = rememberSteps(shields)
	}
}

// Accept remembers what is at a path and below it now, with its content: a file that has
// taken another's place, or was not there when the command began, is read-only for it
// at no level. It remembers the directories that were made for it, too.
func (sn *Snapshot) Accept(root *folders.Root, rel, hash string) {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	at := func(m memo) bool {
		return m.root.Name == root.Name && (m.Rel == rel || strings.HasPrefix(m.Rel, rel+"/"))
	}
	now := remember(sn.k.All(sn.repos...), sn.contents)
	for key, m := range sn.was {
		if _, there := now[key]; !there && at(m) {
			delete(sn.was, key)
		}
	}
	for key, m := range now {
		old, known := sn.was[key]
		switch {
		case at(m):
			m = look(m.Shield, m.info, true)
			if m.accepted = true; m.holds(hash) {
				sn.was[key] = m
			} else if known && !sn.contents && !os.SameFile(old.info, m.info) {
				delete(sn.was, key) // nobody knows what it held
			}
		case !known && m.dir && m.root.Name == root.Name && strings.HasPrefix(rel, m.Rel+"/"):
			sn.was[key] = m
		}
	}
}

// KeepsRepositories says that a command cannot change what is in a repository: each is
// read-only for it as a whole.
func KeepsRepositories(l sandbox.Level, w sandbox.Policy) bool {
	return l.Name == proc.Namespaces && !w.Needs.Has(tool.NeedGit)
}

// topRepositories are the `.git` at the top of every folder, however many names are
// beside them.
func (k *Set) topRepositories() (out []GitPlace) {
	for _, root := range k.folders.Now() {
		if _, err := root.Dir.Lstat(".git"); err == nil {
			out = append(out, NewGitPlace(root, ".git"))
		}
	}
	return out
}

// withPointed adds what a `.git` that is a link or a file leads to, where that is in a
// folder: it may have any name, and be in what git ignores.
func (k *Set) withPointed(repos []GitPlace) []GitPlace {
	for _, g := range slices.Clone(repos) {
		if g.dir {
			continue
		}
		at := filepath.Join(g.root.Real, filepath.FromSlash(g.rel))
		git := PointedTo(at, "gitdir: ")
		if l, ok := FollowLink(at); ok {
			git = l.At
		}
		for _, dir := range []string{git, PointedTo(filepath.Join(git, "commondir"), "")} {
			root, rel := k.at(dir)
			if _, err := os.Lstat(filepath.Join(dir, "HEAD")); dir == "" || err != nil || root == nil || rel == "." {
				continue
			}
			if !slices.ContainsFunc(repos, func(r GitPlace) bool { return r.root == root && r.rel == rel }) {
				repos = append(repos, NewGitPlace(root, rel))
			}
		}
	}
	return repos
}

// withPartsElsewhere adds what links in repositories lead to, where that is in a folder
// and in no repository: `refs` may be anywhere.
func (k *Set) withPartsElsewhere(found []Shield) []Shield {
	for _, s := range slices.Clone(found) {
		if !s.KeepsPlace || s.Link {
			continue
		}
		for _, in := range []string{"", "refs", "objects"} {
			dir := filepath.Join(s.Abs(), in)
			for _, e := range firstNames(dir, shieldEntries) {
				if e.Type()&fs.ModeSymlink == 0 {
					continue
				}
				l, ok := FollowLink(filepath.Join(dir, e.Name()))
				root, rel := k.at(l.At)
				if !ok || root == nil || rel == "." {
					continue
				}
				if info, err := os.Lstat(l.At); err == nil {
					found = append(found, Shield{root: root, Rel: rel, dir: info.IsDir(), KeepsPlace: info.IsDir()})
				}
			}
		}
	}
	return found
}

// keepRepositories notes which directories are read-only as a whole.
func (sn *Snapshot) keepRepositories() {
	for _, m := range sn.was {
		if m.KeepsPlace && !m.Link {
			sn.kept = append(sn.kept, m)
		}
	}
}

// twinLooks is how many names are looked at for further names of protected files.
const twinLooks = 200_000

// notTwins are directories of a repository whose files are not looked at for further
// names with it.
var notTwins = map[string]bool{"objects": true, "modules": true, "worktrees": true, "lfs": true}

// withTwins adds the further names of protected files that have several: what is written
// through one of them is in all. Only then is every name of the folders looked at. whole:
// so it is with what a repository changes with every commit, but for its objects, which
// git checks by their names.
func (k *Set) withTwins(found []Shield, whole bool) []Shield {
	ids, known := map[openat.Inode]bool{}, map[string]bool{}
	for _, s := range found {
		known[s.key()] = true
		if s.KeepsPlace && !whole {
			continue
		}
		_ = fs.WalkDir(durable.Tree(s.root.Dir), s.Rel, func(rel string, e fs.DirEntry, err error) error { // what cannot be read has no twin that can be written
			if err == nil && s.KeepsPlace && e.IsDir() && rel != s.Rel && notTwins[e.Name()] {
				return fs.SkipDir // objects, or directories that are looked at by themselves
			}
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil && openat.LinkCount(info) > 1 {
					one := s
					one.Rel = rel
					known[one.key()] = true
					if id, ok := openat.InodeOf(info); ok {
						ids[id] = true
					}
				}
			}
			return nil
		})
	}
	if len(ids) == 0 {
		return found
	}
	left := twinLooks
	for _, root := range k.folders.Now() {
		_ = fs.WalkDir(durable.Tree(root.Dir), ".", func(rel string, e fs.DirEntry, err error) error {
			if left--; left < 0 {
				return fs.SkipAll
			}
			if err != nil || !e.Type().IsRegular() {
				if err == nil && e.IsDir() && path.Base(path.Dir(rel)) == ".git" && e.Name() == "objects" {
					return fs.SkipDir
				}
				return nil
			}
			one := Shield{root: root, Rel: rel}
			info, err := e.Info()
			if err != nil || openat.LinkCount(info) < 2 || known[one.key()] {
				return nil
			}
			if id, ok := openat.InodeOf(info); ok && ids[id] {
				found = append(found, one)
			}
			return nil
		})
	}
	return found
}
