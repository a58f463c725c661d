package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFlagsOfAnotherCommand: a flag that the command does not know is refused with
// a sentence, whatever the flag and the command, and nothing is done.
func TestFlagsOfAnotherCommand(t *testing.T) {
	t.Setenv("LC_ALL", "C") // what is said is in the language of the environment
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	home := filepath.Join(t.TempDir(), "home")
	table := (&program{}).flags()
	known := []string{"home", "log"}
	table.VisitAll(func(f *flag.Flag) {
		of := table.commands[f.Name]
		if (of == nil) != slices.Contains(known, f.Name) {
			t.Errorf("--%s: for %v", f.Name, of)
		}
		for _, name := range of {
			if !slices.ContainsFunc(commands(), func(c command) bool { return c.name == name }) {
				t.Errorf("--%s is for %q, which is no command", f.Name, name)
			}
		}
		given := dashed(f.Name) + "=1"
		for _, c := range commands() {
			if of == nil || slices.Contains(of, c.name) {
				if table := (&program{}).flags(); table.Parse([]string{given}) != nil || !table.misplaced(c.name).IsZero() {
					t.Errorf("%s %s is refused", c.name, given)
				}
				continue
			}
			for _, args := range [][]string{{c.name, given}, {given, c.name, "word"}, {c.name, "word", given}} {
				var errs bytes.Buffer
				code := run(append([]string{"--home", home}, args...), null, null, &errs)
				if code != 2 || !strings.Contains(errs.String(), dashed(f.Name)+" is a flag of "+strings.Join(of, ", ")+", not of "+c.name+"\n") {
					t.Errorf("%v: exit %d, %s", args, code, errs.String())
				}
			}
		}
	})
	if _, err := os.Stat(home); err == nil {
		t.Error("something was done")
	}
}

// TestRunGoesOn: a session is gone on with by its number, with or without zeros, or
// as the newest one; no other is made.
func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", "say One.\n---\nsay Two.\n---\nsay Three.\n---\nsay Four.")
	for _, step := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"run", "-c", "a"}, 1, "there is no session here to go on with"},
		{[]string{"run", "--session", "1", "a"}, 1, `there is no session "0001"`},
		{[]string{"run", "first"}, 0, "One."},
		{[]string{"run", "-c", "second"}, 0, "Session 0001: first\n"},
		{[]string{"run", "--session", "1", "third"}, 0, "Three."},
		{[]string{"run", "--session", "0001", "--continue", "x"}, 2, "only one of --continue, --session and --resume"},
		{[]string{"run", "--resume", "x"}, 1, "no session was chosen"},
		{[]string{"sessions"}, 0, "0001  idle"},
		{[]string{"export", "1"}, 0, `"0001"`},
		{[]string{"replay", "1"}, 0, "You: third"},
		{[]string{"prompt", "--session", "01"}, 0, "    second\n"},
		{[]string{"undo", "1"}, 0, "nothing to undo"},
	} {
		code, out, errs := s.run(t, "", step.args...)
		if code != step.code || !strings.Contains(out+errs, step.says) || strings.Contains(out, "0002") {
			t.Errorf("%v: exit %d, want %d and %q: %s%.2000s", step.args, code, step.code, step.says, errs, out)
		}
	}
}

// TestRunResumes: a session is chosen from a list by its number, with or without zeros.
func TestRunResumes(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", "say One.\n---\nsay Two.\n---\nsay Three.")
	s.run(t, "", "run", "the first")
	s.run(t, "", "run", "the second")
	code, out, errs := s.typed(t, "n\n9\n1\n", "run", "--resume", "--trust-client", "third")
	if code != 0 || !strings.Contains(out, "  0002  the second\n  0001  the first\n") || !strings.Contains(out, `There is no session "9" here.`) || !strings.Contains(out, "Session 0001: the first\n") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
}

// TestRunRefused: what was refused because nobody could be asked is counted at the end, and is
// the exit code, also where the run failed; a limit comes before it.
func TestRunRefused(t *testing.T) {
	t.Parallel()
	write := "call c1 write {\"path\": \"a.txt\", \"content\": \"x\"}\ncall c2 write {\"path\": \"b.txt\", \"content\": \"x\"}\n---\n"
	for _, c := range []struct {
		settings, script string
		code             int
		counted          string
	}{
		{"", write + "say Not made.", exitRefused, "Refused because nobody could be asked: 2 ("},
		{"", write + "status 401 {}", exitRefused, "Refused because nobody could be asked: 2 ("},
		{`{"agents": {"runtime": {"limits": {"maxTurns": 1}}}}`, write + "say never", exitLimit, "Refused because nobody could be asked: 2 ("},
		{"", "status 401 {}", exitFailed, ""},
	} {
		s := scriptedShell(t, c.settings, c.script)
		code, out, errs := s.run(t, "", "run", "--mode", "ask", "Go.")
		if code != c.code || !strings.Contains(out+errs, c.counted) || c.counted == "" && strings.Contains(out, "Refused because") {
			t.Errorf("%s: exit %d: %s%s", c.script, code, out, errs)
		}
	}
}

// TestRunIntoALimit: a limit that ends a run has its own exit code.
func TestRunIntoALimit(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, `{"agents": {"runtime": {"limits": {"maxTurns": 1}}}}`, "call c1 ls {}\n---\nsay never")
	if code, out, errs := s.run(t, "", "run", "Go."); code != exitLimit {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
