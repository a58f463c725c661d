//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Bypass: git's configuration names hooks, a file with more of itself, and a program that
// are not there yet; a confined command makes them, or changes what is there.
func TestBypassCommandMakesWhatGitIsTold(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			for path, text := range map[string]string{
				w.vault + "/.git/config": "[core]\n\thooksPath = tools/hooks\n\tfsmonitor = tools/watch.sh\n[include]\n\tpath = ../build/extra.conf\n[filter \"x\"]\n\tclean = python3 clean.py\n",
				w.vault + "/clean.py":    "good\n", w.user + "/.gitconfig": "[diff]\n\texternal = ./tools/diff.sh\n",
			} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, _ := w.run(t, "mkdir -p tools/hooks build; for f in tools/hooks/pre-commit tools/watch.sh tools/diff.sh build/extra.conf clean.py; do echo evil > $f; done; echo plain > tools/plain.sh")
			for _, name := range []string{"tools/hooks/pre-commit", "tools/watch.sh", "tools/diff.sh", "build/extra.conf", "clean.py"} {
				if got, _ := os.ReadFile(filepath.Join(w.vault, name)); strings.Contains(string(got), "evil") {
					t.Errorf("%s is there: %s", name, text)
				}
			}
			if _, err := os.Stat(w.vault + "/tools/plain.sh"); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
