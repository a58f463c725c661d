package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// What was judged is what is opened, also where ".." stands behind a link: a link that is
// turned elsewhere, or appears where nothing was, makes another place of the same path.
func TestBypassLinkBeforeUpIsSwapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	r := newRoom(t, map[string]string{"one/d/": "", "one/x": "1\n", "two/d/": "", "two/x": "SECRET\n", "l": "-> one/d", "x": "top\n"})
	for path, swap := range map[string]string{"l/../x": "two/d", "gone/../x": "two/d"} {
		p, err := r.plan("read", "path", path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := r.plan("write", "path", strings.Replace(path, "x", "new", 1), "content", "y")
		if err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(r.root, path[:strings.Index(path, "/")])
		os.Remove(link)
		if err := os.Symlink(swap, link); err != nil {
			t.Fatal(err)
		}
		r.want(r.finish(p), true, "path changed since it was approved; nothing was done", "!SECRET")
		r.want(r.finish(w), true, "path changed since it was approved; nothing was done")
		os.Remove(link)
		os.Symlink("one/d", filepath.Join(r.root, "l"))
	}
	if _, err := os.Lstat(filepath.Join(r.root, "two/new")); err == nil {
		t.Error("it was written where nobody was asked about")
	}
	r.want(r.run("read", "path", "l/../x"), false, "1: 1", "!top")
}

// A word that stands too far down for one path, or that is no text, is not taken for one
// that names nothing.
func TestBypassWordsThatNobodyCanName(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "", "closed": ""})
	deep := r.root + strings.Repeat("/"+strings.Repeat("d", 200), 25)
	for _, row := range []struct {
		dir, word string
		unknown   bool
	}{{r.root, "\xff", true}, {deep, "x/.env", true}, {r.root, strings.Repeat("x", 300), false}, {r.root, strings.Repeat("d/", 3000), false}, {r.root, "a\x00", false}, {"relative", "a", false}, {r.root, "a", false}} {
		if got := r.v.Walk(row.dir, row.word); (got.Unknown != "") != row.unknown {
			t.Errorf("%.20q in %.20q: %+v", row.word, row.dir, got)
		}
	}
	if runtime.GOOS == "linux" {
		if got := r.v.Walk(r.root, "/proc/self/cwd/a"); !got.Magic || len(got.Objects) == 0 {
			t.Errorf("%+v", got)
		}
	}
	os.Symlink("round", filepath.Join(r.root, "round"))
	if got := r.v.Walk(r.root, "round/x"); got.Unknown == "" {
		t.Errorf("a circle: %+v", got)
	}
}

// A document, a folder and the hooks of git are found by the same walk.
func TestPathsOfOthersAreWalked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	r := newRoom(t, map[string]string{"far/d/": "", "far/x": "far\n", "x": "near\n", "l": "-> far/d", ".git/config": "[core]\n\thooksPath = l/../hooks\n", "far/hooks/": ""})
	if p, ok := r.v.document("file://" + r.root + "/l/../x"); !ok || p.Object() != "vault:/far/x" {
		t.Error("a document:", p.Object(), ok)
	}
	if got := r.v.Walk("", "far/hooks/pre-commit").Objects; !slices.Contains(got, "vault:/.git/hooks/pre-commit") {
		t.Error("hooks:", got)
	}
	v, err := Open([]Folder{{Path: r.root + "/l/.."}}, Options{})
	if err != nil || v.Root() != r.root+"/far" {
		t.Error("a folder:", v.Root(), err)
	}
	v.Close()
}

// The walk is a small part of what it costs to place a path: what else names the file is
// looked up as well.
func BenchmarkPlace(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	os.MkdirAll(filepath.Join(dir, "src/pkg/deep"), 0o755)
	os.WriteFile(filepath.Join(dir, "src/pkg/deep/a.go"), nil, 0o644)
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	path := dir + "/src/pkg/deep/a.go"
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			if _, err := walk.To(path, true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			if _, err := filepath.EvalSymlinks(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("place", func(b *testing.B) {
		for b.Loop() {
			if got := v.Walk(dir, "src/pkg/deep/a.go"); !got.Exists {
				b.Fatal(got)
			}
		}
	})
}
