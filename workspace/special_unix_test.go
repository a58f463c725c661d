//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
