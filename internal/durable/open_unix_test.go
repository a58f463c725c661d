//go:build unix

package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What somebody has put in the place of a file of ours is refused at once: a named
// pipe is not waited for, a device is not read until the memory is full.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, device := filepath.Join(dir, "pipe"), filepath.Join(dir, "device")
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", device), unix.Mkfifo(filepath.Join(dir, "beside.lock"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, device, dir} {
		_, openErr := Open(path)
		_, readErr := ReadFrom(path, 0, func([]byte, int64) bool { return true })
		_, lockErr := plainDisk.TryLock(path)
		_, waitErr := (*Disk)(nil).Lock(path)
		for what, err := range map[string]error{"open": openErr, "read": readErr, "lock": lockErr, "wait for the lock": waitErr} {
			if !errors.Is(err, ErrNoFile) {
				t.Errorf("%s %s: %v", what, path, err)
			}
		}
		if !Locked(path) {
			t.Errorf("%s can be locked", path)
		}
	}
	if _, err := LockBeside(filepath.Join(dir, "beside")); !errors.Is(err, ErrNoFile) {
		t.Errorf("lock beside: %v", err)
	}
}

// Who holds a lock is told by a file that anybody can write.
func TestMadeUpOwner(t *testing.T) {
	for name, text := range map[string]string{"a pipe": "", "negative": `{"pid": -1}`, "long": `{"pid": 1` + strings.Repeat(" ", 1<<20) + "}", "no number": `{"pid": "1"}`} {
		dir := t.TempDir()
		owner := filepath.Join(dir, ownerFile)
		err := os.WriteFile(owner, []byte(text), 0o600)
		if text == "" {
			err = errors.Join(os.Remove(owner), unix.Mkfifo(owner, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		if pid := Owner(filepath.Join(dir, "lock")); pid != 0 {
			t.Errorf("%s: the owner is %d", name, pid)
		}
	}
}
