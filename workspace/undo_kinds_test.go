package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a command puts in the place of something of another kind goes, and what was
// there comes back with everything in it; and an undo of that brings the other back.
func TestUndoOfAnotherKind(t *testing.T) {
	t.Parallel()
	files := map[string]string{"f": "1\n", "d/x": "2\n", "d/e/y": "3\n", "d/l": "-> x", "l": "-> f", "ld": "-> d", "b": "4\n"}
	for _, command := range []string{
		"rm -r d; echo x > d",
		"rm -r d; ln -s ../elsewhere d",
		"rm -r d; ln -s b d",
		"rm f; mkdir f; echo x > f/g; mkdir f/h; echo y > f/h/i",
		"rm f; ln -s b f",
		"rm f; mkdir f",
		"rm f; mkdir -p f/g/h",
		"rm l; mkdir l",
		"mv f x; mkdir f",
		"rm l; echo x > l",
		"rm l; mkdir l; echo x > l/x",
		"rm ld; mkdir ld; echo x > ld/x",
		"rm -r d/e; echo x > d/e; rm l; mkdir l; echo x > l/x",
		"mkdir t; mv f t/x; mv t f",
		"mv d/x t; rm -r d; mv t d",
		"cp -r d z; rm -r d; ln -s z d",
		"cp -rp d z; rm -r d; ln -s z d",
		"mv d z; ln -s z d",
		"mv d z; echo other > z/x; ln -s z d",
		"cp -r d z; rm -r d; echo other > z/x; echo more > z/new; ln -s z d",
		"mkdir z; mv d/e z/e; ln -s ../z/e d/e",
		"mv d z; mkdir d; ln -s ../z/e d/e",
		"rm -r d; mkdir d; echo x > d/x; rm b; mkdir b; echo x > b/c",
	} {
		t.Run(command, func(t *testing.T) {
			r := newRoom(t, files)
			outside := filepath.Join(filepath.Dir(r.root), "elsewhere")
			if err := os.Mkdir(outside, 0o755); err != nil {
				t.Fatal(err)
			}
			before := r.tree()
			changes := r.did("bash", "command", command)
			after := r.tree()
			if before == after {
				t.Fatal("the command changed nothing")
			}
			_, done := r.undo(false, changes...)
			if got := r.tree(); got != before {
				t.Fatalf("undone:\n%s\nwant\n%s\nof %+v", got, before, changes)
			}
			r.undo(false, done...)
			if got := r.tree(); got != after {
				t.Errorf("undone again:\n%s\nwant\n%s", got, after)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("through a link: %v %v", left, err)
			}
		})
	}
}

// The same by the tools of the agent.
func TestUndoOfAnotherKindByTools(t *testing.T) {
	r := newRoom(t, map[string]string{"d/x": "2\n", "d/e/y": "3\n"})
	before := r.tree()
	changes := append(r.did("delete", "path", "d", "recursive", true), r.did("write", "path", "d", "content", "x\n")...)
	r.undo(false, changes...)
	if got := r.tree(); got != before {
		t.Errorf("undone:\n%s\nwant\n%s", got, before)
	}
}

// A file that is written where a file was removed makes directories, which go with it.
func TestUndoOfAWriteWhereAFileWas(t *testing.T) {
	for _, remove := range []string{"command", "tool"} {
		r := newRoom(t, map[string]string{"d": "1\n"})
		before := r.tree()
		var changes []tool.Change
		if remove == "tool" {
			changes = r.did("delete", "path", "d")
		} else {
			changes = r.did("bash", "command", "rm d")
		}
		changes = append(changes, r.did("write", "path", "d/x/y", "content", "2\n")...)
		after := r.tree()
		_, done := r.undo(false, changes...)
		if got := r.tree(); got != before {
			t.Errorf("undone:\n%s\nwant\n%s", got, before)
		}
		if r.undo(false, done...); r.tree() != after {
			t.Errorf("undone again:\n%s\nwant\n%s", r.tree(), after)
		}
	}
}

// A directory that somebody else has made there and put something into stays.
func TestUndoOfADirectoryOfOthers(t *testing.T) {
	r := newRoom(t, map[string]string{"d": "1\n"})
	changes := r.did("bash", "command", "rm d")
	r.put(map[string]string{"d/mine": "mine\n"})
	r.wantUndo("d! "+string(tool.AppearedSince), changes...)
	if r.file("d/mine") != "mine\n" {
		t.Error(r.tree())
	}
}

// What somebody else has put into such a directory stays, and that is said.
func TestUndoOfAnotherKindKeepsOthers(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "1\n"})
	changes := r.did("bash", "command", "rm f; mkdir f; echo x > f/g")
	if err := os.WriteFile(filepath.Join(r.root, "f/mine"), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, conflicts, err := r.v.Undo(context.Background(), changes, false, false, func(tool.Change) error { return nil })
	if err != nil || len(conflicts) != 1 || conflicts[0].Path != "f" || conflicts[0].Reason != tool.DirectoryInWay {
		t.Error(conflicts, err)
	}
	if got := r.tree(); !strings.Contains(got, "f/mine mine") {
		t.Error(got)
	}
}
