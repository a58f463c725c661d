package walk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tree makes files, directories ("a/") and links ("-> b") in a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, what := range files {
		at := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		switch to, link := strings.CutPrefix(what, "-> "); {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(at, 0o755)
		case link:
			err = os.Symlink(strings.ReplaceAll(to, "$T", top), at)
		default:
			err = os.WriteFile(at, []byte(what), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestWalk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	top := tree(t, map[string]string{
		"ws/a": "x", "ws/dir/b": "y", "ws/.git/objects/": "", "ws/.git/config": "z", "ext/d/": "", "ext/near": "n",
		"ws/docs": "-> ../ext/d", "ws/abs": "-> $T/ext/d", "ws/g": "-> .git/objects", "ws/in": "-> dir/b", "ws/loop": "-> loop", "ws/dang": "-> nothing",
		"ws/up": "-> ..", "ws/twice": "-> docs/../near", "ws/chain": "-> docs",
	})
	show := func(s string) string {
		if s == top {
			return "/"
		}
		return strings.TrimPrefix(s, top)
	}
	for _, row := range []struct{ path, end, forms, written, missing string }{
		{"/ws/a", "/ws/a", "", "", ""},
		{"/ws/./dir//b", "/ws/dir/b", "", "", ""},
		{"/ws/dir/../a", "/ws/a", "", "", ""},
		{"/ws/in", "/ws/dir/b", "/ws/in", "", ""},
		{"/ws/docs/new", "/ext/d/new", "/ws/docs/new", "", ""},
		{"/ws/docs/../near", "/ext/near", "/ws/docs /ext/d", "/ws/near", ""},
		{"/ws/abs/../near", "/ext/near", "/ws/abs /ext/d", "/ws/near", ""},
		{"/ws/docs/./..//near", "/ext/near", "/ws/docs /ext/d", "/ws/near", ""},
		{"/ws/docs/sub/../../near", "/ext/near", "/ws/docs/sub /ext/d/sub", "/ws/near", "/ext/d/sub"},
		{"/ws/chain/../near", "/ext/near", "/ws/chain /ws/docs /ext/d", "/ws/near", ""},
		{"/ws/g/../config", "/ws/.git/config", "/ws/g /ws/.git/objects", "/ws/config", ""},
		{"/ws/twice", "/ext/near", "/ws/twice /ws/docs /ext/d", "", ""},
		{"/ws/up/ws/a", "/ws/a", "/ws/up/ws/a", "", ""},
		{"/ws/docs/../../ws/a", "/ws/a", "/ws/docs /ext/d", "", ""},
		{"/ws/new/../a", "/ws/a", "", "", "/ws/new"},
		{"/ws/new/deep/../../a", "/ws/a", "", "", "/ws/new"},
		{"/ws/a/../dir", "/ws/dir", "", "", "/ws/a"},
		{"/ws/dang", "/ws/nothing", "/ws/dang", "", ""},
		{"/ws/dang/../a", "/ws/a", "/ws/dang /ws/nothing", "", "/ws/nothing"},
	} {
		end, err := To(top+row.path, true)
		var forms []string
		for _, f := range append(end.Forms, end.Left...) {
			forms = append(forms, show(f))
		}
		if err != nil || show(end.Abs) != row.end || strings.Join(forms, " ") != row.forms || show(end.Written) != row.written || show(end.Missing) != row.missing || end.Unknown != "" {
			t.Errorf("%s: %+v %v", row.path, end, err)
		}
	}
	for path, want := range map[string]bool{"/ws/a": true, "/ws/dang": true, "/ws/none": false, "/ws/dang/x": false, "/ws/docs/../near": true, "/ws/docs/..": true, "/ws/new/..": false, "/ws/dir": true, "": true} {
		if end, err := To(top+path, true); err != nil || end.Exists != want {
			t.Errorf("%s exists: %v %v", path, end.Exists, err)
		}
	}
	if end, err := To(top+"/ws/docs/../near/../d", false); err != nil || end.Abs != top+"/ext/d" || !end.Dir {
		t.Errorf("%+v %v", end, err)
	}
	if end, err := To(top+"/ws/docs", false); err != nil || end.Abs != top+"/ws/docs" || end.Dir {
		t.Errorf("a link that is not followed: %+v %v", end, err)
	}
	if _, err := To(top+"/ws/loop/x", true); !errors.Is(err, ErrCircle) {
		t.Error(err)
	}
	if _, err := To(top+"/"+strings.Repeat("x", 300), true); !errors.Is(err, ErrName) {
		t.Error(err)
	}
	if real, err := Real(top + "/ws/docs/../near"); err != nil || real != top+"/ext/near" {
		t.Error(real, err)
	}
	if _, err := Real(top + "/ws/new/../a"); err == nil {
		t.Error("behind what is not there nothing is real")
	}
}

// What is in /proc is another thing for each process, however one gets there.
func TestBypassMagicLinks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has them")
	}
	top := tree(t, map[string]string{"p": "-> /proc", "fd": "-> /dev/fd", "own": "-> /proc/self/cwd", "x": ""})
	for _, path := range []string{
		"/proc/self/cwd/.env", "/proc/self/root", "/proc/self/root/etc/passwd", "/proc/thread-self/cwd", "/proc/self/task/2/root/", "/proc/6/cwd/.env", "/proc/999999/cwd/.env",
		"/proc/?/cwd/.env", "/proc/[0-9]*/root/", "/proc/net/../cwd/x", "/proc/mounts", "/proc/self/fd/3", "/proc/self/environ", "/proc/sys/../self/cwd", "/proc/none/../self/root",
		"/dev/fd/../cwd/.env", "/dev/fd/../root/etc", "/dev/fd", "/dev/stdin/../x", "//dev//fd/./..//cwd", "/dev/shm/../fd/3",
		top + "/p/self/cwd/.env", top + "/fd/../cwd", top + "/own/.env", top + "/p/../proc/self/root", top + "/x/../p/1/root",
	} {
		if end, err := To(path, true); err != nil || !end.Magic || end.Unknown == "" {
			t.Errorf("%s: %+v %v", path, end, err)
		}
	}
	for _, path := range []string{"/proc", "/proc/cpuinfo", "/proc/sys/kernel/ostype", "/dev/null", "/dev/tty", top + "/p", top + "/p/cpuinfo"} {
		if end, err := To(path, true); err != nil || end.Unknown != "" {
			t.Errorf("%s: %+v %v", path, end, err)
		}
	}
}

// A directory that may not be entered hides where its links lead.
func TestBypassClosedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("root enters every directory")
	}
	top := tree(t, map[string]string{"closed/l": "-> ..", "a": ""})
	os.Chmod(top+"/closed", 0)
	t.Cleanup(func() { os.Chmod(top+"/closed", 0o755) })
	if end, err := To(top+"/closed/l/../a", true); err != nil || end.Unknown == "" || end.Magic {
		t.Errorf("%+v %v", end, err)
	}
}
