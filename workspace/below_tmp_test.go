//go:build linux

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A folder below /tmp works like any other, though a command has a /tmp of its own: what
// is in the folder is there, also where an agent may not write to it, and so is the
// repository of a linked worktree; what lies beside is not.
func TestFolderBelowTmp(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			for _, parent := range []string{"/tmp", "/var/tmp"} {
				base, err := os.MkdirTemp(parent, "folder-*")
				if err != nil {
					t.Skip("not run: nothing can be made in " + parent)
				}
				t.Cleanup(func() { os.RemoveAll(base) })
				if base, err = filepath.EvalSymlinks(base); err != nil {
					t.Fatal(err)
				}
				r := &room{t: t, root: base + "/vault"}
				r.put(map[string]string{"a.txt": "a\n", "work/b.txt": "b\n", "../beside.txt": "beside\n", ".vscode/tasks.json": "{}\n"})
				folder := r.root
				if git, err := exec.LookPath("git"); err == nil {
					worktree(t, git, base+"/repo", base+"/tree")
					folder = base + "/tree"
				}
				if r.v, err = Open([]Folder{{Path: r.root}, {Name: "tree", Path: folder}}, Options{
					Home: base + "/home", UserHome: base + "/user", Prober: sandbox.At(l), Protected: protectedHere,
				}); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { r.v.Close() })
				r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s1"})...)
				w := &world{base: base, vault: r.root, v: r.v}

				r.want(r.run("read", "path", "a.txt"), false, "a")
				r.want(r.run("edit", "path", "a.txt", "old", "a", "new", "A"), false, "-a\n+A")
				text, _ := w.run(t, "cat a.txt && echo made > made.txt && echo B > work/b.txt && (cat ../beside.txt || echo x > .vscode/tasks.json) 2>/dev/null; cat .vscode/tasks.json")
				if l.Name == "namespaces" && !strings.HasPrefix(text, "A\n{}\n") || r.file("made.txt") != "made\n" || r.file(".vscode/tasks.json") != "{}\n" {
					t.Errorf("%s: a command: %q", parent, text)
				}
				plan := bashPlan(t, newBash(r.v, "s1"), map[string]any{"command": "echo C > work/b.txt"})
				res, err := outputtest.Allowed(t.Context(), plan, &outputtest.Kept{})
				if err != nil || len(res.Changes) != 1 {
					t.Fatalf("%s: %v %v", parent, res, err)
				}
				if _, conflicts, err := r.v.Undo(t.Context(), res.Changes, false, false, func(tool.Change) error { return nil }); err != nil || len(conflicts) > 0 || r.file("work/b.txt") != "B\n" {
					t.Errorf("%s: undo: %v %v %q", parent, conflicts, err, r.file("work/b.txt"))
				}
				text = runBound(t, w, tool.Bounds{Within: []string{"vault:/work"}}, "", "cat a.txt work/b.txt; (echo x > new) 2>/dev/null; echo x > work/new && ls")
				if text != "A\nB\na.txt\nmade.txt\nwork\n" {
					t.Errorf("%s: of an agent that is held to a folder: %q", parent, text)
				}
				if folder != r.root {
					text, _ = w.runWith(t, "unset GIT_AUTHOR_NAME GIT_COMMITTER_NAME EMAIL; cd ../tree && git status --short && echo x > new && git commit -q --allow-empty -m two && git log --format=%s", tool.NeedGit)
					if text != "two\none\n" && l.Name == "namespaces" {
						t.Errorf("%s: git in a linked worktree: %q", parent, text)
					}
				}
			}
		})
	}
}

// worktree makes a repository with one commit, and a linked worktree of it.
func worktree(t *testing.T, git, repo, tree string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", repo}, {"-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"}, {"-C", repo, "config", "user.name", "a"}, {"-C", repo, "config", "user.email", "a@b"}, {"-C", repo, "worktree", "add", "-q", tree}} {
		cmd := exec.Command(git, args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
}
