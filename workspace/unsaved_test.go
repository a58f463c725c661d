package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// atEditor is an editor in front of a room: it makes the edits it is asked for and
// sends what its documents then hold.
type atEditor struct {
	v      *Vault
	refuse error
	before func() // while an edit is on its way

	mu     sync.Mutex // guards below
	loaded []string
}

func (a *atEditor) CanEdit() bool { return true }

func (a *atEditor) Reload(uri string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loaded = append(a.loaded, uri)
}

func (a *atEditor) Edit(_ context.Context, of tool.Document, _ string, edits []tool.TextEdit) error {
	if a.before != nil {
		a.before()
	}
	if _, version, _ := a.v.Buffer(of.URI); version != of.Version && a.refuse == nil {
		return errors.New("another version")
	}
	if a.refuse == nil {
		a.v.DidChange(of.URI, of.Version+1, applied(of.Text, edits))
	}
	return a.refuse
}

func newEditedRoom(t *testing.T, files map[string]string) (*room, *atEditor) {
	r := newRoom(t, files)
	a := &atEditor{v: r.v}
	r.v.editor = a
	return r, a
}

// However an editor shows a file, what it saves has the form that the file had.
func TestAsSaved(t *testing.T) {
	for _, row := range []struct{ disk, shown, saved string }{
		{"a\n", "b\n", "b\n"},
		{"a\r\nb\r\n", "a\r\nc\r\n", "a\r\nc\r\n"},
		{"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"}, // shown with \n
		{"a\r\nb\r\n", "c", "c"},
		{"a\nb\n", "a\r\nc\r\n", "a\r\nc\r\n"}, // the person changed the line ends
		{"\xEF\xBB\xBFa\n", "b\n", "\xEF\xBB\xBFb\n"},
		{"\xEF\xBB\xBFa\n", "\uFEFFb\n", "\xEF\xBB\xBFb\n"},
		{"a\n", "\uFEFFb\n", "\xEF\xBB\xBFb\n"},
		{"\xFF\xFEa\x00", "b", "\xFF\xFEb\x00"},
		{"caf\xe9\n", "café!\n", "café!\n"}, // an encoding we do not know
		{"\x00\x01", "text\n", "text\n"},
		{"", "new\n", "new\n"},
	} {
		r, _ := newEditedRoom(t, map[string]string{"f": row.disk})
		p, _ := r.v.Path("f")
		disk, err := p.snapshot()
		if got := string(asSaved(disk, row.shown)); err != nil || got != row.saved {
			t.Errorf("%q shown as %q is saved as %q, want %q (%v)", row.disk, row.shown, got, row.saved, err)
		}
		// And back: what a change makes of the saved text is placed in the shown one.
		if doc, err := decodeDoc([]byte(row.saved)); err == nil {
			if got := asShown(row.shown, doc.text); got != row.shown {
				t.Errorf("%q saved as %q is shown as %q", row.shown, row.saved, got)
			}
		}
	}
}

func TestEditInTheEditor(t *testing.T) {
	r, a := newEditedRoom(t, map[string]string{"f": "one\r\ntwo\r\n", "g": "-> f"})
	uri := fileuri.Of(r.root + "/f")
	r.v.DidOpen(uri, 1, "one\ntwo\n") // an editor that shows \r\n as \n
	r.v.DidChange(uri, 2, "1\ntwo\n")
	r.want(r.run("edit", "path", "f", "old", "two", "new", "2"), true, "read it first")
	r.run("read", "path", "g") // through a link it is the same file
	r.want(r.run("edit", "path", "f", "old", "two", "new", "2\n3"), false, "in the editor, not saved yet", "(+2 −1")
	if text, version, _ := r.v.Buffer(uri); text != "1\n2\n3\n" || version != 3 || r.file("f") != "one\r\ntwo\r\n" {
		t.Errorf("%q %d %q", text, version, r.file("f"))
	}
	if got := fmt.Sprint(r.v.Unsaved()); got != "[f]" {
		t.Error(got)
	}
	r.put(map[string]string{"f": "1\r\n2\r\n3\r\n"}) // saved as the file was
	r.v.DidSave(uri)
	r.want(r.run("edit", "path", "f", "old", "3", "new", "4"), false, "!in the editor")
	if r.file("f") != "1\r\n2\r\n4\r\n" || len(r.v.Unsaved()) != 0 || len(a.loaded) != 1 || a.loaded[0] != uri {
		t.Errorf("%q %v %v", r.file("f"), r.v.Unsaved(), a.loaded)
	}
	if text, version, _ := r.v.Buffer(uri); text != "1\n2\n3\n" || version != 3 {
		t.Errorf("what the client has: %q %d", text, version)
	}

	// Line ends that this editor does not show are none that it can change.
	r.v.DidChange(uri, 4, "1\n2\n4\nx\n")
	r.run("read", "path", "f")
	p, _ := r.v.Path("f")
	was, _ := r.v.snapshot(p)
	r.v.changing.Lock()
	if err := r.v.put(t.Context(), change{path: p, was: was, data: []byte("1\n2\n4\nx\n"), from: "1\r\n2\r\n4\r\nx\r\n", to: "1\n2\n4\nx\n"}); !errors.Is(err, errSame) {
		t.Error(err)
	}
	r.v.changing.Unlock()

	// What the person does between the plan and the run.
	r.v.DidChange(uri, 4, "1\n2\n4\nx\n")
	r.run("read", "path", "f")
	plan, _ := r.plan("edit", "path", "f", "old", "x", "new", "y")
	r.v.DidChange(uri, 5, "1\n2\n4\nxx\n")
	r.want(r.finish(plan), true, "changed since the call was approved")
	r.run("read", "path", "f")
	plan, _ = r.plan("edit", "path", "f", "old", "xx", "new", "y")
	r.v.DidChange(uri, 6, "1\n2\n4\nxxx\n")
	r.v.DidChange(uri, 7, "1\n2\n4\nxx\n") // and undone: the newest version is edited
	r.want(r.finish(plan), false, "not saved yet")

	// And while the edit is on its way.
	a.before = func() { r.v.DidChange(uri, 9, "typed\n") }
	plan, _ = r.plan("edit", "path", "f", "old", "y", "new", "z")
	r.want(r.finish(plan), true, "another version")
	if text, _, _ := r.v.Buffer(uri); text != "typed\n" {
		t.Errorf("lost what was typed: %q", text)
	}
	a.before = nil

	// A clean file that becomes dirty between the plan and the run.
	r.put(map[string]string{"f": "typed\n"})
	r.v.DidSave(uri)
	r.run("read", "path", "f")
	plan, _ = r.plan("edit", "path", "f", "old", "typed", "new", "z")
	gone, _ := r.plan("delete", "path", "f")
	r.v.DidChange(uri, 10, "typed more\n")
	r.want(r.finish(plan), true, "changed in the editor since the call was approved")
	r.want(r.finish(gone), true, "changed in the editor since the call was approved")
	if r.file("f") != "typed\n" {
		t.Error(r.file("f"))
	}
}

// Bypass: a link that a document was opened through is turned to a protected file,
// and the edit of what it led to goes there with the person's next save.
func TestLinkTurnedUnderADocument(t *testing.T) {
	r, _ := newEditedRoom(t, map[string]string{"f": "a\n", "link": "-> f", "guarded": "g\n"})
	link, real := fileuri.Of(r.root+"/link"), fileuri.Of(r.root+"/f")
	r.v.DidOpen(link, 1, "b\n")
	r.run("read", "path", "f")
	p, _ := r.plan("edit", "path", "f", "old", "b", "new", "c")
	os.Remove(r.root + "/link")
	r.put(map[string]string{"link": "-> guarded"})
	r.want(r.finish(p), true, "path changed")
	r.want(r.run("edit", "path", "f", "old", "b", "new", "c"), true, "path changed")
	if text, _, _ := r.v.Buffer(link); text != "b\n" {
		t.Errorf("%q", text)
	}
	// One file under two names: what is closed last is what counts.
	r.v.DidOpen(real, 1, "under its own name\n")
	r.want(r.run("read", "path", "f"), false, "under its own name")
	r.v.DidClose(real)
	r.want(r.run("read", "path", "f"), false, "1: b")
}

// Whoever changes several files takes back what is done when one of them fails.
func TestTakeBack(t *testing.T) {
	r, a := newEditedRoom(t, map[string]string{"clean": "a\n", "dirty": "a\n"})
	uri := fileuri.Of(r.root + "/dirty")
	r.v.DidOpen(uri, 1, "a\n")
	r.v.DidChange(uri, 2, "b\n")
	shows := func(want string) {
		t.Helper()
		clean, _ := r.v.Path("clean")
		disk, _ := clean.snapshot()
		text, _, _ := r.v.Buffer(uri)
		if got := string(disk.data) + text + r.file("new") + r.file("dirty"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	do := func(name, to string) change {
		t.Helper()
		p, _ := r.v.Path(name)
		was, err := r.v.snapshot(p)
		c := change{path: p, was: was, data: []byte(to), from: string(was.data), to: to}
		r.v.changing.Lock()
		defer r.v.changing.Unlock()
		if err := errors.Join(err, r.v.put(t.Context(), c)); err != nil {
			t.Fatal(name, err)
		}
		return c
	}
	back := func(c change) error {
		r.v.changing.Lock()
		defer r.v.changing.Unlock()
		return r.v.takeBack(t.Context(), c)
	}
	missing := r.file("new")
	made := []change{do("clean", "x\n"), do("dirty", "y\n"), do("new", "z\n")}
	shows("x\ny\nz\na\n")
	for _, c := range made {
		if err := back(c); err != nil {
			t.Error(c.path, err)
		}
	}
	shows("a\nb\n" + missing + "a\n")
	for _, c := range made[:2] {
		if err := back(c); !errors.Is(err, errChanged) {
			t.Errorf("%s taken back twice: %v", c.path, err)
		}
	}
	c := do("dirty", "y\n")
	r.v.DidChange(uri, 9, "y!\n")
	if err := back(c); !errors.Is(err, errChanged) {
		t.Error("over what was typed:", err)
	}
	r.v.DidChange(uri, 10, "y\n")
	if a.refuse = errors.New("no"); back(c) == nil {
		t.Error("the editor refused, and it was taken back")
	}
}

// While an edit is on its way nothing is locked that whoever types needs.
func TestTypingBesideEdits(t *testing.T) {
	r, _ := newEditedRoom(t, map[string]string{"f": "0\n", "g": "0\n"})
	uri := fileuri.Of(r.root + "/f")
	r.v.DidOpen(uri, 1, "0\n")
	synctest.Test(t, func(t *testing.T) {
		var group sync.WaitGroup
		group.Go(func() {
			for i := int32(2); i < 300; i++ {
				r.v.DidChange(uri, i*1000, fmt.Sprintf("%d\n", i))
				if i%7 == 0 {
					r.v.DidSave(uri)
				}
				r.v.SetProblems(uri, i, []tool.Problem{{Severity: "error", Message: fmt.Sprint(i)}})
			}
		})
		for _, name := range []string{"f", "g"} {
			group.Go(func() {
				tools := tool.NewSet(r.v.Tools(Owner{Session: "s" + name})...)
				mine := &room{t: t, v: r.v, root: r.root, tools: tools}
				for i := range 60 {
					mine.run("read", "path", name)
					mine.run("write", "path", name, "content", fmt.Sprintf("%s %d\n", name, i))
					r.v.Unsaved()
				}
			})
		}
		group.Wait()
	})
	if text := r.file("g"); text != "g 59\n" {
		t.Error(text)
	}
}

// An editor that closes a document, or sends nothing, costs two seconds.
func TestEditorThatShowsNothing(t *testing.T) {
	r, _ := newEditedRoom(t, map[string]string{"f": "a\n"})
	uri := fileuri.Of(r.root + "/f")
	synctest.Test(t, func(t *testing.T) {
		deaf := &deafEditor{}
		r.v.editor = deaf
		r.v.DidOpen(uri, 1, "b\n")
		r.run("read", "path", "f")
		r.want(r.run("edit", "path", "f", "old", "b", "new", "c"), true, "its text is as it was")
		deaf.then = func() { r.v.DidChange(uri, 2, "other\n") }
		r.want(r.run("edit", "path", "f", "old", "b", "new", "c"), true, "changed at the same time")
		r.run("read", "path", "f")
		deaf.then = func() { r.v.DidClose(uri) }
		r.want(r.run("edit", "path", "f", "old", "other", "new", "c"), true, "closed the document")
		r.want(r.run("read", "path", "f"), false, "1: a\n")
		if !strings.HasPrefix(r.file("f"), "a") {
			t.Error(r.file("f"))
		}
	})
}

type deafEditor struct{ then func() }

func (d *deafEditor) CanEdit() bool { return true }
func (d *deafEditor) Reload(string) {}
func (d *deafEditor) Edit(context.Context, tool.Document, string, []tool.TextEdit) error {
	if d.then != nil {
		d.then()
	}
	return nil
}

// Of how many files is known what we left there.
func TestTracesAreBounded(t *testing.T) {
	r := newRoom(t, map[string]string{})
	for i := range mostTraces + 9 {
		p, _ := r.v.Path(fmt.Sprintf("t%d", i))
		r.v.buffers.wrote(p, "x", "h")
	}
	if n := len(r.v.buffers.left); n != mostTraces {
		t.Errorf("%d traces", n)
	}
}
