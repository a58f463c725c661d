package workspace

import (
	"context"
	"errors"
	"os"
	"testing"

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
