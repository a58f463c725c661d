package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

// Who holds a file takes the last look himself: between what was checked and what is
// written the person may type, and what was planned for the disk is not written below
// unsaved text, nor an edit of one text into another.
func TestPutTakesTheLastLook(t *testing.T) {
	for _, row := range []struct {
		name          string
		opened, typed string // in the editor when the call is planned, and when it is done
		canEdit       bool
		want          error // nil: any
	}{
		{"into a clean document", "disk\n", "typed\n", true, errTyped},
		{"where we cannot edit", "disk\n", "typed\n", false, nil},
		{"on", "typed\n", "typed on\n", true, errChanged},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"f": "disk\n"})
			if row.canEdit {
				r.v.editor = &atEditor{v: r.v}
			}
			p, err := r.v.Path("f")
			if err != nil {
				t.Fatal(err)
			}
			r.v.DidOpen(p.URI(), 1, "disk\n")
			r.v.DidChange(p.URI(), 2, row.opened)
			was, err := r.v.snapshot(p)
			if err != nil {
				t.Fatal(err)
			}
			r.v.DidChange(p.URI(), 3, row.typed)
			r.v.changing.Lock()
			err = r.v.put(t.Context(), change{path: p, was: was, data: []byte("ours\n"), from: row.opened, to: "ours\n"})
			r.v.changing.Unlock()
			if err == nil || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("put: %v, want %v", err, row.want)
			}
			if text, _, _ := r.v.Buffer(p.URI()); text != row.typed || r.file("f") != "disk\n" {
				t.Errorf("in the editor %q, on the disk %q", text, r.file("f"))
			}
		})
	}
}

// What a patch that fails half way puts back is only what still is as it left it:
// somebody may have changed it or typed into it meanwhile.
func TestTakeBackLeavesWhatOthersDid(t *testing.T) {
	for name, since := range map[string]func(r *room, uri string){
		"changed":    func(r *room, _ string) { r.put(map[string]string{"f": "theirs\n", "n": "theirs\n"}) },
		"typed into": func(r *room, uri string) { r.v.DidOpen(uri, 1, "ours\n"); r.v.DidChange(uri, 2, "typed\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"f": "was\n"})
			r.v.changing.Lock()
			defer r.v.changing.Unlock()
			for _, file := range []string{"f", "n"} {
				p, err := r.v.Path(file)
				if err != nil {
					t.Fatal(err)
				}
				was, err := r.v.snapshot(p)
				if err != nil {
					t.Fatal(err)
				}
				c := change{path: p, was: was, data: []byte("ours\n"), to: "ours\n"}
				if err := r.v.put(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				since(r, p.URI())
				now := r.file(file)
				if err := r.v.takeBack(t.Context(), c); err == nil || r.file(file) != now {
					t.Errorf("%s: %v, holds %q, want %q", file, err, r.file(file), now)
				}
			}
		})
	}
}

// The last look before a rename is at the file itself: what somebody put there, or
// wrote into it, since it was compared stays.
func TestReplaceOnlyWhatWasSeen(t *testing.T) {
	for name, since := range map[string]func(at string) error{
		"written": func(at string) error { return os.WriteFile(at, []byte("theirs, longer\n"), 0o644) },
		"touched": func(at string) error { return os.Chtimes(at, time.Time{}, time.Unix(1, 0)) },
		"another file of the same size and time": func(at string) error {
			fi, err := os.Stat(at)
			return errors.Join(err, os.WriteFile(at+"2", []byte("his\n"), 0o644), os.Chtimes(at+"2", time.Time{}, fi.ModTime()), os.Rename(at+"2", at))
		},
		"another text of the same file, size and time": func(at string) error {
			fi, err := os.Stat(at)
			return errors.Join(err, os.WriteFile(at, []byte("his\n"), 0o644), os.Chtimes(at, time.Time{}, fi.ModTime()))
		},
		"gone": os.Remove,
	} {
		r := newRoom(t, map[string]string{"f": "was\n"})
		p, err := r.v.Path("f")
		if err != nil {
			t.Fatal(err)
		}
		was, err := r.v.snapshot(p)
		if err := errors.Join(err, since(p.Abs())); err != nil {
			t.Fatal(err)
		}
		now := r.tree()
		if err := p.replace(was, []byte("ours\n")); !errors.Is(err, errChanged) || r.tree() != now {
			t.Errorf("%s: %v\n%s\nwas\n%s", name, err, r.tree(), now)
		}
	}
}

// A file is not moved below unsaved text that has no file yet.
func TestMoveToWhereSomebodyTypes(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n"})
	p, err := r.plan("move", "from", "a", "to", "b")
	if err != nil {
		t.Fatal(err)
	}
	r.v.DidOpen(fileuri.Of(r.root+"/b"), 1, "typed\n")
	r.want(r.finish(p), true, "b has unsaved changes in the editor")
	if r.file("a") != "1\n" {
		t.Error("moved")
	}
}

// What somebody writes into a file while its content is kept is kept nowhere: so it is
// not deleted, nor its old name taken away behind a move.
func TestRemoveOnlyWhatWasSeen(t *testing.T) {
	for _, call := range [][]any{
		{"delete", "path", "d/f"}, {"delete", "path", "d", "recursive", true}, {"move", "from", "d/f", "to", "g"},
		{"apply_patch", "patch", begin("*** Delete File: d/f\n")}, {"apply_patch", "patch", begin("*** Update File: d/f\n*** Move to: g\n")},
	} {
		r, disk := newRoomOnDisk(t, map[string]string{"d/f": "was\n"})
		r.want(r.run("read", "path", "d/f"), false)
		wrote := false
		disk.Fail(func(op durable.Op, path string) error {
			if op == durable.OpRemove && filepath.Base(path) == "f" && !wrote {
				wrote = true
				r.put(map[string]string{"d/f": "theirs\n"})
			}
			return nil
		})
		res := r.run(call[0].(string), call[1:]...)
		if !wrote || !res.Failed || r.file("d/f") != "theirs\n" {
			t.Errorf("%v: d/f holds %q; wrote %v: %s", call, r.file("d/f"), wrote, res.Text)
		}
	}
}

// put makes a file and the directories above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
