package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A command that nobody was asked about does not run where the sandbox has become weaker
// since: not in the background either.
func TestBypassBoxedCommandInAWeakerSandbox(t *testing.T) {
	off := sandbox.Settings{Mode: "off"}
	network := sandbox.Settings{Network: true}
	for name, o := range map[string]Options{
		"no sandbox":  {},
		"landlock":    {Prober: sandbox.At(sandbox.Level{Name: proc.Landlock})},
		"turned off":  {Prober: sandbox.At(sandbox.Level{Name: proc.Namespaces}), Sandbox: func() sandbox.Settings { return off }},
		"the network": {Prober: sandbox.At(sandbox.Level{Name: proc.Namespaces}), Sandbox: func() sandbox.Settings { return network }},
	} {
		dir := t.TempDir()
		v, err := Open([]Folder{{Path: dir}}, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { v.Close() })
		for i := range 4 {
			background := i%2 == 1
			p := bashPlan(t, newBash(v, "0001"), map[string]any{"command": "echo x > made", "background": background})
			r, err := p.Run(t.Context(), tool.Grant{Sandbox: []tool.Sandboxing{tool.Sandboxed, tool.SandboxedReadOnly}[i/2]}, &outputtest.Kept{})
			if err != nil || !r.Failed || !strings.Contains(r.Text, "the sandbox cannot keep this command: ") || !strings.Contains(r.Text, "nothing was run") {
				t.Errorf("%s, background %v: %+v %v", name, background, r, err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}
