package workspace

import (
	"io/fs"
	"path"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// twinLooks is how many names are looked at for further names of protected files.
const twinLooks = 200_000

// notTwins are directories of a repository whose files are not looked at for further
// names with it.
var notTwins = map[string]bool{"objects": true, "modules": true, "worktrees": true, "lfs": true}

// withTwins adds the further names of protected files that have several: what is written
// through one of them is in all. Only then is every name of the folders looked at. whole:
// so it is with what a repository changes with every commit, but for its objects, which
// git checks by their names.
func (v *Vault) withTwins(found []shield, whole bool) []shield {
	ids, known := map[inode]bool{}, map[string]bool{}
	for _, s := range found {
		known[s.key()] = true
		if s.keepsPlace && !whole {
			continue
		}
		_ = fs.WalkDir(durable.Tree(s.root.Dir), s.rel, func(rel string, e fs.DirEntry, err error) error { // what cannot be read has no twin that can be written
			if err == nil && s.keepsPlace && e.IsDir() && rel != s.rel && notTwins[e.Name()] {
				return fs.SkipDir // objects, or directories that are looked at by themselves
			}
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil && linkCount(info) > 1 {
					one := s
					one.rel = rel
					known[one.key()] = true
					if id, ok := inodeOf(info); ok {
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
	for _, root := range v.folders.Now() {
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
			one := shield{root: root, rel: rel}
			info, err := e.Info()
			if err != nil || linkCount(info) < 2 || known[one.key()] {
				return nil
			}
			if id, ok := inodeOf(info); ok && ids[id] {
				found = append(found, one)
			}
			return nil
		})
	}
	return found
}
