package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// An undo that dies at any step to the disk leaves every file as it was before it
// or as it shall be, and the next one finishes it, whether the log has the last
// change or not.
func TestUndoThatDiesIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	writes := []durable.Op{durable.OpTemp, durable.OpWrite}
	for _, way := range []string{"before", "torn", "after"} {
		for k := 1; ; k++ {
			r := newRoom(t, map[string]string{"a": "1\n2\n", "d/x": "3\n", "d/l": "-> x", "gone": "4\n", "m": "5\n"})
			r.run("read", "path", "a")
			before := r.tree()
			changes := slices.Concat(
				r.did("edit", "path", "a", "old", "1", "new", "one"), r.did("write", "path", "new", "content", "n\n"), r.did("delete", "path", "gone"),
				r.did("move", "from", "m", "to", "m2"), r.did("delete", "path", "d", "recursive", true))

			disk := &durable.Disk{}
			steps, died := 0, false
			disk.Fail(func(op durable.Op, _ string) error {
				if steps++; steps != k || way == "after" {
					return nil
				}
				died = true
				if way == "torn" && slices.Contains(writes, op) {
					return durable.Torn{Half: true, Crash: true}
				}
				disk.Freeze()
				return nil
			})
			disk.Watch(func(durable.Op, string) {
				if way == "after" && steps >= k {
					died = true
					disk.Freeze()
				}
			})
			dying, err := Open([]Folder{{Path: r.root}}, Options{Home: r.v.home, Disk: disk})
			if err != nil {
				t.Fatal(err)
			}
			var logged []tool.Change
			_, _, err = dying.Undo(context.Background(), changes, false, false, func(c tool.Change) error {
				if !disk.Frozen() {
					logged = append(logged, c)
				}
				return nil
			})
			if err != nil && !died {
				t.Fatal(err)
			}
			if err := dying.Close(); err != nil {
				t.Fatal(err)
			}
			at := fmt.Sprintf("%s step %d", way, k)
			if got, _ := r.undo(false, append(changes, logged...)...); strings.Contains(got, "!") {
				t.Errorf("%s: %s", at, got)
			}
			for _, dir := range []string{"", "d"} { // what a kill leaves of every write
				temps, _ := filepath.Glob(filepath.Join(r.root, dir, ".agent-*.tmp"))
				for _, temp := range temps {
					os.Remove(temp)
				}
			}
			if got := r.tree(); got != before {
				t.Errorf("%s:\n%s\nwant\n%s", at, got, before)
			}
			if !died {
				break
			}
		}
	}
}
