//go:build linux

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestWorktree: in a linked worktree of git a commit works at level namespaces,
// and the repository's hooks and configuration stay as they are.
func TestWorktree(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	for name, l := range levelsHere(t) {
		if l.Name != proc.Namespaces {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			main, tree := w.base+"/main", w.base+"/tree"
			for _, args := range [][]string{
				{"init", "-q", main}, {"-C", main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"},
				{"-C", main, "worktree", "add", "-q", tree},
			} {
				if out, err := exec.Command(git, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			if err := w.v.SetFolders([]Folder{{Path: tree}}); err != nil {
				t.Fatal(err)
			}
			if text, failed := w.runWith(t, "echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm y && git log --oneline | wc -l | tr -d ' '", tool.NeedGit); failed || text != "2\n" {
				t.Errorf("commit: %s", text)
			}
			for _, path := range []string{"hooks/pre-commit", "config", "info/attributes", "worktrees/tree/commondir", "worktrees/tree/gitdir"} {
				text, _ := w.runWith(t, "echo tried; echo evil >> $BASE/main/.git/"+path, tool.NeedGit)
				if was, _ := os.ReadFile(main + "/.git/" + path); !strings.Contains(text, "tried") || strings.Contains(string(was), "evil") {
					t.Errorf("%s: %s", path, text)
				}
			}
		})
	}
}

// TestForgedWorktree: a folder cannot claim a directory outside as its
// repository.
func TestForgedWorktree(t *testing.T) {
	for name, forge := range map[string]func(base, vault string){
		"the person's home": func(base, vault string) { put(t, vault+"/.git", "gitdir: "+base+"/user\n") },
		"its own gitdir": func(base, vault string) {
			put(t, vault+"/.git", "gitdir: "+vault+"\n")
			put(t, vault+"/gitdir", vault+"/.git\n")
			put(t, vault+"/commondir", "../..\n")
			put(t, filepath.Dir(filepath.Dir(vault))+"/hooks/x", "")
		},
		"another's worktree": func(base, vault string) {
			own := base + "/repo/.git/worktrees/other"
			put(t, vault+"/.git", "gitdir: "+own+"\n")
			put(t, own+"/gitdir", base+"/other/.git\n")
			put(t, base+"/other/file", "")
			put(t, own+"/commondir", "../..\n")
			put(t, base+"/repo/.git/hooks/x", "")
		},
		"a link": func(base, vault string) {
			put(t, base+"/real", "gitdir: "+base+"/repo/.git/worktrees/x\n")
			if err := os.Symlink(base+"/real", vault+"/.git"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		base := t.TempDir()
		vault := base + "/worktrees/vault"
		put(t, vault+"/main.go", "")
		forge(base, vault)
		v, err := Open([]Folder{{Path: vault}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if write, kept, owns := v.shields.WorktreePlaces(); len(write)+len(kept)+len(owns) > 0 {
			t.Errorf("%s: %v %v", name, write, kept)
		}
	}
}
