package workspace

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Git obeys a directory for its shape, whatever it is called and in whatever order its
// pieces came.
func TestRepositories(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	for name, row := range map[string]struct {
		files map[string]string
		edits string // objects
		want  string // those in a repository
	}{
		"nothing":                  {nil, "vault:/a.go", ""},
		"one piece":                {nil, "vault:/src/HEAD", ""},
		"a configuration":          {map[string]string{"src/objects/k": "", "src/refs/k": ""}, "vault:/src/config", ""},
		"the last piece":           {map[string]string{"src/objects/k": "", "src/refs/k": ""}, "vault:/src/HEAD", "vault:/src/HEAD"},
		"objects last":             {map[string]string{"src/HEAD": head, "src/refs/k": ""}, "vault:/src/objects/pack/p", "vault:/src/objects/pack/p"},
		"refs last, as a file":     {map[string]string{"src/HEAD": head, "src/objects/k": ""}, "vault:/src/refs", "vault:/src/refs"},
		"the folder itself":        {map[string]string{"HEAD": head, "objects/k": ""}, "vault:/refs/heads/x", "vault:/refs/heads/x"},
		"letter case":              {map[string]string{"src/HEAD": head, "src/objects/k": ""}, "vault:/src/REFS/k", "vault:/src/REFS/k"},
		"commondir":                {map[string]string{"src/HEAD": head}, "vault:/src/commondir", "vault:/src/commondir"},
		"in what is one":           {map[string]string{"r/HEAD": head, "r/objects/k": "", "r/refs/k": ""}, "vault:/r/config vault:/r/hooks/deep/x vault:/a.go", "vault:/r/config vault:/r/hooks/deep/x"},
		"all in one go":            {nil, "vault:/src/HEAD vault:/src/objects/k vault:/src/refs/k vault:/src/config vault:/b", "vault:/src/HEAD vault:/src/objects/k vault:/src/refs/k vault:/src/config"},
		"an edit below the pieces": {nil, "vault:/src/lib/a.go vault:/src/HEAD vault:/src/objects/k vault:/src/refs/k", "vault:/src/lib/a.go vault:/src/HEAD vault:/src/objects/k vault:/src/refs/k"},
		"a component Head":         {map[string]string{"ui/objects/k": "", "ui/refs/k": ""}, "vault:/ui/Head/index.js", ""},
		"a link for HEAD":          {map[string]string{"src/HEAD": "-> x", "src/objects/k": ""}, "vault:/src/refs/k", "vault:/src/refs/k"},
		"through a link":           {map[string]string{"src/HEAD": head, "src/objects/k": "", "l": "-> src"}, "vault:/l/refs", "vault:/l/refs"},
		"known by its name":        {map[string]string{".git/HEAD": head, ".git/objects/k": "", ".git/refs/k": ""}, "vault:/.git/config", ""},
		"beside .git":              {map[string]string{".git/HEAD": head, ".git/objects/k": "", ".git/refs/k": ""}, "vault:/a.go", ""},
		"a short name of .git":     {nil, "vault:/git~1/config", "vault:/git~1/config"},
		"what a .git file names":   {map[string]string{"sub/.git": "gitdir: ../store\n", "store/x": ""}, "vault:/sub/a.go vault:/store/config", ""},
		"where .git leads":         {map[string]string{".git": "gitdir: store\n", "store/x": ""}, "vault:/store/config vault:/a.go", "vault:/store/config"},
		"where commondir leads":    {map[string]string{".git/commondir": "../common\n", "common/x": ""}, "vault:/common/config vault:/a.go", "vault:/common/config"},
	} {
		r := newRoom(t, row.files)
		if got := strings.Join(r.v.Repositories(strings.Fields(row.edits)), " "); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
	outside := newRoom(t, map[string]string{"r/HEAD": head, "r/objects/k": "", "r/refs/k": ""}).root
	if got := newRoom(t, nil).v.Repositories([]string{"fs:/no such/a.go", "fs:/", "vault:/", "fs:" + outside + "/r/config"}); len(got) != 1 {
		t.Errorf("outside every folder: %q", got)
	}
	r := newRoom(t, map[string]string{"src/HEAD": head, "src/objects/k": ""})
	if got := r.v.Repositories([]string{"vault:/src/refs. /k", "vault:/src/re\u200cfs/k"}); len(got) != 2 {
		t.Errorf("names that a file system takes for refs: %q", got)
	}
}

// Whatever the shape says, git itself agrees: where it finds a repository the look has
// found one, in every subset of the pieces.
func TestRepositoriesAsGitSays(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	pieces := map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/k": "", "refs/k": "", "config": "[core]\nbare = false\nworktree = .\n", "commondir": "../real\n"}
	names := []string{"HEAD", "objects/k", "refs/k", "config", "commondir"}
	for set := range 1 << len(names) {
		files := map[string]string{"real/objects/k": "", "real/refs/k": "", "real/config": ""}
		for i, name := range names {
			if set&(1<<i) != 0 {
				files["src/"+name] = pieces[name]
			}
		}
		files["src/a"] = ""
		r := newRoom(t, files)
		cmd := exec.Command(git, "rev-parse", "--git-dir")
		cmd.Dir, cmd.Env = filepath.Join(r.root, "src"), append(os.Environ(), "GIT_CEILING_DIRECTORIES="+r.root, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if found := err == nil; found && len(r.v.Repositories([]string{"vault:/src/a"})) == 0 {
			t.Errorf("git obeys %v: %s", slices.Sorted(maps.Keys(files)), out)
		}
	}
}

// Bypass: two sessions are each allowed a piece while the other one is not there yet.
func TestBypassRepositoryInPiecesMeanwhile(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	for _, row := range []struct {
		tool string
		args []any
		last string
	}{
		{"write", []any{"path", "src/HEAD", "content", head}, "src/refs/k"},
		{"apply_patch", []any{"patch", "*** Begin Patch\n*** Add File: src/HEAD\n+" + head + "*** End Patch\n"}, "src/refs/k"},
		{"move", []any{"from", "head.txt", "to", "src/HEAD"}, "src/refs/k"},
		{"move", []any{"from", "other", "to", "src/refs"}, "src/HEAD"},
	} {
		r := newRoom(t, map[string]string{"src/objects/k": "", "head.txt": head, "other/k": ""})
		plan, err := r.plan(row.tool, row.args...)
		if err != nil {
			t.Fatal(err)
		}
		r.put(map[string]string{row.last: head})
		r.want(r.finish(plan), true, "git would now treat this folder")
	}
}

// An undo brings back what was there, also a whole repository; but it makes nobody obey
// a configuration that came in between.
func TestUndoOfRepository(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	r := newRoom(t, map[string]string{"src/HEAD": head, "src/objects/k": "", "src/refs/k": "", "src/config": "[core]\n"})
	all := r.run("delete", "path", "src", "recursive", true)
	if _, conflicts, err := r.v.Undo(t.Context(), all.Changes, false, false, func(tool.Change) error { return nil }); err != nil || len(conflicts) > 0 || r.file("src/HEAD") != head {
		t.Errorf("a whole repository: %v %v", conflicts, err)
	}
	one := r.run("delete", "path", "src/HEAD")
	r.put(map[string]string{"src/config": "[core]\nfsmonitor = evil\n"})
	_, conflicts, err := r.v.Undo(t.Context(), one.Changes, false, false, func(tool.Change) error { return nil })
	if err != nil || len(conflicts) != 1 || conflicts[0].Reason != tool.Repository || r.file("src/HEAD") == head {
		t.Errorf("with another configuration: %v %v", conflicts, err)
	}
}
