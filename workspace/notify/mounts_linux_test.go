package notify

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Bypass: what is mounted on a directory changes all names in it, and nobody who watches
// the directory is told.
func TestBypassMountOnAWatchedDirectory(t *testing.T) {
	if os.Getenv("NOTIFY_TEST_MOUNTS") == "" {
		again := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		again.Env = append(os.Environ(), "NOTIFY_TEST_MOUNTS=yes")
		again.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := again.CombinedOutput()
		if _, ran := err.(*exec.ExitError); err != nil && !ran {
			t.Skip("not run: no namespaces here: ", err)
		}
		if t.Log(string(out)); err != nil {
			t.Error(err)
		}
		return
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skip("not run: ", err)
	}
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var n Notifier
	defer n.Close()
	for _, still := range []bool{false, true} {
		n.Update()
		if n.Still(dir) != still {
			t.Fatalf("still the same: %v", n.Still(dir))
		}
		for _, path := range []string{top, dir} {
			f, err := OpenDirectory(path, false)
			if err != nil {
				t.Fatal(err)
			}
			if n.Watch(f, path, path == top); !n.Still(path) {
				t.Skip("not run: the system does not tell every change here")
			}
			f.Close()
		}
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		t.Skip("not run: ", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	if n.Update(); n.Still(dir) {
		t.Error("the directory is another one, and is taken for the same")
	}
}
