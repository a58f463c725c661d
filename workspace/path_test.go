package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

func TestPath(t *testing.T) {
	r := newRoom(t, map[string]string{
		"a.go": "x", "dir/b.go": "y", "in": "-> dir/b.go", "dirlink": "-> dir", "out": "-> /etc", "dangling": "-> ../gone/x",
		"loop": "-> loop", "l1": "-> l2", "l2": "-> l1", "chain": "-> in", "up": "-> ..", "self": "-> .", "deep/up2": "-> ../../vault/a.go",
	})
	os.Symlink(filepath.Join(r.root, "a.go"), filepath.Join(r.root, "abs"))
	top := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(r.root)), "/")
	for _, row := range []struct{ in, object, link string }{
		{"a.go", "vault:/a.go", ""},
		{"./a.go", "vault:/a.go", ""},
		{"dir/../a.go", "vault:/a.go", ""},
		{".", "vault:/", ""},
		{"new/deep/file", "vault:/new/deep/file", ""},
		{r.root, "vault:/", ""},
		{r.root + "/a.go", "vault:/a.go", ""},
		{r.root + "x/a.go", "fs:/" + top + "/vaultx/a.go", ""},
		{"..", "fs:/" + top, ""},
		{"../../../../../../../../../../../../etc/passwd", "fs:/etc/passwd", ""},
		{"/etc/passwd", "fs:/etc/passwd", ""},
		{"fs:/etc/passwd", "fs:/etc/passwd", ""},
		{"~/x", "fs:/" + top + "/user/x", ""},
		{"~user", "vault:/~user", ""},
		{"in", "vault:/dir/b.go", "vault:/in"},
		{"abs", "vault:/a.go", "vault:/abs"},
		{"chain", "vault:/dir/b.go", "vault:/chain"},
		{"dirlink/b.go", "vault:/dir/b.go", "vault:/dirlink/b.go"},
		{"dirlink/new", "vault:/dir/new", "vault:/dirlink/new"},
		{"out/passwd", "fs:/etc/passwd", "vault:/out/passwd"},
		{"dangling", "fs:/" + top + "/gone/x", "vault:/dangling"},
		{"up/vault/a.go", "vault:/a.go", "vault:/up/vault/a.go"},
		{"self/self/a.go", "vault:/a.go", "vault:/self/self/a.go"},
		{"deep/up2", "vault:/a.go", "vault:/deep/up2"},
		{"a.go/x", "vault:/a.go/x", ""},
	} {
		p, err := r.v.Path(row.in)
		if err != nil || p.Object() != row.object || p.LinkObject() != row.link {
			t.Errorf("%s: %q link %q, %v", row.in, p.Object(), p.LinkObject(), err)
		}
		if err == nil && p.InVault() != strings.HasPrefix(row.object, "vault:") {
			t.Errorf("%s: InVault %v", row.in, p.InVault())
		}
	}
	for in, want := range map[string]string{
		"": "empty", "a\x00b": "NUL", "loop": "circle", "l1/x": "circle", "\xff": "UTF-8",
		strings.Repeat("x", 300): "too long", strings.Repeat("d/", 3000): "too long", "fs:relative": "absolute", "vault:/../../etc/passwd": "cannot hold", "fs:/etc/../x": "cannot hold",
	} {
		if p, err := r.v.Path(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v %v", in, p, err)
		}
	}
	// A link that leads out and back in is judged everywhere it leads.
	os.Symlink(r.root+"/a.go", filepath.Join(filepath.Dir(r.root), "outside"))
	r.put(map[string]string{"outin": "-> ../outside"})
	p, _ := r.v.Path("outin")
	if got := strings.Join(p.Objects(), " "); got != "vault:/outin fs:/"+top+"/outside vault:/a.go" {
		t.Errorf("out and in: %s", got)
	}
	if got := p.title(); got != "a.go (through outin)" {
		t.Errorf("title %s", got)
	}
	if got := pathname.Printable("a\u202eb\n"); strings.ContainsAny(got, "\u202e\n") {
		t.Errorf("printable %q", got)
	}
}

func TestWalkOfAWord(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "x", "dir/b": "", "l": "-> a.go", "dang": "-> nothing", "vault:x": ""})
	for _, row := range []struct {
		dir, path, want string
		exists          bool
	}{
		{"", "a.go", "vault:/a.go", true},
		{r.root + "/dir", "../a.go", "vault:/a.go", true},
		{r.root + "/dir", "b", "vault:/dir/b", true},
		{r.root, "l", "vault:/l vault:/a.go", true},
		{r.root, "dang", "vault:/dang vault:/nothing", true},
		{r.root, "none", "vault:/none", false},
		{r.root, "/etc/passwd", "fs:/etc/passwd", true},
		{r.root, "vault:x", "vault:/vault:x", true},
		{"relative", "a.go", "", false},
		{r.root, "", "", false},
		{r.root, "a\x00", "", false},
	} {
		got := r.v.Walk(row.dir, row.path)
		if strings.Join(got.Objects, " ") != row.want || got.Exists != row.exists {
			t.Errorf("%s %s: %+v", row.dir, row.path, got)
		}
	}
}

// What a file URI names is fileuri's; no tool can name every path that it can.
func TestPathOfURI(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a%20b": "/a b", "untitled:Untitled-1": "", "file:///%ff": "", "file:///" + strings.Repeat("a", maxSegmentBytes): "/" + strings.Repeat("a", maxSegmentBytes),
		"file:///" + strings.Repeat("a", maxSegmentBytes+1): "",
	} {
		if got, ok := pathOfURI(uri); got != want || ok != (want != "") {
			t.Errorf("%.40s: %.40q %v", uri, got, ok)
		}
	}
}

// Whatever is written, what a Path says it is inside is what the kernel says.
func FuzzPath(f *testing.F) {
	if runtime.GOOS == "windows" {
		f.Skip("links need rights")
	}
	for _, s := range []string{"a", "l/../x", "out/passwd", "up/up/vault", "~/x", "vault:/../x", "fs:/etc", "d/l/../../x", "loop/x", "..//./a", "abs/x", "./~/x", "./vault:/x", "./fs:/x", " /"} {
		f.Add(s)
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root := filepath.Join(dir, "vault")
	os.MkdirAll(filepath.Join(root, "d/e"), 0o755)
	os.WriteFile(filepath.Join(root, "a"), nil, 0o644)
	for name, to := range map[string]string{"l": "d/e", "out": "/etc", "up": "..", "loop": "loop", "d/l": "../d", "abs": root + "/d", "d/e/o": "../../../x"} {
		os.Symlink(to, filepath.Join(root, name))
	}
	v, err := Open([]Folder{{Path: root}}, Options{UserHome: filepath.Join(dir, "user")})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := v.Path(s)
		if err != nil {
			return
		}
		if p.abs != filepath.Clean(p.abs) || !filepath.IsAbs(p.abs) {
			t.Fatalf("%q: not clean: %s", s, p.abs)
		}
		in := p.abs == root || strings.HasPrefix(p.abs, root+"/")
		if in != p.InVault() || in != strings.HasPrefix(p.Object(), "vault:") {
			t.Fatalf("%q: %s is inside: %v, but %s", s, p.abs, in, p.Object())
		}
		if real, err := filepath.EvalSymlinks(p.raw); err == nil && real != p.abs {
			t.Fatalf("%q: leads to %s, not %s", s, real, p.abs)
		}
		again, err := v.Path(p.Display())
		if err != nil || again.abs != p.abs {
			t.Fatalf("%q: shown as %s, which is %s, %v", s, p.Display(), again.abs, err)
		}
	})
}

// os.Root alone would follow a link that was put inside the folder after the
// path was approved (for example src → .git).
func TestSwappedAfterPlan(t *testing.T) {
	files := map[string]string{"src/a.txt": "old\n", ".git/a.txt": "hook\n", "b.txt": "b\n", ".env": "SECRET\n"}
	for _, row := range []struct {
		name string
		call []any
		swap func(r *room)
	}{
		{"edit, directory swapped for a link inside", []any{"edit", "path", "src/a.txt", "old", "old", "new", "new"}, swapDir},
		{"write, directory swapped", []any{"write", "path", "src/new.txt", "content", "x"}, swapDir},
		{"delete, directory swapped", []any{"delete", "path", "src/a.txt"}, swapDir},
		{"move from, directory swapped", []any{"move", "from", "src/a.txt", "to", "c.txt"}, swapDir},
		{"move to, directory swapped", []any{"move", "from", "b.txt", "to", "src/c.txt"}, swapDir},
		{"read, file swapped for a link", []any{"read", "path", "b.txt"}, swapFile},
		{"grep, file swapped for a link", []any{"grep", "path", "b.txt", "pattern", "S"}, swapFile},
		{"ls, directory swapped", []any{"ls", "path", "src"}, swapDir},
		{"glob, directory swapped", []any{"glob", "path", "src", "pattern", "*"}, swapDir},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, files)
			r.run("read", "path", "src/a.txt")
			p, err := r.plan(row.call[0].(string), row.call[1:]...)
			if err != nil {
				t.Fatal(err)
			}
			row.swap(r)
			r.want(r.finish(p), true, "path changed since it was approved; nothing was done", "!SECRET", "!hook")
			if r.file(".git/a.txt") != "hook\n" || !strings.HasPrefix(r.file(".git/new.txt"), "!") || !strings.HasPrefix(r.file(".git/c.txt"), "!") || r.file("b.txt") == "!no such file or directory" {
				t.Error("something was done")
			}
		})
	}
}

func swapDir(r *room) {
	os.Rename(filepath.Join(r.root, "src"), filepath.Join(r.root, "was"))
	os.Symlink(".git", filepath.Join(r.root, "src"))
}

func swapFile(r *room) {
	os.Remove(filepath.Join(r.root, "b.txt"))
	os.Symlink(".env", filepath.Join(r.root, "b.txt"))
}

// The check of the path and the use of it are two steps: what is swapped in
// between is caught by the handle, inside as well as outside of the folder.
func TestSwappedAfterCheck(t *testing.T) {
	r := newRoom(t, map[string]string{"src/a.txt": "old\n", ".git/a.txt": "hook\n"})
	p, err := r.v.Path("src/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	was, err := p.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{".git", "/etc"} {
		os.RemoveAll(filepath.Join(r.root, "src"))
		os.Symlink(to, filepath.Join(r.root, "src"))
		if _, _, err := p.open(); err == nil {
			t.Errorf("%s: opened through a link", to)
		}
		if err := p.replace(was, []byte("x")); err == nil {
			t.Errorf("%s: written through a link", to)
		}
		if err := p.remove(); err == nil {
			t.Errorf("%s: removed through a link", to)
		}
		if _, err := p.openDir(); err == nil {
			t.Errorf("%s: opened a directory through a link", to)
		}
	}
	if r.file(".git/a.txt") != "hook\n" {
		t.Error("the hook was changed")
	}
}

// The last look is right before the rename: what changed after the recheck is
// not overwritten.
func TestReplaceLooksOnceMore(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "old\n"})
	p, _ := r.v.Path("f")
	was, err := p.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r.put(map[string]string{"f": "someone else's\n"})
	if err := p.replace(was, []byte("ours")); err != errChanged || r.file("f") != "someone else's\n" {
		t.Errorf("%v %q", err, r.file("f"))
	}
	if err := p.replace(snapshot{}, []byte("ours")); err != errAppeared || r.file("f") != "someone else's\n" {
		t.Errorf("%v %q", err, r.file("f"))
	}
	if left, _ := filepath.Glob(filepath.Join(r.root, ".agent-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A path that still ends at the same file, but by another way, is another one: what
// lies on the way was not judged.
func TestAgainByAnotherWay(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", ".git/x": ""})
	ln := filepath.Join(r.root, "ln")
	os.Symlink("a", ln)
	os.Symlink("../a", filepath.Join(r.root, ".git/way"))
	p, err := r.v.Path("ln")
	if err != nil || r.v.again(p) != nil {
		t.Fatal(err, r.v.again(p))
	}
	os.Remove(ln)
	os.Symlink(".git/way", ln)
	if err := r.v.again(p); err != openat.ErrMoved {
		t.Error("through .git:", err)
	}
	os.Remove(ln)
	os.Link(filepath.Join(r.root, "a"), ln)
	if err := r.v.again(p); err != openat.ErrMoved {
		t.Error("no link any more:", err)
	}
}
