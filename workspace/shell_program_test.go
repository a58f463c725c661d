//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// The first file in PATH that can be run is the program; a directory that depends on
// where a command runs leaves it open.
func TestProgramIsWhatPathFinds(t *testing.T) {
	r := newRoom(t, nil)
	top := outsideOfTemp(t)
	first, second := filepath.Join(top, "first"), filepath.Join(top, "second")
	for _, dir := range []string{first, second} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{
		filepath.Join(first, "tool"): 0o644, filepath.Join(second, "tool"): 0o755, filepath.Join(first, "both"): 0o755, filepath.Join(second, "both"): 0o755,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ path, name, want string }{
		{first + ":" + second, "tool", filepath.Join(second, "tool")},
		{first + ":" + second, "both", filepath.Join(first, "both")},
		{second, "none", ""},
		{".:" + second, "tool", ""},
		{":" + second, "tool", ""},
		{second, "../tool", ""},
		{second, "", ""},
		{second, "..", ""},
		{"", "tool", ""},
		{second + ":", "tool", filepath.Join(second, "tool")},
		{"~/bin:" + second, "tool", ""},
	} {
		t.Setenv("PATH", row.path)
		if got := r.v.Program(row.name); got != row.want {
			t.Errorf("PATH=%s: %q is %q, not %q", row.path, row.name, got, row.want)
		}
	}
}

// Bypass: PATH has a directory that depends on where a command runs, in front of the
// program that is meant.
func TestBypassPlantedBesideTheCommand(t *testing.T) {
	r := newRoom(t, nil)
	top := outsideOfTemp(t)
	if err := os.WriteFile(filepath.Join(top, "tool"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"": true, ":" + top: true, ".:" + top: true, "bin:" + top: true, "./bin:" + top: true, "~/bin:" + top: true, top + "/none::" + top: true, top: false, top + ":": false, top + ":.": false,
	} {
		t.Setenv("PATH", path)
		if got, _ := r.v.Planted("tool"); got != want {
			t.Errorf("PATH=%s: planted is %v", path, got)
		}
		want = want || path != top
		if got, shadows := r.v.Planted("nobody has it"); got != want || shadows {
			t.Errorf("PATH=%s: what is nowhere else is planted: %v, in front of another: %v", path, got, shadows)
		}
	}
}

// Bypass: a file is put where PATH finds it, and then counts as the program of its name.
func TestBypassProgramWhereAnybodyWrites(t *testing.T) {
	top := outsideOfTemp(t)
	r := newRoom(t, nil)
	v, err := Open([]Folder{{Path: r.root}}, Options{
		Home: filepath.Join(top, "home"), UserHome: top, Sandbox: func() sandbox.Settings { return sandbox.Settings{Writable: []string{"~/extra"}} },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	dirs := map[string]struct {
		mode   os.FileMode
		wanted bool
	}{
		filepath.Join(top, "good"): {0o755, true}, filepath.Join(top, "open"): {0o777, false}, filepath.Join(top, "sticky"): {0o777 | os.ModeSticky, false},
		filepath.Join(top, "extra", "bin"): {0o755, false}, filepath.Join(r.root, "bin"): {0o755, false}, filepath.Join(v.commandCache(), "bin"): {0o755, false},
		filepath.Join(t.TempDir(), "bin"): {0o755, false}, filepath.Join(top, "open", "bin"): {0o755, false}, filepath.Join(top, "link"): {0, false},
	}
	for dir, is := range dirs {
		if is.mode == 0 {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, is.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "ls"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(top, "link"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(r.root, "bin", "ls"), filepath.Join(top, "link", "ls")); err != nil {
		t.Fatal(err)
	}
	for dir, is := range dirs {
		t.Setenv("PATH", dir)
		if got := v.Program("ls"); (got != "") != is.wanted {
			t.Errorf("%s (%v): %q", dir, is.mode, got)
		}
		planted, shadows := v.Planted("ls")
		if none, _ := v.Planted("no such"); planted == is.wanted || shadows || none {
			t.Errorf("%s (%v): planted is %v, in front of another %v", dir, is.mode, planted, shadows)
		}
		t.Setenv("PATH", dir+":"+filepath.Join(top, "good"))
		if _, shadows := v.Planted("ls"); shadows == is.wanted {
			t.Errorf("%s (%v) before a good one: in front of another %v", dir, is.mode, shadows)
		}
	}
}

// outsideOfTemp is a directory where commands see what everybody sees.
func outsideOfTemp(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs("testdata")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		t.Fatal(err)
	}
	if openToAll(here) || slices.ContainsFunc(temporary, func(dir string) bool { return pathname.Inside(dir, here) }) {
		t.Skip("not run: the checkout is in a directory for temporary files")
	}
	dir, err := os.MkdirTemp(here, "path-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
