package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/problems"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

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
func (d *documents) canEdit() bool { return d.editor != nil && d.editor.CanEdit() }

// snapshot is p as a change of its text finds it: the unsaved text of a dirty
// buffer, as the bytes that the file would hold once it is saved, else the file. A
// dirty buffer that cannot be changed is an error.
func (d *documents) snapshot(p Path) (snapshot, error) {
	open, dirty := d.buffers.unsaved(p)
	if !dirty {
		return p.snapshot()
	}
	if !d.canEdit() {
		return snapshot{}, d.notDirty(p)
	}
	if abs, _ := pathOfURI(open.URI); !d.leadsTo(abs, p) {
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
func (w *places) leadsTo(abs string, p Path) bool {
	now, err := w.locate(abs, true)
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
func (d *documents) putInEditor(ctx context.Context, c change, open tool.Document) error {
	to := asShown(open.Text, c.to)
	edits, want := pieces(open.Text, to), bareText(to)
	if len(edits) == 0 {
		return errSame
	}
	d.changing.Unlock()
	defer d.changing.Lock()

	d.buffers.ask(open.URI, &want)
	defer d.buffers.ask(open.URI, nil)
	asked, done := context.WithTimeoutCause(ctx, answerTime, errNoAnswer)
	err := d.editor.Edit(asked, open, pathname.Printable(c.path.Display()), edits)
	done()
	shown, done := context.WithTimeout(ctx, showTime)
	defer done()
	if err != nil {
		done() // only what it shows already counts
	}
	switch {
	case d.buffers.await(shown, open.URI, open.Version, want):
		d.buffers.edited(c, open.URI)
		return nil
	case ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	switch _, version, there := d.Buffer(open.URI); {
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
func (d *documents) whereItIs(p Path) string {
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byKey[p.key()]; b != nil && b.ours && b.dirty() {
		return "in the editor, not saved yet"
	}
	return ""
}

// Unsaved names the files in which an edit of ours is not saved yet, so that
// commands do not see it.
func (d *documents) Unsaved() []string {
	return d.unsavedNames(func(b *buffer) bool { return b.ours })
}

func (d *documents) unsavedNames(of func(*buffer) bool) []string {
	o := &d.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	var names []string
	for _, b := range o.byURI {
		if of(b) && b.dirty() {
			names = append(names, pathname.Printable(b.name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// notDirty refuses a change of a file on the disk with unsaved changes in the
// editor, which would lose one of the two.
func (d *documents) notDirty(p Path) error {
	if _, dirty := d.buffers.dirty(p); dirty {
		return fmt.Errorf("%s %w", p, errDirty)
	}
	return nil
}

// SetProblems takes over what the editor has to say about a document from now on.
// version is the document's, 0 where the client names none. Lists are cut, errors
// first; URIs of other schemes than file are ignored.
func (d *documents) SetProblems(uri string, version int32, list []tool.Problem) {
	if p, ok := d.document(uri); ok {
		d.problems.Set(p.key(), kindOfName(p), version, list)
	}
}

// Problems are those that the editor has sent last for a document, the gravest
// first.
func (d *documents) Problems(uri string) []tool.Problem {
	if p, ok := d.document(uri); ok {
		return d.problems.Of(p.key())
	}
	return nil
}

// kindOfName is what the editor goes by when it checks a file.
func kindOfName(p Path) string { return strings.ToLower(filepath.Ext(p.abs)) }

// watchProblems is called before a change of these files, News of what it gives
// behind it.
func (d *documents) watchProblems(paths ...Path) problems.Watch {
	files := make([]problems.File, len(paths))
	for i, p := range paths {
		files[i] = problems.File{Key: p.key(), Kind: kindOfName(p), Name: pathname.Printable(p.Display()), Version: func() int32 { return d.buffers.versionOf(p) }}
	}
	return d.problems.Watch(files...)
}

// shown is the open document of a file; loading says that the file is another one and the
// editor is about to load it.
func (o *overlay) shown(p Path) (of tool.Document, loading bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.byKey[p.key()]
	if b == nil {
		return tool.Document{}, false
	}
	return tool.Document{URI: b.uri, Version: b.version, Text: b.text}, b.clean && bareText(b.text) != b.saved
}

// savedAs is the bare text of the file of an open document.
func (o *overlay) savedAs(uri string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.byURI[uri]; b != nil {
		return b.saved
	}
	return ""
}
