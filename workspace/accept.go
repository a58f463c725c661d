package workspace

import (
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// accept says that the Vault itself, or the person's editor, has changed the path p:
// what commands that run meanwhile have to leave alone is how it is from now on. A job
// may run for hours, and what an approved edit or the person's save did to a protected
// file in that time is not the job's, to be undone at its end; and of no command that
// runs is it a change. hash is of what was left there, a file's content or where a link
// leads, "" nothing: what a job was quick to put in its place is still the job's. below
// are the paths from p to what came or went with a directory.
func (v *Vault) accept(p Path, hash string, below ...string) {
	v.shields.ForgetTwins()
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
		b.guard.Theirs(p.abs)
		if v.shields.Guards(p.rel) {
			b.guard.Accept(p.root, p.rel, hash)
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
	if !v.shields.Guards(p.rel) {
		hash = shields.AsItIs // it is only about what commands have changed
	} else if was, err := p.snapshot(); err == nil && was.exists {
		if doc, err := decodeDoc(was.data); err == nil && bareText(doc.text) == bareText(shown) {
			hash = was.hash
		}
	}
	v.accept(p, hash)
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
	v.shields.Running.Add(1)
}

func (v *Vault) boxClosed(b *box) {
	defer v.shields.ForgetTwins()
	v.boxMu.Lock()
	defer v.boxMu.Unlock()
	if v.boxes[b] {
		delete(v.boxes, b)
		v.shields.Running.Add(-1)
	}
}
