package workspace

import (
	"context"
	"io"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/problems"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// overlay is the text of the documents that are open in the editor. A buffer is
// dirty while its text differs from the file as of didOpen or the last didSave;
// only a dirty one hides the disk. The zero overlay is empty.
type overlay struct {
	mu    sync.Mutex // guards everything below
	byURI map[string]*buffer
	byKey map[string]*buffer // by Path.key, of what was opened last there
	left  map[string]*trace  // by Path.key, of what we changed last
}

type buffer struct {
	uri     string
	key     string
	name    string // Path.Display
	text    string // as the client has it
	version int32
	saved   string        // bare text of the file at didOpen, didSave or our own write
	clean   bool          // set by our own write until the client sends a version that is not one of those on the way there
	ours    bool          // our own edit is in it and was not saved since
	asked   *string       // bare text that an edit of ours is to bring; nil: none is on its way
	moved   chan struct{} // closed when any of this changes; nil: nobody waits
}

// documents are the files with the unsaved text of the editor on top.
type documents struct {
	*places
	*sandboxRuns
	editor   Editor // nil: there is none
	buffers  overlay
	problems problems.Table

	// changing makes "check, then write" one step among our own calls.
	changing sync.Mutex
}

// maxCompareBytes bounds what didOpen reads to find out whether the buffer is
// dirty; a larger file counts as equal to its buffer.
const maxCompareBytes = 16 << 20

// DidOpen takes over a document. URIs of other schemes than file are ignored.
// version is the client's, text the whole document.
func (d *documents) DidOpen(uri string, version int32, text string) {
	p, ok := d.document(uri)
	if !ok {
		return
	}
	b := &buffer{uri: uri, key: p.key(), name: p.Display(), text: text, version: version, saved: bareText(text)}
	if onDisk, known := diskText(p); known {
		b.saved = onDisk
	}
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byURI == nil {
		o.byURI, o.byKey = map[string]*buffer{}, map[string]*buffer{}
	}
	o.drop(uri)
	o.byURI[uri], o.byKey[b.key] = b, b
	o.left[b.key].sees(b.text)
	b.clean = o.left[b.key].passed(b.text, b.saved)
}

// document is the file of a document of the editor, false where the URI names none.
func (w *places) document(uri string) (Path, bool) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return Path{}, false
	}
	p, err := w.locate(abs, true)
	return p, err == nil
}

// diskText is the bare text of the file p, "" when there is none. known
// is false when it cannot be compared with what an editor shows.
func diskText(p Path) (text string, known bool) {
	f, fi, err := p.open()
	if err != nil {
		return "", isMissing(err)
	}
	defer f.Close()
	if fi.Size() > maxCompareBytes {
		return "", false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxCompareBytes))
	if err != nil {
		return "", false
	}
	doc, err := decodeDoc(data)
	if err != nil || !doc.utf8 {
		return "", false
	}
	return bareText(doc.text), true
}

// DidChange replaces the text of an open document by its new whole text. ours says
// that it brings an edit that the editor was asked for, so that nobody has typed.
func (d *documents) DidChange(uri string, version int32, text string) (ours bool) {
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		b.text, b.version, b.clean = text, version, o.left[b.key].passed(text, b.saved)
		o.left[b.key].sees(text)
		ours = b.asked != nil && bareText(text) == *b.asked
		b.wake()
	}
	return ours
}

// DidSave says that the file now holds what the buffer shows. Where it does, that is
// the person's work, and no command's.
func (d *documents) DidSave(uri string) {
	d.acceptSaved(uri)
	o := &d.buffers
	o.mu.Lock()
	b := o.byURI[uri]
	if b == nil {
		o.mu.Unlock()
		return
	}
	b.saved, b.clean, b.ours = bareText(b.text), false, false
	text, traced := b.saved, o.left[b.key].counts(b.saved)
	b.wake()
	o.mu.Unlock()
	if traced {
		d.savedOver(uri, text)
	}
}

// DidClose says that the document is no longer open: the disk counts.
func (d *documents) DidClose(uri string) { d.Forget(uri) }

// Forget drops a document whose text is not known any more, for example after a
// change that was too large to take: the disk counts until it is opened again.
func (d *documents) Forget(uri string) {
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(uri)
}

func (o *overlay) drop(uri string) {
	if b := o.byURI[uri]; b != nil {
		delete(o.byURI, uri)
		if o.byKey[b.key] == b {
			delete(o.byKey, b.key)
			for _, other := range o.byURI { // the same file under another name
				if other.key == b.key {
					o.byKey[b.key] = other
				}
			}
		}
		b.wake()
	}
}

// wake tells anyone who waits for the buffer. The overlay's lock is held.
func (b *buffer) wake() {
	if b.moved != nil {
		close(b.moved)
		b.moved = nil
	}
}

// await waits until a document shows the bare text want, in another version than
// base. false: it did not until ctx ended, or it was closed. What it shows already
// counts, however ctx is.
func (o *overlay) await(ctx context.Context, uri string, base int32, want string) bool {
	for {
		o.mu.Lock()
		b := o.byURI[uri]
		if b == nil {
			o.mu.Unlock()
			return false
		}
		if b.version != base && bareText(b.text) == want {
			o.mu.Unlock()
			return true
		}
		if b.moved == nil {
			b.moved = make(chan struct{})
		}
		moved := b.moved
		o.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// Buffer is the text and version that the client has for an open document;
// incremental changes apply to exactly this text.
func (d *documents) Buffer(uri string) (text string, version int32, ok bool) {
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		return b.text, b.version, true
	}
	return "", 0, false
}

// dirty is the text of p in the editor where that hides the disk.
func (o *overlay) dirty(p Path) (text string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byKey[p.key()]; b != nil && b.dirty() {
		return b.text, true
	}
	return "", false
}

func (b *buffer) dirty() bool { return !b.clean && bareText(b.text) != b.saved }

// dirtyBelow is every dirty buffer at or under the directory p, by key.
func (o *overlay) dirtyBelow(p Path) map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out map[string]string
	for key, b := range o.byKey {
		if _, in := pathname.Below(p.abs, key); in && b.dirty() {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = b.text
		}
	}
	return out
}

// wrote says that we put text, as the content with that hash, into a file. A clean
// buffer of it stays clean until the client sends another version, whose text is
// then compared with what we wrote. uri is that of the open document that the
// editor has to load again, "" where there is none.
func (o *overlay) wrote(p Path, text, hash string) (uri string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.leave(p.key(), hash, bareText(text), false)
	b := o.byKey[p.key()]
	if b == nil {
		return ""
	}
	b.clean, b.saved = !b.dirty(), bareText(text) // what was typed this very moment still hides the disk
	return b.uri
}

// versionOf is the lowest version of p's document that holds our change: the one
// after the present where the file was written and the editor has not loaded it
// again yet. 0 where it is not open.
func (o *overlay) versionOf(p Path) int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch b := o.byKey[p.key()]; {
	case b == nil:
		return 0
	case b.clean:
		return b.version + 1
	default:
		return b.version
	}
}

// Editor changes the documents that it has open. The zero Vault has none.
type Editor interface {
	// CanEdit says whether it takes edits.
	CanEdit() bool
	// Edit asks it to change a document, name being what a person calls it. nil
	// means that it says it did; the text that it has now comes as DidChange, before
	// or after. It waits until ctx ends and returns its cause then. It must not be
	// called under a lock that DidChange or DidSave needs.
	Edit(ctx context.Context, of tool.Document, name string, edits []tool.TextEdit) error
	// Reload says that the file of an open document, whose text was not changed by
	// the person, is another one now. It does not wait.
	Reload(uri string)
}

// acceptSaved accepts what the person has saved: the file contains what the editor shows.
// Of anything else that is there nobody knows who wrote it.
func (d *documents) acceptSaved(uri string) {
	shown, _, open := d.Buffer(uri)
	p, ok := d.document(uri)
	if !open || !ok {
		return
	}
	hash := ""
	if !d.shields.Guards(p.rel) {
		hash = shields.AsItIs // it is only about what commands have changed
	} else if was, err := p.snapshot(); err == nil && was.exists {
		if doc, err := decodeDoc(was.data); err == nil && bareText(doc.text) == bareText(shown) {
			hash = was.hash
		}
	}
	d.accept(p, hash)
}

// savedOver looks at what a save of ours and the editor's has made of a file.
func (d *documents) savedOver(uri, text string) {
	p, ok := d.document(uri)
	if !ok {
		return
	}
	now, err := p.snapshot()
	if err != nil || !now.exists {
		return
	}
	doc, err := decodeDoc(now.data)
	if err != nil || bareText(doc.text) != text {
		return // not what the editor shows: somebody else wrote
	}
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if t := o.left[p.key()]; t.counts(text) {
		t.same = now.hash
	}
}

// asLeft says whether a file whose content has the hash now is still what was left
// there with the hash left: the same, or what the editor made of our own change
// while saving.
func (d *documents) asLeft(p Path, left, now string) bool {
	if left == now {
		return true
	}
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.left[p.key()]
	return t != nil && t.hash == left && t.same == now && now != ""
}
