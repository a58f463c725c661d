//go:build linux

package workspace

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestSandboxBounds: what an agent is held to holds at every level, and more than
// the configuration gives nobody gets. needs are as if somebody had said yes.
func TestSandboxBounds(t *testing.T) {
	folder := tool.Bounds{Within: []string{"vault:/work"}}
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{Mode: "off", Network: true})
			wide := newWorld(t, l, sandbox.Settings{Network: true, Writable: []string{w.base}})
			for _, w := range []*world{w, wide} {
				if err := os.MkdirAll(w.vault+"/work/deep", 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, row := range []struct {
				name    string
				w       *world
				bounds  tool.Bounds
				needs   string
				command string
				want    string
				fails   bool // want is a part of why
			}{
				{"inside", w, folder, "", "echo x > work/new && mv work/new work/deep/ && cat main.go work/deep/new", "package main\nx\n", false},
				{"beside", w, folder, "", "(echo x > new; echo x > main.go; rm main.go; mv work away; mkdir d; ln main.go work/hard; echo x >> .git/index) 2>/dev/null; export LC_ALL=C; ls; ls .git", "AGENTS.md\nlink\nmain.go\nsub\nwork\nHEAD\nconfig\nhooks\ninfo\nobjects\nrefs\n", false},
				{"outside", w, folder, "unconfined", "(echo x > $OUT/new) 2>/dev/null || echo refused", "refused\n", false},
				{"a writable around it", wide, folder, "", "(echo x > new; echo x > ../outside) 2>/dev/null; echo x > work/new; LC_ALL=C ls; cat work/new", "AGENTS.md\nlink\nmain.go\nsub\nwork\nx\n", false},
				{"two, one in the other", w, folder.And(tool.Bounds{Within: []string{"vault:/work/deep"}}), "", "(echo x > work/beside) 2>/dev/null; echo x > work/deep/there && ls work", "deep\n", false},
				{"two that are apart", w, folder.And(tool.Bounds{Within: []string{"vault:/sub"}}), "", "(echo x > work/y || echo x > sub/y) 2>/dev/null || echo refused", "refused\n", false},
				{"a folder that is not there", w, tool.Bounds{Within: []string{"nowhere:/"}}, "", "echo ran", "prepare the sandbox: the folder of the agent: ", true},
				{"a folder that leads out", w, tool.Bounds{Within: []string{"vault:/link"}}, "", "echo ran", "leads out of the workspace", true},
				{"confined", w, tool.Bounds{Confined: true}, "unconfined", "(echo x > $OUT/new) 2>/dev/null || echo refused", "refused\n", false},
				{"with a network", wide, tool.Bounds{Confined: true}, "", probeNetwork, "network\n", false},
				{"offline", wide, tool.Bounds{Offline: true}, "network", probeNetwork, "no network\n", false},
				{"nothing to ask for", w, tool.Bounds{Offline: true}, "", "echo network is unreachable >&2; exit 1", "network is unreachable\n(exit code 1)", false},
				{"no way out to ask for", wide, tool.Bounds{Confined: true}, "", "echo permission denied >&2; exit 1", "permission denied\n(exit code 1)", false},
				{"offline, no sandbox", w, tool.Bounds{Offline: true}, "unconfined", probeNetwork, "no network\n", false},
			} {
				text := runBound(t, row.w, row.bounds, row.needs, row.command)
				if text != row.want && !(row.fails && strings.Contains(text, row.want)) {
					t.Errorf("%s: %q, want %q", row.name, text, row.want)
				}
			}
		})
	}
}

// probeNetwork tries to reach a server of this machine, which a command without a
// network does not at any level.
const probeNetwork = `if (exec 3<>/dev/tcp/127.0.0.1/$TCPPORT) 2>/dev/null; then echo network; else echo no network; fi`

// runBound is a command that was allowed, of an agent that is held to something.
func runBound(t *testing.T, w *world, b tool.Bounds, needs, command string) string {
	t.Helper()
	here, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	_, port, _ := net.SplitHostPort(here.Addr().String())
	p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": w.fill(strings.ReplaceAll(command, "$TCPPORT", port))})
	r, err := p.Run(t.Context(), tool.Grant{Bounds: b, Needs: tool.Needs(nil).With(tool.Need(needs))}, &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// TestBoundsNeedASandbox: where none works, what an agent is held to is not quietly
// left out.
func TestBoundsNeedASandbox(t *testing.T) {
	w := newWorld(t, sandbox.Level{Name: proc.None}, sandbox.Settings{})
	for _, b := range []tool.Bounds{{Confined: true}, {Offline: true}, {Within: []string{"vault:/"}}} {
		text := runBound(t, w, b, "unconfined", "echo ran > ran")
		if _, err := os.Stat(w.vault + "/ran"); err == nil || !strings.Contains(text, "no sandbox works on this machine, and the agent needs one") {
			t.Errorf("%+v: %q, %v", b, text, err)
		}
	}
}

// TestFolder: a folder is one of the Vault, or none.
func TestFolder(t *testing.T) {
	w := newWorld(t, sandbox.Level{Name: proc.None}, sandbox.Settings{})
	if err := os.Symlink("sub", filepath.Join(w.vault, "inner")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"sub": "vault:/sub", "vault:/sub": "vault:/sub", ".": "vault:/", "vault:/": "vault:/", "inner": "vault:/sub", "vault@vault:/sub": "vault:/sub",
		"link": "link leads out of the workspace", "link/dir": "leads out of the workspace", "main.go": "main.go is not a directory", "gone": "gone: ", "../outside": "leads out of the workspace",
		"vault@lib:/x": `no folder is named "lib"`, "": "empty", "a\x00b": "NUL",
	} {
		object, err := w.v.Folder(name)
		if strings.HasPrefix(want, "vault:/") != (err == nil) || err == nil && object != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v; want %s", name, object, err, want)
		}
	}
}

// A command in the background is held to the same, for as long as it runs.
func TestJobInBounds(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{Mode: "off"})
			if err := os.Mkdir(w.vault+"/work", 0o755); err != nil {
				t.Fatal(err)
			}
			p := bashPlan(t, newBash(w.v, "1"), map[string]any{"background": true, "needs": "direct", "reason": "to test",
				"command": "until [ -e go ]; do sleep 0.02; done; (echo x > beside) 2>/dev/null; echo x > work/made"})
			r, err := p.Run(t.Context(), tool.Grant{Needs: p.Needs, Bounds: tool.Bounds{Within: []string{"vault:/work"}}}, &outputtest.Kept{})
			m := jobName.FindStringSubmatch(r.Text)
			if err != nil || m == nil {
				t.Fatalf("%+v %v", r, err)
			}
			if err := os.WriteFile(w.vault+"/go", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			outputtest.Run(t, newJobOutput(w.v, "1"), `{"id": "`+m[1]+`", "waitMs": 60000, "offset": 0}`)
			if _, err := os.Stat(w.vault + "/work/made"); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(w.vault + "/beside"); err == nil {
				t.Error("it has written beside its folder")
			}
		})
	}
}

// The user's own tools are started under what holds the agent that calls them, also
// where they have been given a network.
func TestExternalInBounds(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{Mode: "off"})
			here, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer here.Close()
			_, port, _ := net.SplitHostPort(here.Addr().String())
			if err := os.Mkdir(w.vault+"/work", 0o755); err != nil {
				t.Fatal(err)
			}
			spec := ExternalSpec{Command: []string{"bash", "-c", "(echo x > beside) 2>/dev/null; echo x > work/made; " + strings.ReplaceAll(probeNetwork, "$TCPPORT", port)}, Network: true}
			p, err := newExternal(w.v, "own", w.home+"/tools/own", spec).Plan([]byte("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Run(t.Context(), tool.Grant{Bounds: tool.Bounds{Offline: true, Within: []string{"vault:/work"}}}, &outputtest.Kept{})
			if err != nil || r.Text != "no network\n" {
				t.Errorf("%+v %v", r, err)
			}
			if _, err := os.Stat(w.vault + "/work/made"); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(w.vault + "/beside"); err == nil {
				t.Error("it has written beside the agent's folder")
			}
		})
	}
}
