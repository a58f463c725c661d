//go:build unix

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitIn runs the git of this machine, without anybody's configuration.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: there is no git here")
	}
	cmd := exec.Command(git, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// What git keeps is known where the work tree no longer has it, nor the index, and also in
// a linked work tree, a nested repository and behind a second name.
func TestTracked(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "", "src/b.go": "", "src/.env": "K=1\n", "old/.env": "K=2\n", "note.go": "K=3\n", "plain/x.go": "", "inner/.env": "K=4\n"})
	r.v.shields.Names = protectedNames
	asked := func(o string) bool { return strings.HasSuffix(o, ".env") }
	gitIn(t, r.root, "init", "-q")
	gitIn(t, filepath.Join(r.root, "inner"), "init", "-q")
	gitIn(t, r.root, "add", "a.go", "src", "old", "note.go", "plain")
	gitIn(t, r.root, "commit", "-qm", "one")
	gitIn(t, r.root, "rm", "-rq", "old")
	if err := os.Remove(filepath.Join(r.root, "src/.env")); err != nil {
		t.Fatal(err)
	}
	check := func(dir, want string) {
		t.Helper()
		got, complete := r.v.Tracked(dir, asked)
		slices.Sort(got)
		if strings.Join(got, " ") != want || !complete {
			t.Errorf("%s: %v %v, want %s", dir, got, complete, want)
		}
	}
	check(r.root, "vault:/old/.env vault:/src/.env")
	check("", "vault:/old/.env vault:/src/.env")
	check(filepath.Join(r.root, "src"), "vault:/old/.env vault:/src/.env")
	check(filepath.Join(r.root, "inner"), "")
	gitIn(t, filepath.Join(r.root, "inner"), "add", "-A")
	check(filepath.Join(r.root, "inner"), "vault:/inner/.env")
	gitIn(t, r.root, "worktree", "add", "-q", filepath.Join(r.root, "../tree"))
	if got, complete := r.v.Tracked(filepath.Join(r.root, "../tree"), asked); !complete || len(got) != 2 || !strings.HasPrefix(got[0], "fs:/") {
		t.Errorf("a linked work tree: %v %v", got, complete)
	}
	gitIn(t, r.root, "commit", "-qam", "two")
	check(r.root, "")
	if err := os.WriteFile(filepath.Join(r.root, ".env"), []byte("K=5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(r.root, "note.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(r.root, ".env"), filepath.Join(r.root, "note.go")); err != nil {
		t.Fatal(err)
	}
	r.v.shields.ForgetTwins()
	check(r.root, "vault:/.env")
	// Without a repository git compares files on the disk.
	if got, complete := r.v.Tracked(filepath.Join(r.root, ".."), asked); complete {
		t.Errorf("no repository: %v", got)
	}
	if err := os.WriteFile(filepath.Join(r.root, ".git/index"), []byte("what"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, complete := r.v.Tracked(r.root, asked); complete {
		t.Errorf("an index that is none: %v", got)
	}
}
