package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAuditCommand: two real runs, and then whatever somebody could do to what
// they left: every line of it shows, also at the end of the file, where the chain
// alone cannot tell.
func TestAuditCommand(t *testing.T) {
	const script = `call c1 bash {"command": "echo \u001b[2J\u202e > made.txt"}
call c2 ls {"path": "."}
---
say Done.
---
call c3 ls {"path": "."}
---
say Done.`
	s := scriptedShell(t, "", script)
	if code, out, _ := s.run(t, "", "audit", "show"); code != 0 || out != "There is no audit here yet.\n" {
		t.Errorf("%d %q", code, out)
	}
	for range 2 {
		if code, out, errs := s.run(t, "", "run", "--yes", "go"); code != 0 {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	found, err := filepath.Glob(filepath.Join(s.home, ".agent-sidecar/logs/agent-audit/*/000*.jsonl"))
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	one, two := found[0], found[1]
	made := filepath.Join(s.home, ".agent-sidecar/logs/agent-audit/none/sessions.jsonl")
	good, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(good), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}

	code, out, errs := s.run(t, "", "audit", "show", "0001")
	if code != 0 || errs != "" || strings.Count(out, "\n") != 2 || strings.ContainsAny(out, "\x1b\u202e") ||
		!strings.Contains(out, "<U+001B>[2J") || !strings.Contains(out, `agent       allow   bash       client         c1`) || !strings.Contains(out, `allow   read       default        c2         "vault:/**" (built-in)`) {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
	if code, out, _ := s.run(t, "", "audit", "show"); code != 0 || strings.Count(out, "\n") != 5 || strings.Count(out, "== ") != 2 {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out, _ := s.run(t, "", "audit", "verify"); code != 0 || out != "ok   "+made+": 2 lines\nok   "+one+": 2 lines\nok   "+two+": 1 lines\n" {
		t.Errorf("%d\n%s", code, out)
	}

	for _, row := range []struct {
		name string
		text string // of the first audit, "-" takes it away
		args []string
		code int
		says string
	}{
		{name: "by session", text: string(good), args: []string{"verify", "0001"}, says: "ok   " + one + ": 2 lines"},
		{name: "by file", text: string(good), args: []string{"verify", one}, says: "ok   " + one + ": 2 lines"},
		{name: "a byte", text: strings.Replace(string(good), `"allow"`, `"Allow"`, 1), code: 1, says: "BAD  " + one + ":1: the line was changed"},
		{name: "the end", text: lines[0], code: 1, says: "BAD  " + one + ": the session's log names the line with hash "},
		{name: "the end, by file", text: lines[0], args: []string{"verify", one}, code: 1, says: "lines were cut off"},
		{name: "the beginning", text: lines[1] + "\n", code: 1, says: ":1: a line before this one"},
		{name: "another session's", text: string(other), code: 1, says: ":1: the line is of session \"0002\""},
		{name: "empty", text: "", code: 1, says: "lines were cut off"},
		{name: "gone", text: "-", code: 1, says: "lines were cut off"},
		{name: "torn", text: string(good[:len(good)-9]), code: 1, says: ":2: the line is torn"},
		{name: "show says so too", text: lines[0], args: []string{"show", "0001"}, code: 1, says: "this audit has been changed"},
		{name: "show of what is no line", text: "\x1b[31m\n" + lines[1] + "\n", args: []string{"show", "0001"}, code: 1, says: "? <U+001B>[31m\n"},
		{name: "no such session", text: string(good), args: []string{"show", "0009"}, code: 1, says: `there is no audit of a session "0009"`},
		{name: "no such file", text: string(good), args: []string{"verify", "./x.jsonl"}, code: 1, says: "file does not exist"},
		{name: "neither", text: string(good), args: []string{"frob"}, code: 2, says: "verify [session|file]"},
		{name: "two words", text: string(good), args: []string{"verify", "0001", "0002"}, code: 2, says: "verify [session|file]"},
	} {
		if row.text == "-" {
			err = os.Remove(one)
		} else {
			err = os.WriteFile(one, []byte(row.text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		args := row.args
		if args == nil {
			args = []string{"verify"}
		}
		code, out, errs := s.run(t, "", append([]string{"audit"}, args...)...)
		if code != row.code || !strings.Contains(out+errs, row.says) || strings.ContainsAny(out+errs, "\x1b") {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", row.name, code, row.code, row.says, out, errs)
		}
	}

	// A copy elsewhere has only its own chain; the same id in two workspaces is named.
	copied := filepath.Join(s.dir, "0001.jsonl")
	s.write(t, copied, lines[0])
	if code, out, _ := s.run(t, "", "audit", "verify", "0001.jsonl"); code != 0 || !strings.Contains(out, "1 lines") {
		t.Errorf("%d %s", code, out)
	}
	second := filepath.Join(s.home, ".agent-sidecar/logs/agent-audit/other-1")
	for _, dir := range []string{second, second + "b"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.write(t, filepath.Join(dir, "0007.jsonl"), "")
	}
	if code, _, errs := s.run(t, "", "audit", "show", "0007"); code != 1 || !strings.Contains(errs, "in several workspaces") {
		t.Errorf("%d %s", code, errs)
	}
	if i := slices.IndexFunc(list(t, s.dir), func(name string) bool { return strings.HasSuffix(name, ".lock") }); i >= 0 {
		t.Error("verifying a copy leaves a lock beside it")
	}
}
