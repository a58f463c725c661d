//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A confined command sees the folders through mounts of its own: what it changes there
// is noticed all the same, in a tree that is known already and not read again.
func TestSandboxChangesAreNoticed(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			deep := filepath.Join(w.vault, "a", "b", "c")
			if err := os.MkdirAll(deep, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(deep, "x"), []byte("1\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, row := range []struct{ command, want string }{
				{"true", ""},
				{"true", ""},
				{"echo 2 > a/b/c/x", "modified a/b/c/x"},
				{"true", ""},
				{"mkdir -p a/d/e && echo 3 > a/d/e/y", "created a/d/, created a/d/e/, created a/d/e/y"},
				{"echo 4 > a/d/e/y", "modified a/d/e/y"},
				{"mv a/d f", "created f/, created f/e/, moved f/e/y from a/d/e/y, deleted a/d/e/, deleted a/d/"},
				{"echo 5 > f/e/y; rm -r a", "deleted a/b/c/x, modified f/e/y, deleted a/b/c/, deleted a/b/, deleted a/"},
			} {
				r := bashRun(t, newBash(w.v, "0001"), row.command)
				if got := changed(r.Changes); got != row.want {
					t.Errorf("%s: %s, want %s (%s)", row.command, got, row.want, r.Text)
				}
			}
			// Nor does a name of git's pass where nothing else has changed for long.
			for _, command := range []string{"mkdir -p f/e/.git && echo x > f/e/.git/config", "mkdir g && cd g && mkdir objects refs && echo 'ref: refs/heads/m' > HEAD"} {
				bashRun(t, newBash(w.v, "0001"), command)
			}
			for _, gone := range []string{"f/e/.git", "g/HEAD"} {
				if _, err := os.Lstat(filepath.Join(w.vault, gone)); err == nil {
					t.Errorf("%s is there", gone)
				}
			}
		})
	}
}
