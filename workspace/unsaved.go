package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

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

const (
	// answerTime is how long an editor has to make an edit: some ask the person.
	answerTime = 10 * time.Second
	// showTime is how long after its word the editor has to send the new text:
	// editors collect changes for up to half a second.
	showTime = 2 * time.Second
)

var (
	errNoAnswer = fmt.Errorf("the editor did not answer within %d s. It may still make the edit: read the file again first", int(answerTime.Seconds()))
	errStopped  = errors.New("cancelled while the editor was asked for the edit. It may still make it")
	errSame     = errors.New("not changed: only line ends would change, and the editor shows them in its own way")
	errIgnored  = errors.New("the editor said that it made the edit, but its text is as it was")
	errCrossed  = errors.New("the editor took the edit, but its text is not what the edit makes of it: it was changed at the same time. Read the file again")
	errShut     = errors.New("the editor closed the document while it was asked for the edit. Read the file again")
)

// canEdit says whether unsaved text can be changed at all.
func (v *Vault) canEdit() bool { return v.editor != nil && v.editor.CanEdit() }

// snapshot is p as a change of its text finds it: the unsaved text of a dirty
// buffer, as the bytes that the file would hold once it is saved, else the file. A
// dirty buffer that cannot be changed is an error.
func (v *Vault) snapshot(p Path) (snapshot, error) {
	open, dirty := v.buffers.unsaved(p)
	if !dirty {
		return p.snapshot()
	}
	if !v.canEdit() {
		return snapshot{}, v.notDirty(p)
	}
	if abs, _ := pathOfURI(open.URI); !v.leadsTo(abs, p) {
		return snapshot{}, fmt.Errorf("%s: %w", p, openat.ErrMoved)
	}
	disk, err := p.snapshot()
	if err != nil {
		return snapshot{}, err
	}
	if len(open.Text) > maxChangeBytes {
		return snapshot{}, fmt.Errorf("%s: too large to change here (over %d bytes)", p, maxChangeBytes)
	}
	data := asSaved(disk, open.Text)
	return snapshot{exists: true, data: data, hash: hashOf(data), info: disk.info, open: &open}, nil
}

// leadsTo says that a name which the editor uses for a document still leads to p:
// a link that was turned elsewhere since would let the editor save the edit there.
func (v *Vault) leadsTo(abs string, p Path) bool {
	now, err := v.locate(abs, true)
	return err == nil && now.key() == p.key()
}

// unsaved is the document of p where it is dirty.
func (o *overlay) unsaved(p Path) (tool.Document, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byKey[p.key()]; b != nil && b.dirty() {
		return tool.Document{URI: b.uri, Version: b.version, Text: b.text}, true
	}
	return tool.Document{}, false
}

// asSaved is what a file will hold when the editor saves text over disk: with its
// byte order mark, encoding and kind of line ends, which not every editor shows.
func asSaved(disk snapshot, text string) []byte {
	doc, err := decodeDoc(disk.data)
	if err != nil || !doc.utf8 {
		doc = document{eol: "\n"}
	}
	bare, marked := strings.CutPrefix(text, "\uFEFF")
	doc.bom = doc.bom || marked
	if doc.eol == "\r\n" && !strings.Contains(bare, "\r\n") {
		bare = textedit.WithLineEnd(bare, doc.eol)
	}
	return doc.encode(bare)
}

// asShown is the text of a change as the editor would have it that now shows was.
func asShown(was, to string) string {
	if strings.HasPrefix(was, "\uFEFF") {
		to = "\uFEFF" + to
	}
	if strings.Contains(was, "\n") && !strings.Contains(was, "\r\n") {
		to = textedit.WithLineEnd(to, "\n")
	}
	return to
}

// putInEditor makes a dirty buffer hold what c gives it. Whether it does is seen
// in the text that the editor then sends, not in its word: some say yes and leave
// an edit of an older version out. changing is held, and let go of while the
// editor works: it may take seconds, the path locks of the call keep the file, and
// the version keeps what the person types.
func (v *Vault) putInEditor(ctx context.Context, c change, open tool.Document) error {
	to := asShown(open.Text, c.to)
	edits, want := pieces(open.Text, to), bareText(to)
	if len(edits) == 0 {
		return errSame
	}
	v.changing.Unlock()
	defer v.changing.Lock()

	v.buffers.ask(open.URI, &want)
	defer v.buffers.ask(open.URI, nil)
	asked, done := context.WithTimeoutCause(ctx, answerTime, errNoAnswer)
	err := v.editor.Edit(asked, open, pathname.Printable(c.path.Display()), edits)
	done()
	shown, done := context.WithTimeout(ctx, showTime)
	defer done()
	if err != nil {
		done() // only what it shows already counts
	}
	switch {
	case v.buffers.await(shown, open.URI, open.Version, want):
		v.buffers.edited(c, open.URI)
		return nil
	case ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	switch _, version, there := v.Buffer(open.URI); {
	case !there:
		return errShut
	case version == open.Version:
		return errIgnored
	}
	return errCrossed
}

// ask says what text an edit that is on its way is to bring, nil that none is.
func (o *overlay) ask(uri string, bare *string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		b.asked = bare
	}
}

// edited says that the buffer of a document shows what c gave it.
func (o *overlay) edited(c change, uri string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.byURI[uri]
	if b == nil {
		return
	}
	b.ours = b.dirty() // an editor that saves by itself has done so
	t := o.leave(b.key, hashOf(c.data), bareText(b.text), true)
	if now := hashOf(asSaved(c.was, b.text)); now != t.hash { // another line end at its end
		t.same = now
	}
}

// whereItIs says of a file that was just changed where the change is, "" where
// that is the disk.
func (v *Vault) whereItIs(p Path) string {
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byKey[p.key()]; b != nil && b.ours && b.dirty() {
		return "in the editor, not saved yet"
	}
	return ""
}

// Unsaved names the files in which an edit of ours is not saved yet, so that
// commands do not see it.
func (v *Vault) Unsaved() []string {
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	var names []string
	for _, b := range o.byURI {
		if b.ours && b.dirty() {
			names = append(names, pathname.Printable(b.name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
