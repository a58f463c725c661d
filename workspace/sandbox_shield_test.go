//go:build linux

package workspace

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestSandboxProtected: what a command does to files that other programs obey
// does not stay, at any level. Where it could be refused it is, else it is
// undone and the result says so.
func TestSandboxProtected(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, row := range []struct {
				name, command string
				refused       bool // at level namespaces: nothing was to be undone
			}{
				{"a hook changed", `echo evil > .git/hooks/pre-push`, true},
				{"a hook made", `echo evil > .git/hooks/pre-commit`, true},
				{"a hook removed", `rm .git/hooks/pre-push`, true},
				{"a hook made executable", `chmod 777 .git/hooks/pre-push`, true},
				{"a hook that is a link", `ln -sf $OUT/file .git/hooks/pre-push`, true},
				{"hooks replaced", `rm -r .git/hooks && mkdir .git/hooks && echo evil > .git/hooks/pre-push`, true},
				{"hooks that are a link", `mv .git/hooks .git/h && ln -s $OUT .git/hooks`, true},
				{".git renamed", `mv .git .git2`, true},
				{".git renamed and made anew", `mv .git .git2 && mkdir -p .git/hooks && echo evil > .git/hooks/pre-push && echo evil > .git/config`, true},
				{".git removed", `rm -r .git/hooks .git/config`, true},
				{"git's configuration", `git config core.hooksPath /tmp || echo evil >> .git/config`, true},
				{"git's attributes", `echo evil > .git/info/attributes`, true},
				{"a nested repository's", `echo evil > sub/.git/config`, true},
				{"a nested repository's hooks", `mkdir sub/.git/hooks && echo evil > sub/.git/hooks/pre-push`, false},
				{"a new repository", `mkdir -p new/.git && echo evil > new/.git/config`, false},
				{"a new module's hooks", `mkdir -p .git/modules/m/hooks && echo evil > .git/modules/m/hooks/pre-push`, false},
				{"tasks of the editor", `echo evil > .vscode/tasks.json`, true},
				{"new settings of the editor", `echo evil > .vscode/settings.json`, true},
				{".vscode replaced", `mv .vscode v && mkdir .vscode && echo evil > .vscode/tasks.json`, true},
				{".vscode that is a link", `mv .vscode v && ln -s $OUT .vscode`, true},
				{"a new .envrc", `echo evil > .envrc`, false},
				{"a new directory of hooks", `mkdir .husky && echo evil > .husky/pre-commit`, false},
				{"a new .envrc that is a link", `ln -s $OUT/file .envrc`, false},
				{"a new .envrc in the background", `(setsid sh -c 'echo evil > .envrc' >/dev/null 2>&1 &) ; cat .envrc 2>/dev/null; while ! test -e .envrc; do :; done`, false},
				{"instructions", `echo evil > AGENTS.md`, true},
				{"instructions by another name", `ln AGENTS.md other && echo evil > other`, true},
			} {
				if !rows.tried(name, row.name) {
					continue
				}
				protected(t, l, row.name, row.command, row.refused || strings.Contains(row.command, ".git/") && !strings.Contains(row.command, "new/.git"))
				if strings.Contains(row.command, ".git") {
					protected(t, l, row.name+", with the repository", row.command, row.refused, tool.NeedGit)
				}
			}
		})
	}
}

// protected runs a command and looks whether what is protected is as it was. refused: at
// level namespaces nothing was to be undone.
func protected(t *testing.T, l sandbox.Level, name, command string, refused bool, needs ...tool.Need) {
	t.Helper()
	w := newWorld(t, l, sandbox.Settings{})
	before := w.state(t)
	text, failed := w.runWith(t, "echo tried; "+command, needs...)
	undid := strings.Contains(text, "the sandbox undid")
	if !strings.Contains(text, "tried") || !failed {
		t.Errorf("%s: failed %v: %s", name, failed, text)
	}
	if want := l.Name != proc.Namespaces || !refused; undid != want && !(name == "instructions by another name" && !undid) {
		t.Errorf("%s: undone and said: %v, want %v: %s", name, undid, want, text)
	}
	if after := w.state(t); after != before {
		t.Errorf("%s stayed: %s\n%s", name, text, differing(before, after))
	}
	if git, err := os.ReadFile(w.vault + "/.git/HEAD"); err != nil || string(git) != "ref: refs/heads/main\n" {
		t.Errorf("%s: the repository is gone: %v", name, err)
	}
	for _, path := range []string{"/new/.git", "/sub/.git/hooks", "/.git/modules/m/hooks"} {
		if _, err := os.Lstat(w.vault + path); err == nil {
			t.Errorf("%s: %s is there", name, path)
		}
	}
}

// TestSandboxProtectedLinks: a protected name may be a link, also one that leads
// nowhere or out; commands run, and the link stays what it is.
func TestSandboxProtectedLinks(t *testing.T) {
	rows := rowsHere(t)
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			os.RemoveAll(w.vault + "/.vscode")
			os.RemoveAll(w.vault + "/.git/hooks")
			links := map[string]string{".envrc": "AGENTS.md", ".husky": w.outside, ".vscode": "no such", ".git/hooks": "../AGENTS.md"}
			for at, to := range links {
				if err := os.Symlink(to, w.vault+"/"+at); err != nil {
					t.Fatal(err)
				}
			}
			if text, failed := w.run(t, "cat .envrc"); failed || text != "agents\n" {
				t.Errorf("with links: %s", text)
			}
			for at, to := range links {
				for _, command := range []string{"rm " + at, "ln -sfn /etc " + at, "rm " + at + "; mkdir " + at + "; echo evil > " + at + "/x", "mv " + at + " elsewhere"} {
					if !rows.tried(name, command) {
						continue
					}
					text, _ := w.run(t, command)
					said := "the sandbox undid"
					if at == ".git/hooks" && l.Name == proc.Namespaces {
						said = "Read-only file system" // all of the repository is
					}
					if now, err := os.Readlink(w.vault + "/" + at); now != to || !strings.Contains(text, said) {
						t.Errorf("%s: %q %v: %s", command, now, err, text)
					}
					os.Remove(w.vault + "/elsewhere")
				}
			}
		})
	}
}

// TestSandboxKeepsWhatItUndid: nothing that a command made is lost, and a new
// secret is not a program.
func TestSandboxKeepsWhatItUndid(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			text, _ := w.run(t, "echo kept > .envrc; echo B=2 > sub/.env")
			if kept, err := os.ReadFile(w.vault + "/.agent-output/undone/1-.envrc"); err != nil || string(kept) != "kept\n" {
				t.Errorf("%v: %s", err, text)
			}
			if ignored, err := os.ReadFile(w.vault + "/.agent-output/.gitignore"); err != nil || string(ignored) != "*" {
				t.Errorf("git would take what was undone: %q %v", ignored, err)
			}
			if env, err := os.ReadFile(w.vault + "/sub/.env"); err != nil || string(env) != "B=2\n" {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
