//go:build linux

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Bypass: a job waits until a protected file is made or changed by an approved call,
// or saved by the person, and then changes it. What was accepted is what the call or
// the person has written, not what the job makes of it. A file that takes another's
// place is not read-only for the job any more, at no level.
func TestBypassJobChangesWhatWasAccepted(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			d := newToolset(w.v, Owner{Session: "0001"})
			run := func(name, args string) {
				t.Helper()
				for _, one := range w.v.toolsAt(d) {
					if one.Spec().Name != name {
						continue
					}
					if r := outputtest.Run(t, one, args); r.Failed {
						t.Errorf("%s %s: %s", name, args, r.Text)
					}
				}
			}
			id := startJob(t, w.v, "0001", "until [ -e go ]; do sleep 0.02; done; "+
				"for f in .github/workflows/ci.yml AGENTS.md .envrc; do echo evil >> $f; done; true", "direct")
			run("write", `{"path": ".github/workflows/ci.yml", "content": "mine\n"}`)
			run("read", `{"path": "AGENTS.md"}`)
			run("edit", `{"path": "AGENTS.md", "old": "agents", "new": "mine"}`)
			envrc := filepath.Join(w.vault, ".envrc")
			w.v.DidOpen("file://"+envrc, 1, "by hand\n")
			if err := os.WriteFile(envrc, []byte("by hand\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w.v.DidSave("file://" + envrc)
			if err := os.WriteFile(filepath.Join(w.vault, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			text := readTo(t, w.v, id, "ended with exit code")
			for path, want := range map[string]string{".github/workflows/ci.yml": "mine\n", "AGENTS.md": "mine\n", ".envrc": "by hand\n"} {
				if got, err := os.ReadFile(filepath.Join(w.vault, path)); string(got) != want {
					t.Errorf("%s: %q %v, want %q\n%s", path, got, err, want, text)
				}
			}
		})
	}
}

// Bypass: a job changes a protected file that the person has open, and their editor
// says of it that it was saved, or a client says so of one that is not open at all.
// What lies there is not what the editor shows, so that nobody has accepted it.
func TestBypassDidSaveOfWhatAJobWrote(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			id := startJob(t, w.v, "0001", "echo evil > .envrc; mkdir .husky; echo evil > .husky/pre-push; echo evil > .husky/latin; printf '\\377evil' >> .husky/latin; "+
				"echo made; until [ -e go ]; do sleep 0.02; done; true", "direct")
			if text := readTo(t, w.v, id, "made"); !strings.Contains(text, "made") {
				t.Fatal(text)
			}
			w.v.DidOpen("file://"+w.vault+"/.envrc", 1, "by hand\n")
			w.v.DidOpen("file://"+w.vault+"/.husky/latin", 1, "by hand\n")
			for _, path := range []string{".envrc", ".husky/pre-push", ".husky/latin", ".husky"} {
				w.v.DidSave("file://" + w.vault + "/" + path)
			}
			if err := os.WriteFile(filepath.Join(w.vault, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			text := readTo(t, w.v, id, "ended with exit code")
			for _, path := range []string{".envrc", ".husky/pre-push", ".husky/latin"} {
				if _, err := os.Lstat(filepath.Join(w.vault, path)); !os.IsNotExist(err) {
					t.Errorf("%s: %v\n%s", path, err, text)
				}
			}
		})
	}
}

// readTo is what a job has said from its beginning, once that holds a text or the job
// has ended.
func readTo(t *testing.T, v *Vault, id, until string) string {
	t.Helper()
	for {
		r := outputtest.Run(t, newJobOutput(v, "0001"), `{"id": "`+id+`", "offset": 0, "waitMs": 100}`)
		if r.Failed || strings.Contains(r.Text, until) || strings.Contains(r.Text, "ended with") || t.Context().Err() != nil {
			return r.Text
		}
	}
}

// TestBypassSecondNameInTheBox: what a command writes to another name of a protected file
// is refused, or undone, as if it had used the first.
func TestBypassSecondNameInTheBox(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			if err := os.MkdirAll(w.vault+"/deep/er", 0o755); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{".env": "deep/er/twin.txt", ".vscode/tasks.json": "tasks.txt"} {
				if err := os.Link(w.vault+"/"+from, w.vault+"/"+to); err != nil {
					t.Skipf("not run: no hard links here: %v", err)
				}
			}
			text, _ := w.run(t, "echo EVIL >> deep/er/twin.txt; echo EVIL | tee tasks.txt; truncate -s 0 tasks.txt; cat main.go")
			for path, want := range map[string]string{".env": "A=1\n", ".vscode/tasks.json": "{}"} {
				if got, err := os.ReadFile(w.vault + "/" + path); err != nil || string(got) != want {
					t.Errorf("%s: %q, %v\n%s", path, got, err, text)
				}
			}
		})
	}
}
