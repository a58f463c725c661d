package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// doctor lists the runners and starts the command of none. Named ones are really reached: it
// says how long the way is, what is there, and of one that cannot be reached why.
func TestDoctorReachesRunners(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, "")
	far := filepath.Join(s.home, "far")
	if err := os.MkdirAll(filepath.Join(far, "w"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{"runners": {
  "box": {"up": ["sh", "-c", "echo up >> up.txt"], "connect": ["sh", "-c", "HOME=$HOME/far exec `+path+` worker"], "folder": "~/w"},
  "pods": {"up": ["sh", "-c", "echo {name} >> up.txt"], "connect": ["sh", "-c", "exit 1", "{name}"], "folder": "~/w"},
  "away": {"connect": ["sh", "-c", "echo 'Permission denied (publickey).' >&2; exit 255"], "folder": "~/w"}}}`)
	up := filepath.Join(s.home, "up.txt")
	_, out, errs := s.run(t, "", "doctor", "--offline")
	for _, says := range []string{`info  runner     box: sh -c `, "(not tried; agent-sidecar doctor box does)", "info  runner     away: "} {
		if !strings.Contains(out, says) {
			t.Errorf("doctor does not say %q:\n%s%s", says, out, errs)
		}
	}
	if _, err := os.Stat(up); err == nil {
		t.Error("doctor has started a machine that nobody has named")
	}
	code, out, errs := s.run(t, "", "doctor", "box", "pods", "away", "nowhere")
	for _, says := range []string{
		`(?m)^ok    runner     box: reached in \d.*s; one question takes (< 1 ms|\d+ms)$`,
		`(?m)^info  runner     box: agent-sidecar .*, linux, in ` + regexp.QuoteMeta(filepath.Join(far, "w")) + `$`,
		`(?m)^info  runner     box: commands there: (full|partial|none)`,
		`(?m)^info  runner     pods: not tried, because each session`,
		`(?m)^FAIL  runner     away: not reached: it ended with exit code 255; it said: Permission denied \(publickey\)\.$`,
		`(?m)^FAIL  runner     nowhere: the configuration has no such runner; it has: box, pods, away$`,
	} {
		if !regexp.MustCompile(says).MatchString(out) {
			t.Errorf("doctor does not say %s", says)
		}
	}
	if code != 1 || errs != "" || strings.Contains(out, "shell") {
		t.Errorf("exit %d, stderr %q", code, errs)
	}
	if t.Failed() {
		t.Log(out)
	}
	if text, err := os.ReadFile(up); err != nil || string(text) != "up\n" {
		t.Errorf("up was run: %q %v", text, err)
	}
}
