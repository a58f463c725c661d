//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestAnOlderHomeIsAskedInTheTerminal: where commands could run in the sandbox without a
// question, whoever is at the terminal says once whether they may. The end of the input
// and --yes are no answer, and an untrusted folder has nothing to ask.
func TestAnOlderHomeIsAskedInTheTerminal(t *testing.T) {
	if defaultAutoAllow() == "off" {
		t.Skip("not run: commands ask in every home, unless its configuration says otherwise")
	}
	if report := sandbox.NewProber("").Report(sandbox.Settings{}); !report.Whole() {
		t.Skipf("not run: the sandbox has not every wall here: %+v", report)
	}
	const question = "Run commands in the sandbox without asking you?"
	for _, row := range []struct {
		name, input, flag string
		asked             bool
		stored            string // in the configuration
		unasked           bool   // the command ran without a question
	}{
		{"yes", "y\ny\n", "", true, `"autoAllow": "workspace"`, true},
		{"no", "y\nn\n", "", true, `"autoAllow": "off"`, false},
		{"Enter", "y\n\n", "", true, `"autoAllow": "off"`, false},
		{"the end of the input", "y\n", "", true, "", false},
		{"nobody", "", "--trust-client", false, "", false},
		{"the flag --yes", "", "--yes", false, "", false},
		{"an untrusted folder", "n\ny\n", "", false, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, "", "call c1 bash {\"command\": \"echo x\"}\n---\nsay Hello.\n---\nsay Again.")
			home := filepath.Join(s.home, ".agent-sidecar")
			must(t, os.Remove(filepath.Join(home, "autoallow")), os.Mkdir(filepath.Join(home, "sessions"), 0o700))
			args := []string{"run", row.flag, "hi"}
			if row.flag == "" {
				args = []string{"run", "hi"}
			}
			_, out, errs := s.answered(t, row.input, args...)
			text, _ := os.ReadFile(filepath.Join(home, "config.jsonc"))
			if strings.Contains(out, question) != row.asked || strings.Contains(string(text), "autoAllow") != (row.stored != "") || !strings.Contains(string(text), row.stored) || strings.Contains(out, "in the sandbox\n") != row.unasked {
				t.Errorf("%s\nconfiguration %s\n%s", errs, text, out)
			}
			audits, _ := filepath.Glob(filepath.Join(home, "logs/agent-audit/*/config.jsonl"))
			audited := ""
			for _, path := range audits {
				text, _ := os.ReadFile(path)
				audited += string(text)
			}
			if strings.Contains(audited, question) != (row.stored != "") {
				t.Errorf("the audit: %s", audited)
			}
			if row.stored != "" {
				if _, out, _ = s.answered(t, "y\n", "run", "again"); strings.Contains(out, question) {
					t.Errorf("asked again:\n%s", out)
				}
			}
		})
	}
}

// A home that only a command of the configuration has used is still a new one.
func TestConfigSetMakesNoHomeOld(t *testing.T) {
	s := newShell(t, "")
	home := filepath.Join(s.home, ".agent-sidecar")
	must(t, os.RemoveAll(home))
	for _, set := range [][]string{{"model", "p/x"}, {"agents.runtime.limits.maxTurns", "5"}} {
		if code, _, errs := s.run(t, "", "config", "set", set[0], set[1]); code != 0 {
			t.Fatal(errs)
		}
	}
	if _, out, _ := s.run(t, "", "config", "get", "agents.runtime.sandbox.autoAllow"); !strings.HasPrefix(out, `"`+defaultAutoAllow()+`"`) {
		t.Errorf("%s", out)
	}
}
