package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// Where nobody can ask the disk, a glob is held against samples that package
// shell has. They must stand for all of the lists here.
func TestSamplesStandForTheLists(t *testing.T) {
	for domain, patterns := range map[string][]string{"read": sensitivePatterns, "edit": protectedPatterns} {
		for _, pattern := range patterns {
			if u := (shell.Use{Domain: domain, Word: pattern, Glob: true}); !u.MightName() {
				t.Errorf("%s: no sample in shell stands for %q", domain, pattern)
			}
		}
	}
	if u := (shell.Use{Domain: "read", Word: "*.go", Glob: true}); u.MightName() {
		t.Error("*.go may name a sensitive file")
	}
}
