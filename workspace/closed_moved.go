package workspace

import (
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// A closed file stays where it is, but a directory around it can be renamed, and the
// cover goes along as long as the command runs. Behind it only names count: in `vendor`
// nobody looks, and the `config.json` of a `.docker` says nothing in a `docker`. What
// such a name does not close is brought back.

// moved says that the directory is not at its path any more.
func (h closedHome) moved() bool {
	s, err := stampAt(h.abs)
	return err != nil || s.Inode != h.id || resolved(h.abs) != h.abs
}

// strays are those among what is closed in directories that were moved.
func (v *Vault) strays(homes []closedHome) ([]shields.Stray, error) {
	moved := map[openat.Inode]closedHome{}
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
	var out []shields.Stray
	for abs, d := range l.seen {
		h, is := moved[d.stamp.Inode]
		if !is {
			continue
		}
		for _, name := range h.names {
			at := filepath.Join(abs, name)
			if _, err := stampAt(at); err == nil && !found.covers(at) {
				out = append(out, shields.Stray{Was: filepath.Join(h.abs, name), At: at})
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
		paths = append(paths, s.At)
	}
	return paths, err
}
