package control

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/names"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// Where nobody can ask the disk, a glob is held against samples that package
// shell has. They must stand for all of the lists here.
func TestSamplesStandForTheLists(t *testing.T) {
	for domain, patterns := range map[string][]string{
		"read": slices.Concat(sensitivePatterns, names.Sensitive), "edit": slices.Concat(protectedPatterns, names.Sensitive, names.Obeyed),
	} {
		for _, pattern := range patterns {
			if u := (shell.Use{Domain: domain, Word: pattern, Glob: true}); !u.MightName() {
				t.Errorf("%s: no sample in shell stands for %q", domain, pattern)
			}
		}
	}
	for pattern, want := range map[string]string{
		"*.go": "", "src/[a-z]*.go": "", "[a-m]*.ts": "", "Make{file,x}": "", "[a-z]*.c": "",
		"*.jks": "read edit", ".git-cred*": "read edit", "[a-z]*.kdbx": "read edit", "release.[a-z]*": "read edit", "x/.pg?ass": "read edit", ".[a-z]*": "read edit",
		"terraform.tfst[a-z]te": "read edit", "[s]ecrets.y*": "read edit", ".dock?r/conf*": "read edit", ".travis.[a-z]ml": "edit", ".gitea/[a-z]*": "read edit", "lefthook.[y]ml": "edit", "**/*.pyc": "", "*/build": "", "src/*/[a-z]*.go": "",
	} {
		for _, domain := range []string{"read", "edit"} {
			u := shell.Use{Domain: domain, Word: pattern, Glob: true}
			if got := u.MightName(); got != slices.Contains(strings.Fields(want), domain) {
				t.Errorf("%s %s: %v", domain, pattern, got)
			}
		}
	}
}
