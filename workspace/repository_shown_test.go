//go:build linux

package workspace

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// What is asked about a command that changes a repository says which reference may move.
func TestRepositoryShown(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef01234567"
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a branch":            {map[string]string{".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": id + "\n"}, ", on branch a/b (refs/heads/a/b at 0123456)"},
		"a packed one":        {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": "# pack-refs\n" + strings.Repeat("1", 40) + " refs/heads/x/refs/heads/main\n" + id + " refs/heads/main\n^" + id + "\n"}, ", on branch main (refs/heads/main at 0123456)"},
		"no commit":           {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ", on branch main (no commit yet)"},
		"detached":            {map[string]string{".git/HEAD": id + "\n"}, ", detached at 0123456"},
		"a linked worktree":   {map[string]string{".git": "gitdir: main/.git/worktrees/w\n", "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n", "main/.git/worktrees/w/commondir": "../..\n", "main/.git/refs/heads/w": id}, ", on branch w (refs/heads/w at 0123456)"},
		"another file":        {map[string]string{".git/HEAD": "ref: refs/heads/../../../x\n", "x": id}, ""},
		"a table":             {map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n", ".git/reftable/tables.list": ""}, ""},
		"no commit's name":    {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "secret\n"}, ", on branch main (no commit yet)"},
		"nothing one can use": {map[string]string{".git/HEAD": "what\n"}, ""},
	} {
		dir := t.TempDir()
		for path, text := range row.files {
			put(t, filepath.Join(dir, path), text)
		}
		if got := headShown(dir); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The preview names the repository once the words, or the model, say that it changes; a
// person who signs is told that nothing is signed in the sandbox.
func TestRepositoryInPreview(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			put(t, w.user+"/.gitconfig", "[commit]\n\tgpgsign = true\n")
			for _, row := range []struct {
				needs        tool.Needs
				shown, signs bool
			}{
				{nil, false, false}, {tool.Needs{tool.NeedGit}, true, true},
				{tool.Needs{tool.NeedUnconfined, tool.NeedGit}, true, false}, {tool.Needs{tool.NeedNetwork}, false, false},
			} {
				p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": "make release"})
				shown, err := p.Preview(t.Context(), tool.Grant{Needs: row.needs})
				if err != nil || strings.Contains(shown.Text, "repository: "+w.vault+", on branch main (no commit yet)\n") != row.shown || strings.Contains(shown.Text, unsigned+"\n") != row.signs {
					t.Errorf("%v: %v %s", row.needs, err, shown.Text)
				}
			}
			project := w.base + "/project"
			if out, err := exec.Command(git, "init", "-q", project).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			if err := w.v.SetFolders([]Folder{{Path: project}}); err != nil {
				t.Fatal(err)
			}
			commit := "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%G? -1"
			if text, failed := w.runWith(t, commit, tool.NeedGit); failed || text != "N\n("+unsigned+")" {
				t.Errorf("%q", text)
			}
			put(t, w.user+"/.gitconfig", "")
			own := "git config -f .git/config commit.gpgsign true; git config -f .git/config gpg.format ssh; git config -f .git/config user.signingkey /nowhere"
			sign := exec.Command("sh", "-c", own)
			if sign.Dir = project; sign.Run() != nil {
				t.Fatal("the repository cannot be told to sign")
			}
			if text, failed := w.runWith(t, commit, tool.NeedGit); !failed || !strings.Contains(text, unsigned) { // git refuses, and the reason is told
				t.Errorf("%q", text)
			}
			put(t, project+"/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
			if text, failed := w.runWith(t, commit, tool.NeedGit); failed || text != "N\n" {
				t.Errorf("%q", text)
			}
		})
	}
}
