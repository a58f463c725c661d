package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const explainSettings = `{
  // mine
  "agents": {"runtime": {"permission": {"rules": [
    {"domain": "bash", "pattern": "git *", "decision": "ask"},
    {"domain": "bash", "pattern": "git status*", "decision": "allow"}
  ]}}}
}
`

// TestExplainPage writes what the command prints into the page that explains it.
func TestExplainPage(t *testing.T) {
	s := newShell(t, explainSettings)
	s.write(t, filepath.Join(s.dir, ".env"), "KEY=1\n")
	const script = `{"command": "git status && cat .env"}`
	out, err := s.command(t, "explain", "bash", script, "--trust-client").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(out), s.home, "/home/me")
	holdGenerated(t, "docs/permissions.md", "explain", "```text\n$ agent-sidecar explain bash '"+script+"' --trust-client\n"+text+"```\n")
}

// One row a call: what it exits with, and what stands in what it prints.
func TestExplainCommand(t *testing.T) {
	s := newShell(t, explainSettings)
	s.write(t, filepath.Join(s.dir, "a.go"), "package a\n")
	config := filepath.Join(s.home, ".agent-sidecar", "config.jsonc")
	for _, row := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"bash", `{"command": "git status"}`}, 0, []string{"ASK  bash: git status", "this workspace is not trusted yet", "lost       ask    git *", "won        allow  git status*  config, " + config + ":5", "by trust:  ask"}},
		{[]string{"bash", `{"command": "git status"}`, "--trust-client"}, 0, []string{"ALLOW  bash: git status", config + ":4 (a later rule decides)"}},
		{[]string{"bash", `{"command": "git status"}`, "--trust-client", "--agent", "plan"}, 0, []string{"DENY", "agent plan", `by agent:  deny   Denied: the agent "plan" may not use bash.`}},
		{[]string{"bash", `{"command": "rm -rf /"}`}, 0, []string{"DENY  bash: rm -rf /", "Blocked, whatever the rules say", "hard limit:"}},
		{[]string{"edit", `{"path": "a.go", "old": "x", "new": "y"}`, "--trust-client"}, 0, []string{"ALLOW  edit a.go"}}, // neither read nor there
		{[]string{"read", `{"path": "` + config + `"}`}, 0, []string{"DENY", "the sidecar's own directory"}},
		{[]string{"read", `{"path": "a\u202e.go"}`}, 0, []string{`a\u202e.go`}},
		{[]string{"ls"}, 0, []string{"ALLOW"}},
		{[]string{}, 2, []string{"which call?"}},
		{[]string{"read", `{"pathh": "a.go"}`}, 2, []string{`unknown argument "pathh"`}},
		{[]string{"read", `{`}, 2, []string{"not valid JSON"}},
		{[]string{"frobnicate", `{}`}, 2, []string{`there is no tool "frobnicate"; available: read, `}},
		{[]string{"read", `{"path": "a.go"}`, "--agent", "nobody"}, 2, []string{`there is no agent "nobody"; available: build, plan`}},
		{[]string{"read", `{"path": "a.go"}`, "more"}, 2, []string{"one word too many"}},
	} {
		cmd := s.command(t, append([]string{"explain"}, row.args...)...)
		out, err := cmd.CombinedOutput()
		code := 0
		if exit, ok := err.(*exec.ExitError); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != row.code {
			t.Errorf("%q: exit %d\n%s", row.args, code, out)
		}
		for _, want := range row.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q: no %q in\n%s", row.args, want, out)
			}
		}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " ") != line || strings.Contains(line, "\x1b") {
				t.Errorf("%q: %q ends in blanks or has colours", row.args, line)
			}
		}
	}
	// Nothing was written: no session, no audit, no artifacts.
	for dir, want := range map[string]string{filepath.Join(s.home, ".agent-sidecar"): "autoallow config.jsonc", s.dir: "a.go"} {
		if left := strings.Join(list(t, dir), " "); left != want {
			t.Errorf("%s: %s", dir, left)
		}
	}
}

// Looking removes nothing either, not even artifacts that are due, and a file that
// was never read is looked at all the same: a second name of it asks.
func TestExplainLeavesWhatIsOld(t *testing.T) {
	s := newShell(t, "")
	old := filepath.Join(s.dir, ".agent-output", "0001", "20200101T000000Z_bash_c1_0a1b2c3d.txt")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, old, "old\n")
	s.write(t, filepath.Join(s.dir, "a.txt"), "x\n")
	long := time.Now().Add(-365 * 24 * time.Hour)
	if err := errors.Join(os.Chtimes(old, long, long), os.Link(filepath.Join(s.dir, "a.txt"), filepath.Join(s.dir, "b.txt"))); err != nil {
		t.Fatal(err)
	}
	out, err := s.command(t, "explain", "write", `{"path": "a.txt", "content": "y"}`, "--trust-client").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "by call:") || !strings.Contains(string(out), "hard links") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}

// Bypass: with a home that is a link, the file behind it was not recognised as
// the sidecar's own.
func TestHomeBehindALink(t *testing.T) {
	s := newShell(t, explainSettings)
	link := filepath.Join(filepath.Dir(s.home), "link")
	if err := os.Symlink(filepath.Join(s.home, ".agent-sidecar"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(s.home, ".agent-sidecar")} {
		out, err := s.command(t, "--home", link, "explain", "read", `{"path": "`+path+`/config.jsonc"}`).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "the sidecar's own directory") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
