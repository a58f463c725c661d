package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUndoCommand: what a run did is undone in the terminal, and back. A bundle that
// is imported says of files that the agent made them; here they are the person's, and
// an undo that believed it would delete them.
func TestUndoCommand(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", `
call c1 write {"path": "a.txt", "content": "a\n"}
call c2 bash {"command": "echo b > b.txt"}
---
say Done.`)
	if code, out, errs := s.run(t, "", "run", "--yes", "Go."); code != 0 {
		t.Fatalf("run: %d %s %s", code, out, errs)
	}
	there := func() string {
		var names []string
		for _, name := range []string{"a.txt", "b.txt"} {
			if _, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
				names = append(names, name)
			}
		}
		return strings.Join(names, " ")
	}
	for _, step := range []struct {
		args  []string
		code  int
		out   string
		there string
	}{
		{[]string{"undo"}, 2, "of which session", "a.txt b.txt"},
		{[]string{"undo", "0009"}, 1, `there is no session "0009"`, "a.txt b.txt"},
		{[]string{"undo", "0001", "nothing"}, 1, `nothing in the session is called "nothing"`, "a.txt b.txt"},
		{[]string{"undo", "0001", "--dry-run"}, 0, "would be removed: a.txt\nwould be removed: b.txt\n", "a.txt b.txt"},
		{[]string{"undo", "0001", "--dry-run", "--file", "./b.txt"}, 0, "would be removed: b.txt\n", "a.txt b.txt"},
		{[]string{"undo", "0001", "--dry-run", "--file", "c.txt"}, 1, `has changed "c.txt"`, "a.txt b.txt"},
		{[]string{"undo", "0001", "c2"}, 0, "removed: b.txt\n", "a.txt"},
		{[]string{"undo", "0001"}, 0, "removed: a.txt\n", ""},
		{[]string{"undo", "0001"}, 0, "There is nothing to undo.\n", ""},
		{[]string{"undo", "0001", "undo#1"}, 0, "brought back: ", "a.txt b.txt"},
		{[]string{"audit", "show", "1"}, 0, "undo", "a.txt b.txt"},
		{[]string{"export", "0001", "--no-redact", "-o", filepath.Join(filepath.Dir(s.dir), "bundle")}, 0, "", "a.txt b.txt"},
		{[]string{"import", filepath.Join(filepath.Dir(s.dir), "bundle")}, 0, "Session 0002", "a.txt b.txt"},
		{[]string{"undo", "0002", "0"}, 1, "left as it is: a.txt: cannot undo: this session did not change it", "a.txt b.txt"},
		{[]string{"undo", "0002", "c1", "--merge"}, 1, "left as it is: a.txt: cannot undo", "a.txt b.txt"},
		{[]string{"undo", "0002"}, 1, "left as it is: a.txt: cannot undo", "a.txt b.txt"},
	} {
		code, out, errs := s.run(t, "", step.args...)
		if code != step.code || !strings.Contains(out+errs, step.out) || there() != step.there || errs != "" && out != "" {
			t.Errorf("%v: %d %q %q; there are %q, want %d %q %q", step.args, code, out, errs, there(), step.code, step.out, step.there)
		}
	}
}
