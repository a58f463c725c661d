package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A folder inside a larger repository: the rules above the folder hold.
func TestIgnoreAboveTheFolder(t *testing.T) {
	r := newRoom(t, map[string]string{"../.gitignore": "*.log\n/vault/gen\n", "../.git/info/exclude": "excl\n", "a.log": "", "gen/x": "", "excl": "", "keep": "", "../user/.config/git/ignore": "mine\n", "mine": ""})
	r.want(r.run("glob", "pattern", "**"), false, "keep\n(1 file)")
}

// What lies below a directory that git ignores, and what only looks so.
func TestIgnoredObjects(t *testing.T) {
	r := newRoom(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "node_modules/\n*.log\n/gen\n!kept/\n.cache/\nroot.x\n", "a/.gitignore": "out/\n", "../user/.config/git/ignore": "mine/\n", ".git/info/exclude": "excl/\n",
		"sub/.git/HEAD": "", "elsewhere": "-> node_modules",
	})
	for object, want := range map[string]bool{
		"vault:/node_modules/.x": true, "vault:/node_modules/a/b/.x": true, "vault:/web/node_modules/.bin/x": true, "vault:/gen/.x": true, "vault:/a/out/.x": true, "vault:/mine/.x": true, "vault:/excl/.x": true,
		"vault:/.x": false, "vault:/src/.x": false, "vault:/out/.x": false, "vault:/root.x": false, "vault:/b.log": false, "vault:/node_modules": false, "vault:/.cache/.x": false, "vault:/.y/node_modules/.x": false,
		"vault:/sub/gen/.x": false, "vault:/elsewhere/.x": false, "vault:/kept/.x": false, "fs:/node_modules/.x": false, "vault:/node_modules/../.x": false, "vault@no:/node_modules/.x": false,
	} {
		if got := r.v.Ignored(object); got != want {
			t.Errorf("%s: ignored is %v", object, got)
		}
	}
	if newRoom(t, map[string]string{".gitignore": "gen/\n"}).v.Ignored("vault:/gen/.x") {
		t.Error("git ignores nothing where there is no repository")
	}
}

// Bypass: a line of an ignore file, which is written without a question, makes the sources a
// build directory.
func TestBypassSourcesThatAreIgnored(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	r := newRoom(t, map[string]string{"src/a.go": "", "Lib/a.go": "", "gen/a": "", ".gitignore": "gen/\n"})
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", r.root, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run("init", "-q")
	run("add", ".")
	r.put(map[string]string{".gitignore": "gen/\nsrc/\nlib/\n"})
	for _, version := range []string{"2", "4"} {
		run("update-index", "--index-version", version)
		if r.v.Ignored("vault:/src/.x") || r.v.Ignored("vault:/Lib/.x") || r.v.Ignored("vault:/lib/.x") {
			t.Errorf("version %s: the sources are taken for what is built", version)
		}
		if !r.v.Ignored("vault:/gen/.x") {
			t.Errorf("version %s: what is built is not told", version)
		}
	}
	run("update-index", "--index-version", "2", "--split-index")
	if r.v.Ignored("vault:/src/.x") {
		t.Error("an index in two files: the sources are taken for what is built")
	}
	r.put(map[string]string{filepath.Join(".git", "index"): "no index"})
	if r.v.Ignored("vault:/gen/.x") {
		t.Error("an index that cannot be read")
	}
}
