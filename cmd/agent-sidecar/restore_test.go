package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestoreCommand: a person in a terminal sees the prompts of a session, what going back to one would change, and goes
// back: the files are as they were, and a new session ends before the prompt. What somebody has changed
// since stops it, until the person says that it may stay.
func TestRestoreCommand(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", `
call c1 write {"path": "a.txt", "content": "a\n"}
---
say Made a.
---
call c2 write {"path": "b.txt", "content": "b\n"}
---
say Made b.`)
	for _, args := range [][]string{{"run", "--yes", "Make a."}, {"run", "--yes", "--continue", "Make b."}} {
		if code, out, errs := s.run(t, "", args...); code != 0 {
			t.Fatalf("%v: %d %s %s", args, code, out, errs)
		}
	}
	a, b := filepath.Join(s.dir, "a.txt"), filepath.Join(s.dir, "b.txt")
	there := func() (names string) {
		for _, path := range []string{a, b} {
			if _, err := os.Stat(path); err == nil {
				names += filepath.Base(path) + " "
			}
		}
		return names
	}
	steps := func(all ...restoreStep) {
		for _, step := range all {
			code, out, errs := s.run(t, "", step.args...)
			if code != step.code || !strings.Contains(out+errs, step.says) || there() != step.there {
				t.Errorf("%v: %d %q %q; there are %q, want %d %q %q", step.args, code, out, errs, there(), step.code, step.says, step.there)
			}
		}
	}
	_, listed, _ := s.run(t, "", "restore", "1")
	lines := strings.Split(strings.TrimSpace(listed), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "Make a.") || !strings.Contains(lines[2], "Make b.") {
		t.Fatalf("the prompts are %q", listed)
	}
	first, second := strings.Fields(lines[1])[0], strings.Fields(lines[2])[0]
	steps(
		restoreStep{[]string{"restore"}, 2, "of which session", "a.txt b.txt "},
		restoreStep{[]string{"restore", "9"}, 1, `there is no session "0009"`, "a.txt b.txt "},
		restoreStep{[]string{"restore", "1", "two"}, 2, `"two" is not the number of a prompt`, "a.txt b.txt "},
		restoreStep{[]string{"restore", "1", "1"}, 1, "1 is no prompt of this session", "a.txt b.txt "},
		restoreStep{[]string{"restore", "1", second, "--dry-run"}, 0, "would be removed: b.txt\n", "a.txt b.txt "},
		restoreStep{[]string{"restore", "1", second}, 0, "removed: b.txt\nTo take this back: agent-sidecar undo 0001 'undo#1'\nTo continue from before that prompt: agent-sidecar run --session 0002\n", "a.txt "},
		restoreStep{[]string{"restore", "2"}, 0, "Make a.", "a.txt "},
	)
	if err := os.WriteFile(a, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	steps(
		restoreStep{[]string{"restore", "1", first}, 1, "Nothing was done. To leave those files as they are: --skip-conflicts\n", "a.txt "},
		restoreStep{[]string{"restore", "1", first, "--skip-conflicts"}, 0, "To continue from before that prompt: agent-sidecar run --session 0003\n", "a.txt "},
	)
}

// restoreStep is one command line, and what is to come of it.
type restoreStep struct {
	args  []string
	code  int
	says  string
	there string
}
