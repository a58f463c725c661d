package tracked

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// work is a folder with a repository that the git of this machine keeps.
type work struct {
	t   *testing.T
	dir string
}

func newWork(t *testing.T, args ...string) work {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("not run: there is no git here")
	}
	w := work{t, t.TempDir()}
	w.git(append([]string{"init", "-q"}, args...)...)
	return w
}

func (w work) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (w work) put(name, text string) {
	w.t.Helper()
	at := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w work) repository() Repository {
	git := filepath.Join(w.dir, ".git")
	return Repository{git, git}
}

// same compares what is read with what git says of the index and of HEAD.
func (w work) same(c *Cache, when string) {
	w.t.Helper()
	want := map[string]bool{}
	texts := []string{w.git("ls-files", "-z")}
	if strings.TrimSpace(w.git("rev-list", "--all", "--max-count=1")) != "" {
		texts = append(texts, w.git("ls-tree", "-r", "-z", "--name-only", "HEAD"))
	}
	for name := range strings.SplitSeq(strings.Join(texts, ""), "\x00") {
		if name != "" {
			want[name] = true
		}
	}
	got, err := c.Names(w.repository())
	if err != nil {
		w.t.Fatalf("%s: %v", when, err)
	}
	for _, name := range got {
		if !want[name] {
			w.t.Errorf("%s: %q is in neither", when, name)
		}
		delete(want, name)
	}
	for name := range want {
		w.t.Errorf("%s: %q is missing", when, name)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
		w.t.Errorf("%s: a name is there twice", when)
	}
}

// What git says of the same repository is the truth, in every form that it is kept in.
func TestNamesAsGitKnowsThem(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		w := newWork(t)
		c := &Cache{}
		w.git("config", "index.version", version)
		w.same(c, "nothing yet")
		for i := range 40 {
			w.put(fmt.Sprintf("d%d/e%d/file%d.txt", i%3, i%7, i), strings.Repeat(fmt.Sprintf("line %d\n", i), 20))
		}
		w.put(".env", "K=1\n")
		w.put("naïve name\n.txt", "x")
		w.git("add", "-A")
		w.same(c, "added")
		w.git("commit", "-qm", "one")
		w.same(c, "committed")
		if version == "3" { // only an entry with more flags makes it that
			w.put("later", "x")
			w.git("add", "-N", "later")
			w.same(c, "intended")
		}
		w.git("rm", "-q", "--cached", ".env", "d1/e1/file1.txt")
		w.same(c, "taken out of the index")
		if version != "2" {
			continue // what follows is the same for all
		}
		w.git("gc", "-q")
		w.git("pack-refs", "--all")
		w.same(c, "packed")
		w.git("commit", "-qm", "two")
		w.same(c, "taken out of HEAD")
		w.git("rm", "-rq", "--cached", ".")
		w.same(c, "an empty index")
		w.git("reset", "-q")
		for i := range 6 {
			w.put("d0/e0/file0.txt", fmt.Sprint(i))
			w.put(fmt.Sprintf("d0/new%d", i), "x")
			w.git("add", "-A")
			w.git("commit", "-qm", "more")
		}
		w.git("repack", "-adfq", "--depth=50", "--window=50")
		w.git("rm", "-rq", "--cached", "d0")
		w.same(c, "deltas")
		w.git("checkout", "-q", "--detach", "HEAD~3", "-f")
		w.same(c, "detached")
		if err := os.Remove(filepath.Join(w.dir, ".git/index")); err != nil {
			t.Fatal(err)
		}
		if names, err := c.Names(w.repository()); err != nil || !slices.Contains(names, "d0/new1") {
			t.Errorf("without an index: %v %v", names, err)
		}
	}
}

func TestNamesOfALinkedWorkTreeAndABorrower(t *testing.T) {
	w := newWork(t)
	w.put("a/.env", "K=1\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "one")
	tree := filepath.Join(t.TempDir(), "tree")
	w.git("worktree", "add", "-q", tree)
	common := filepath.Join(w.dir, ".git")
	linked := Repository{filepath.Join(common, "worktrees", "tree"), common}
	if names, err := (&Cache{}).Names(linked); err != nil || !slices.Equal(names, []string{"a/.env"}) {
		t.Errorf("linked: %q %v", names, err)
	}
	borrower := filepath.Join(t.TempDir(), "b")
	w.git("clone", "-q", "--shared", "--no-checkout", w.dir, borrower)
	git := filepath.Join(borrower, ".git")
	if names, err := (&Cache{}).Names(Repository{git, git}); err != nil || !slices.Equal(names, []string{"a/.env"}) {
		t.Errorf("a borrower: %q %v", names, err)
	}
}

// What is kept in another form is not guessed at.
func TestNamesThatAreNotKnown(t *testing.T) {
	for name, spoil := range map[string]func(w work){
		"sha256":      func(w work) { w.git("config", "extensions.objectFormat", "sha256") },
		"reftable":    func(w work) { w.put(".git/config", "[extensions]\n\trefStorage = reftable\n") },
		"split index": func(w work) { w.git("update-index", "--split-index") },
		"no objects":  func(w work) { os.RemoveAll(filepath.Join(w.dir, ".git/objects")) },
		"cut index":   func(w work) { os.Truncate(filepath.Join(w.dir, ".git/index"), 100) },
		"no index":    func(w work) { w.put(".git/index", "DIRC") },
		"odd HEAD":    func(w work) { w.put(".git/HEAD", "ref: ../../x\n") },
		"no HEAD":     func(w work) { w.put(".git/HEAD", "what\n") },
	} {
		w := newWork(t)
		w.put("a", "x")
		w.put("d/b", "x")
		w.git("add", "-A")
		w.git("commit", "-qm", "one")
		w.git("rm", "-q", "--cached", "d/b")
		spoil(w)
		if names, err := (&Cache{}).Names(w.repository()); err == nil {
			t.Errorf("%s: %q", name, names)
		}
	}
}

// Whatever stands in the files, reading them ends.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		readIndex(data)
		applied(data, data)
	})
}
