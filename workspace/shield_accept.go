package workspace

import (
	"path"
	"strings"
)

// accept says that the Vault itself, or the person's editor, has changed these paths:
// what commands that run meanwhile have to leave alone is how they are from now on. A
// job may run for hours, and what an approved edit or the person's save did to a
// protected file in that time is not the job's, to be undone at its end (ruling 78);
// and of no command that runs is it a change.
func (v *Vault) accept(paths ...Path) {
	for _, p := range paths {
		v.tracks.notACommand(p.abs)
	}
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	for b := range v.boxes {
		for _, p := range paths {
			if p.root != nil && v.guards(p.rel) {
				b.accept(p)
			}
		}
	}
}

// guards says that a path, or a directory that it lies in, may be protected.
func (v *Vault) guards(rel string) bool {
	for at := rel; at != "." && at != "/"; at = path.Dir(at) {
		if path.Base(at) == ".git" || v.guarded.Protected != nil && v.guarded.Protected("vault:/"+at) {
			return true
		}
	}
	return false
}

// accept remembers what is at p and below it now, and the directories that were made
// for it.
func (b *box) accept(p Path) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := func(m memo) bool {
		return m.root.name == p.root.name && (m.rel == p.rel || strings.HasPrefix(m.rel, p.rel+"/"))
	}
	for key, m := range b.was {
		if at(m) {
			delete(b.was, key)
		}
	}
	for key, m := range remember(b.v.shields(), b.contents) {
		_, known := b.was[key]
		above := m.root.name == p.root.name && strings.HasPrefix(p.rel, m.rel+"/")
		if at(m) || above && !known {
			b.was[key] = m
		}
	}
}

// boxOpened lets a box hear of what is accepted, until boxClosed.
func (v *Vault) boxOpened(b *box) {
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	if v.boxes == nil {
		v.boxes = map[*box]bool{}
	}
	v.boxes[b] = true
}

func (v *Vault) boxClosed(b *box) {
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	delete(v.boxes, b)
}
