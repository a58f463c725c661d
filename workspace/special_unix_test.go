//go:build unix

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestNeverBlocksOnSpecialFiles(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "x\n"})
	if err := syscall.Mkfifo(filepath.Join(r.root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.want(r.run("read", "path", "pipe"), true, "named pipe")
	r.want(r.run("edit", "path", "pipe", "old", "a", "new", "b"), true, "named pipe")
	r.want(r.run("write", "path", "pipe", "content", "b"), true, "named pipe")
	r.want(r.run("delete", "path", "pipe"), true, "named pipe")
	r.want(r.run("grep", "path", "pipe", "pattern", "x"), true, "named pipe")
	r.want(r.run("grep", "pattern", "x"), false, "a\n  1: x")
	r.want(r.run("read", "path", "/dev/zero"), true, "a device")
	// Swapped in between plan and run.
	p, err := r.plan("read", "path", "a")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(r.root, "a"))
	syscall.Mkfifo(filepath.Join(r.root, "a"), 0o644)
	r.want(r.finish(p), true, "named pipe")
}

// Beside a question about a command that leaves the sandbox, what does more than a file is
// named before all plain files.
func TestBypassSpecialFilesAmongDependencies(t *testing.T) {
	dir := t.TempDir()
	deps := filepath.Join(dir, "node_modules")
	if err := os.MkdirAll(filepath.Join(deps, "z"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".agentignore": "node_modules\n", "node_modules/z/lends": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(deps, fmt.Sprintf("%02d.js", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"node_modules/z/lends (setuid or setgid)"}
	if err := os.Chmod(filepath.Join(deps, "z/lends"), 0o755|fs.ModeSetgid); err != nil {
		t.Skip("not run: no setgid here: ", err)
	}
	outside := filepath.Join(t.TempDir(), "x")
	for name, to := range map[string]string{"in": "../00.js", "out": outside} {
		if err := os.Symlink(to, filepath.Join(deps, "z", name)); err != nil {
			t.Fatal(err)
		}
	}
	want = append(want, "node_modules/z/out (a link to "+outside+")", "node_modules/z/pipe (a named pipe)")
	if err := syscall.Mkfifo(filepath.Join(deps, "z/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	n, first, all := v.Unfollowed(t.Context(), time.Time{})
	if n != 24 || !all || len(first) != shownUnfollowed || !slices.Equal(first[:3], want) {
		t.Errorf("%d %v %q", n, all, first)
	}
}
