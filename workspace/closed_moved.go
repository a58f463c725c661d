package workspace

import (
	"path"
	"path/filepath"
	"slices"
)

// A closed file stays where it is, but a directory around it can be renamed, and the
// cover goes along as long as the command runs. Behind it only names count: in `vendor`
// nobody looks, and the `config.json` of a `.docker` says nothing in a `docker`. What
// such a name does not close is brought back.

// moved says that the directory is not at its path any more.
func (h closedHome) moved() bool {
	s, err := stampAt(h.abs)
	return err != nil || s.inode != h.id || resolved(h.abs) != h.abs
}

// stray is a file that is closed and was moved to where its name does not say so.
type stray struct{ was, at string }

// strays are those among what is closed in directories that were moved.
func (v *Vault) strays(homes []closedHome) ([]stray, error) {
	moved := map[inode]closedHome{}
	for _, h := range homes {
		if h.moved() {
			moved[h.id] = h
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}
	v.closed.mu.Lock()
	defer v.closed.mu.Unlock()
	paths, _, err := v.closedPaths()
	if err != nil {
		return nil, err
	}
	l := v.newClosedLook()
	if err := l.everywhere(); err != nil {
		return nil, err
	}
	found := closing{paths: paths}
	var out []stray
	for abs, d := range l.seen {
		h, is := moved[d.stamp.inode]
		if !is {
			continue
		}
		for _, name := range h.names {
			at := filepath.Join(abs, name)
			if _, err := stampAt(at); err == nil && !found.covers(at) {
				out = append(out, stray{filepath.Join(h.abs, name), at})
			}
		}
	}
	return out, nil
}

// straysOfOthers are those that commands which run now have moved.
func (v *Vault) straysOfOthers() (paths []string, err error) {
	var homes []closedHome
	v.boxMu.Lock()
	for b := range v.boxes {
		homes = append(homes, b.closed.homes...)
	}
	v.boxMu.Unlock()
	found, err := v.strays(homes)
	for _, s := range found {
		paths = append(paths, s.at)
	}
	return paths, err
}

// returnClosed brings back what the command has moved to where its name does not close it.
func (u *undoing) returnClosed() {
	found, err := u.v.strays(u.box.closed.homes)
	u.errs = append(u.errs, err)
	slices.SortFunc(found, func(a, b stray) int { return len(a.was) - len(b.was) })
	for _, s := range found {
		at, was := u.v.asSeen(s.at), u.v.asSeen(s.was)
		if at.root == nil {
			continue
		}
		left := shield{root: at.root, rel: at.rel}
		u.say(left, "closed to commands at its old path")
		if at.root == was.root && at.root.Dir.MkdirAll(path.Dir(was.rel), 0o755) == nil {
			if _, err := at.root.Dir.Lstat(was.rel); err != nil && at.root.Dir.Rename(at.rel, was.rel) == nil {
				continue
			}
		}
		u.takeAway(left)
	}
}
