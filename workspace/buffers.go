package workspace

import (
	"io"
	"strings"
	"sync"
)

// overlay is the text of the documents that are open in the editor. A buffer is
// dirty while its text differs from the file as of didOpen or the last didSave;
// only a dirty one hides the disk (ruling 96). The zero overlay is empty.
type overlay struct {
	mu    sync.Mutex // guards everything below
	byURI map[string]*buffer
	byKey map[string]*buffer // by Path.key, of what was opened last there
}

type buffer struct {
	key     string
	text    string // as the client has it
	version int32
	saved   string // bare text of the file at didOpen, didSave or our own write
	clean   bool   // set by our own write until the client sends another version
}

// maxCompareBytes bounds what didOpen reads to find out whether the buffer is
// dirty; a larger file counts as equal to its buffer.
const maxCompareBytes = 16 << 20

// DidOpen takes over a document. URIs of other schemes than file are ignored.
// version is the client's, text the whole document.
func (v *Vault) DidOpen(uri string, version int32, text string) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return
	}
	b := &buffer{key: p.key(), text: text, version: version, saved: bareText(text)}
	if onDisk, known := diskText(p); known {
		b.saved = onDisk
	}
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byURI == nil {
		o.byURI, o.byKey = map[string]*buffer{}, map[string]*buffer{}
	}
	o.drop(uri)
	o.byURI[uri], o.byKey[b.key] = b, b
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

// bareText is text without what editors add or hide: a byte order mark, the
// kind of line ends, one line end at the very end.
func bareText(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// DidChange replaces the text of an open document by its new whole text.
func (v *Vault) DidChange(uri string, version int32, text string) {
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		b.text, b.version, b.clean = text, version, false
	}
}

// DidSave says that the file now holds what the buffer shows.
func (v *Vault) DidSave(uri string) {
	if abs, ok := pathOfURI(uri); ok {
		if p, err := v.locate(abs, true); err == nil {
			v.tracks.notACommand(p.abs)
		}
	}
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		b.saved, b.clean = bareText(b.text), false
	}
}

// DidClose says that the document is no longer open: the disk counts.
func (v *Vault) DidClose(uri string) { v.Forget(uri) }

// Forget drops a document whose text is not known any more, for example after
// a change that was too large to take (ruling 117): the disk counts until it is
// opened again.
func (v *Vault) Forget(uri string) {
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(uri)
}

func (o *overlay) drop(uri string) {
	if b := o.byURI[uri]; b != nil {
		delete(o.byURI, uri)
		if o.byKey[b.key] == b {
			delete(o.byKey, b.key)
		}
	}
}

// Buffer is the text and version that the client has for an open document;
// incremental changes apply to exactly this text.
func (v *Vault) Buffer(uri string) (text string, version int32, ok bool) {
	o := &v.buffers
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
		if _, in := below(p.abs, key); in && b.dirty() {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = b.text
		}
	}
	return out
}

// wrote says that we put text into the file of a clean buffer: it stays clean
// until the client sends another version, whose text is then compared with
// what we wrote (ruling 96).
func (o *overlay) wrote(p Path, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byKey[p.key()]; b != nil {
		b.saved, b.clean = bareText(text), true
	}
}
