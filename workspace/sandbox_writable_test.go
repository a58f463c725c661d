//go:build linux

package workspace

import (
	"os"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A careless `sandbox.writable` that names the home, or what is around it, opens
// neither the secrets in it nor the files that the person's own programs obey.
func TestSandboxWritableHome(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			for _, writable := range []string{"~", "around"} {
				w := newWorld(t, l, sandbox.Settings{})
				if writable == "around" {
					writable = w.base
				}
				if err := os.Mkdir(w.user+"/.cache", 0o755); err != nil {
					t.Fatal(err)
				}
				w.v.sandbox = func() sandbox.Settings { return sandbox.Settings{Writable: []string{writable, "~/.cache"}} }
				if err := os.Mkdir(w.user+"/dir", 0o755); err != nil {
					t.Fatal(err)
				}
				if text, failed := w.run(t, "echo x > $USER/dir/new && echo x > $USER/.cache/new"); failed || !exists(w.user+"/dir/new") || !exists(w.user+"/.cache/new") {
					t.Errorf("%s: what was named cannot be written: %s", writable, text)
				}
				for _, command := range []string{
					"echo evil >> $USER/.bashrc", "mv $USER/.bashrc $USER/x", "cat $USER/.ssh/id_rsa", "cat $SIDECAR/config.jsonc", "echo evil > $SIDECAR/config.jsonc",
				} {
					if text, failed := w.run(t, command); !failed {
						t.Errorf("%s: %s: %s", writable, command, text)
					}
				}
				if text, err := os.ReadFile(w.user + "/.bashrc"); string(text) != "# mine\n" {
					t.Errorf("%s: .bashrc is %q, %v", writable, text, err)
				}
			}
		})
	}
}
