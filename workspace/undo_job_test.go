//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// What a command in the background changes until its call returns is the call's, also where
// it has ended in that time, and is undone with it. What it changes later is nobody's: an
// undo leaves it alone.
func TestUndoOfAJob(t *testing.T) {
	for _, ends := range []bool{true, false} {
		command := "rm gone.txt; echo x > early.txt"
		if !ends {
			command += "; until [ -e go.txt ]; do sleep 0.02; done; echo x > late.txt"
		}
		undone := false
		for try := 0; try < 10 && !undone; try++ { // a machine may be too busy
			undone = undoOfAJob(t, command, ends)
		}
		if !undone {
			t.Errorf("%s: it never changed something at once", command)
		}
	}
}

// undoOfAJob undoes a job that changed something while its call lasted; false: it came too
// late for that.
func undoOfAJob(t *testing.T, command string, ends bool) bool {
	r := newRoom(t, map[string]string{"gone.txt": "two\n"})
	before := r.tree()
	res, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(r.v, "1"), map[string]any{"command": command, "background": true}), &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	m := jobName.FindStringSubmatch(res.Text)
	if ends && m != nil {
		return false
	}
	if !ends {
		job, err := r.v.jobs.Find("1", m[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.root, "go.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		<-job.Done()
		if len(res.Changes) < 2 {
			return false
		}
	}
	r.undo(false, res.Changes...)
	after := r.tree()
	if !ends && !strings.Contains(after, "late.txt") {
		t.Errorf("what came later is gone: %s", after)
	}
	for _, name := range []string{"go.txt", "late.txt"} {
		_ = os.Remove(filepath.Join(r.root, name))
	}
	if after = r.tree(); after != before {
		t.Errorf("undone:\n%s\nwant\n%s", after, before)
	}
	return true
}
