package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// What stands in place of a hash: whatever lies at a path and below it, and a
// directory without what is in it.
const (
	asItIs  = "*"
	onlyDir = "/"
)

// accept says that the Vault itself, or the person's editor, has changed the path p:
// what commands that run meanwhile have to leave alone is how it is from now on. A job
// may run for hours, and what an approved edit or the person's save did to a protected
// file in that time is not the job's, to be undone at its end; and of no command that
// runs is it a change. hash is of what was left there, a file's content or where a link
// leads, "" nothing: what a job was quick to put in its place is still the job's. below
// are the paths from p to what came or went with a directory.
func (v *Vault) accept(p Path, hash string, below ...string) {
	v.forgetTwins()
	v.tracker.NotACommand(p.abs)
	for _, rel := range below {
		v.tracker.NotACommand(filepath.Join(p.abs, filepath.FromSlash(rel)))
	}
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	if p.root == nil {
		return
	}
	for b := range v.boxes {
		b.theirs(p.abs)
		if v.guards(p.rel) {
			b.accept(p, hash)
		}
	}
}

// acceptSaved accepts what the person has saved: the file holds what the editor shows.
// Of anything else that lies there nobody knows who wrote it.
func (v *Vault) acceptSaved(uri string) {
	shown, _, open := v.Buffer(uri)
	p, ok := v.document(uri)
	if !open || !ok {
		return
	}
	hash := ""
	if !v.guards(p.rel) {
		hash = asItIs // it is only about what commands have changed
	} else if was, err := p.snapshot(); err == nil && was.exists {
		if doc, err := decodeDoc(was.data); err == nil && bareText(doc.text) == bareText(shown) {
			hash = was.hash
		}
	}
	v.accept(p, hash)
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

// accept remembers what is at p and below it now, with its content: a file that has
// taken another's place, or was not there when the command began, is read-only for it
// at no level. It remembers the directories that were made for p, too.
func (b *box) accept(p Path, hash string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := func(m memo) bool {
		return m.root.Name == p.root.Name && (m.rel == p.rel || strings.HasPrefix(m.rel, p.rel+"/"))
	}
	now := remember(b.v.shields(b.repos...), b.contents)
	for key, m := range b.was {
		if _, there := now[key]; !there && at(m) {
			delete(b.was, key)
		}
	}
	for key, m := range now {
		old, known := b.was[key]
		switch {
		case at(m):
			m = look(m.shield, m.info, true)
			if m.accepted = true; m.holds(hash) {
				b.was[key] = m
			} else if known && !b.contents && !os.SameFile(old.info, m.info) {
				delete(b.was, key) // nobody knows what it held
			}
		case !known && m.dir && m.root.Name == p.root.Name && strings.HasPrefix(p.rel, m.rel+"/"):
			b.was[key] = m
		}
	}
}

// holds says that what lies there has the hash, where that can be told.
func (m memo) holds(hash string) bool {
	switch {
	case hash == asItIs, hash != "" && (m.dir || m.over):
		return true
	case m.link:
		return hash == hashOf([]byte(m.to))
	}
	return hash == hashOf(m.text)
}

// boxOpened lets a box hear of what is accepted, until boxClosed.
func (v *Vault) boxOpened(b *box) {
	if b.wants.Looks() {
		return // it changes nothing, so nothing has to be told apart from it
	}
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	if v.boxes == nil {
		v.boxes = map[*box]bool{}
	}
	v.boxes[b] = true
}

func (v *Vault) boxClosed(b *box) {
	defer v.forgetTwins()
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	delete(v.boxes, b)
}
