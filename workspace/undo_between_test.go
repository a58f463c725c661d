package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Every step of an undo looks again: what somebody changes while the steps before it
// are taken stays, be it a file, a link or where nothing was.
func TestUndoLooksBeforeEachStep(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "2\n", "f": "made\n"})
	if err := os.Symlink("a", r.root+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1\n", "gone\n"} {
		if _, err := r.v.Keep([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	hash := func(text string) string { return hashOf([]byte(text)) }
	changes := []tool.Change{
		{Path: "a", Kind: "modified", Before: hash("1\n"), After: hash("2\n"), Checkpoint: hash("1\n")},
		{Path: "gone", Kind: "deleted", Before: hash("gone\n"), Checkpoint: undo.Image{Kind: undo.File, Hash: hash("gone\n"), Mode: 0o644}.Name()},
		{Path: "f", Kind: "created", After: hash("made\n")},
		{Path: "link", Kind: "created", After: hash("a")},
	}
	done, conflicts, err := r.v.Undo(context.Background(), changes, false, false, func(c tool.Change) error {
		if c.Path == "a" {
			r.put(map[string]string{"gone": "theirs\n", "f": "theirs\n"})
			return errors.Join(os.Remove(r.root+"/link"), os.Symlink("f", r.root+"/link"))
		}
		return nil
	})
	to, linkErr := os.Readlink(r.root + "/link")
	if err := errors.Join(err, linkErr); err != nil || len(done) != 1 || len(conflicts) != 3 {
		t.Errorf("done %+v, conflicts %+v, %v", done, conflicts, err)
	}
	if r.file("a") != "1\n" || r.file("gone") != "theirs\n" || r.file("f") != "theirs\n" || to != "f" {
		t.Errorf("a %q, gone %q, f %q, link %q", r.file("a"), r.file("gone"), r.file("f"), to)
	}
}

// What somebody does between the last look of a step and the change itself stays, and
// the reason is one for a person: what the tools say then tells a model what to do.
func TestUndoLooksBehindItsLook(t *testing.T) {
	hash := func(text string) string { return hashOf([]byte(text)) }
	modified := tool.Change{Path: "f", Kind: "modified", Before: hash("1\n"), After: hash("2\n"), Checkpoint: hash("1\n")}
	created := tool.Change{Path: "f", Kind: "created", After: hash("2\n")}
	moved := tool.Change{Path: "f", From: "was", Kind: "moved", Before: hash("2\n"), After: hash("2\n"), Checkpoint: hash("2\n")}
	write := func(r *room) { r.put(map[string]string{"f": "theirs\n"}) }
	typed := func(r *room) {
		uri := fileuri.Of(r.root + "/f")
		r.v.DidOpen(uri, 1, "2\n")
		r.v.DidChange(uri, 2, "typed\n")
	}
	for name, row := range map[string]struct {
		change  tool.Change
		at      durable.Op // before this step to the file or its directory
		since   func(*room)
		canEdit bool
		want    tool.Reason
	}{
		"written":                 {modified, durable.OpRename, write, false, tool.Changing},
		"gone":                    {modified, durable.OpRename, func(r *room) { os.Remove(r.root + "/f") }, false, tool.Changing},
		"made before its removal": {created, durable.OpRemove, write, false, tool.Changing},
		"moved back":              {moved, durable.OpRemove, write, false, tool.Changing},
		"typed":                   {modified, "keep", typed, true, tool.Unsaved},
		"typed, no edits taken":   {modified, "keep", typed, false, tool.Unsaved},
	} {
		r, disk := newRoomOnDisk(t, map[string]string{"f": "2\n"})
		if row.canEdit {
			r.v.editor = &atEditor{v: r.v}
		}
		if _, err := r.v.Keep([]byte("1\n")); err != nil {
			t.Fatal(err)
		}
		did, now := false, ""
		disk.Fail(func(op durable.Op, path string) error {
			if filepath.Base(path) == "f" && op == row.at || row.at == "keep" && !did {
				row.since(r)
				did, now = true, r.file("f")
			}
			return nil
		})
		done, conflicts, err := r.v.Undo(t.Context(), []tool.Change{row.change}, false, false, func(tool.Change) error { return nil })
		if err != nil || len(done) != 0 || len(conflicts) != 1 || conflicts[0].Reason != row.want || !did || r.file("f") != now || strings.Contains(r.tree(), "was") {
			t.Errorf("%s: done %+v, conflicts %+v, %v; it held %q\n%s", name, done, conflicts, err, now, r.tree())
		}
	}
}
