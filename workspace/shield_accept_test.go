//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// What a job does to protected files is undone at its end. What an approved call, or
// the person in the editor, has done to them in the meantime is not.
func TestJobUndoesOnlyItsOwn(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			d := newToolset(w.v, Owner{Session: "0001"})
			tools := map[string]func(args string){}
			for _, one := range w.v.toolsAt(d) {
				tools[one.Spec().Name] = func(args string) {
					t.Helper()
					if r := outputtest.Run(t, one, args); r.Failed {
						t.Errorf("%s %s: %s", one.Spec().Name, args, r.Text)
					}
				}
			}
			job := newBash(w.v, "0001")
			p := bashPlan(t, job, map[string]any{"command": "until [ -e go ]; do sleep 0.02; done; " +
				"mkdir -p .husky .github; echo evil > .husky/pre-push; echo evil > .github/evil.yml; echo evil > .vscode/evil.json; echo evil > AGENTS.md; true", "background": true, "needs": "direct", "reason": "to test"})
			r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
			id := regexp.MustCompile(`job_\w{4}`).FindString(r.Text)
			if err != nil || r.Failed || id == "" {
				t.Fatalf("%+v %v", r, err)
			}

			tools["write"](`{"path": ".github/workflows/ci.yml", "content": "mine\n"}`)
			tools["read"](`{"path": ".vscode/tasks.json"}`)
			tools["edit"](`{"path": ".vscode/tasks.json", "old": "{}", "new": "{\"mine\": 1}"}`)
			tools["delete"](`{"path": "sub/.git/config"}`)
			envrc := filepath.Join(w.vault, ".envrc")
			if err := os.WriteFile(envrc, []byte("by hand\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w.v.DidOpen("file://"+envrc, 1, "by hand\n")
			w.v.DidSave("file://" + envrc)
			if err := os.WriteFile(filepath.Join(w.vault, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}

			r = outputtest.Run(t, newJobOutput(w.v, "0001"), `{"id": "`+id+`", "waitMs": 60000}`)
			for r.ExitCode == nil && !r.Failed {
				r = outputtest.Run(t, newJobOutput(w.v, "0001"), `{"id": "`+id+`", "waitMs": 60000}`)
			}
			if !strings.Contains(r.Text, "ended with exit code 0") || !strings.Contains(r.Text, "the sandbox undid") || !strings.Contains(r.Text, ".husky (created)") {
				t.Errorf("%s", r.Text)
			}
			for path, want := range map[string]string{
				".github/workflows/ci.yml": "mine\n", ".vscode/tasks.json": `{"mine": 1}`, ".envrc": "by hand\n", "AGENTS.md": "agents\n",
				".husky": "", ".husky/pre-push": "", ".github/evil.yml": "", ".vscode/evil.json": "", "sub/.git/config": "",
			} {
				text, err := os.ReadFile(filepath.Join(w.vault, path))
				if string(text) != want || (want == "") != os.IsNotExist(err) {
					t.Errorf("%s: %q %v, want %q", path, text, err, want)
				}
			}
		})
	}
}

// Not only files: a directory that an approved delete or an undo removes, and the place
// that an undo moves a file away from, are none of the job's doing either.
func TestJobLeavesDirectoriesAndUndoneMovesAlone(t *testing.T) {
	r := newRoom(t, map[string]string{".husky/sub/pre-push": "mine\n", "tasks.json": "{}"})
	r.v.shields.Names = protectedHere
	moved := r.did("move", "from", "tasks.json", "to", ".vscode/tasks.json")
	b := &sandboxRun{by: r.v.sandboxes, snapshot: r.v.shields.Snapshot(nil, true)}
	b.snapshot.Begin(r.v.shields.All(), false)
	r.v.began(b.snapshot, nil)
	r.did("delete", "path", ".husky", "recursive", true)
	r.wantUndo("moved tasks.json +0 −0", moved...)
	r.wantUndo("", tool.Change{Path: ".vscode", Kind: "created", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: 0o755}.Name()})
	r.v.ended(b.snapshot)
	if lines, err := b.snapshot.PutBack(nil); lines != nil || err != nil {
		t.Errorf("%q %v", lines, err)
	}
}
