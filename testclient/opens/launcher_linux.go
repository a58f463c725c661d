//go:build linux && (amd64 || arm64)

package opens

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcherWord is the first argument of a test binary that is to be the launcher.
const launcherWord = "opens-launcher"

// What a launcher is asked, and what it answers. The descriptor of the output comes
// with an order, that of the filter with the first answer.
type (
	order struct {
		Script Script
	}
	answer struct {
		Ready   bool   // the first message of all
		Started bool   // with a descriptor of its process
		Ended   bool   // and everything that it started has ended, too
		Exit    int    // how
		Failed  string // nothing started, or nothing can be started here at all
	}
)

const (
	launcherSocket = 3
	messageBytes   = 256 << 10
)

// Launcher makes this process the one that starts the programs, where a Tracer
// started it for that. The main function of every test binary with a Tracer calls
// it first, and exits when it returns true.
func Launcher() bool {
	if len(os.Args) < 3 || os.Args[1] != launcherWord {
		return false
	}
	runtime.LockOSThread() // the main thread is none of those that get a filter
	if err := shut(os.Args[2], os.Args[3:]); err != nil {
		_ = tell(launcherSocket, answer{Failed: err.Error()}, -1)
		return true
	}
	if tell(launcherSocket, answer{Ready: true}, -1) != nil {
		return true
	}
	for {
		var o order
		output, err := hear(launcherSocket, &o)
		if err != nil {
			return true // the tracer is gone
		}
		done := make(chan answer)
		// Its thread ends with it, and the filter with the thread.
		go func() { done <- launch(o, output) }()
		if tell(launcherSocket, <-done, -1) != nil {
			return true
		}
	}
}

// launch runs one script on a thread of its own and waits for its end.
func launch(o order, output int) answer {
	runtime.LockOSThread()
	defer unix.Close(output)
	null, err := os.Open(os.DevNull)
	if err != nil {
		return answer{Ended: true, Failed: err.Error()}
	}
	defer null.Close()
	// Being root counts for nothing from here on: what is read-only stays so.
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, 1<<0|1<<1, 0, 0, 0); err != nil {
		return answer{Ended: true, Failed: fmt.Sprintf("capabilities: %v", err)}
	}
	listener, err := install()
	if err != nil {
		return answer{Ended: true, Failed: err.Error()}
	}
	err = tell(launcherSocket, answer{}, listener)
	_ = unix.Close(listener)
	if err != nil {
		return answer{Ended: true, Failed: err.Error()}
	}
	handle := -1
	pid, err := syscall.ForkExec(o.Script.Args[0], o.Script.Args, &syscall.ProcAttr{
		Dir: o.Script.Dir, Env: o.Script.Env, Files: []uintptr{null.Fd(), uintptr(output), uintptr(output)},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &handle},
	})
	if err != nil {
		return answer{Ended: true, Failed: err.Error()}
	}
	// Not the launcher's own bound: over thousands of scripts it needs more than one may.
	if err := unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: scriptSeconds, Max: scriptSeconds}, nil); err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err := tell(launcherSocket, answer{Started: true}, handle); err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = unix.Close(handle)
	var status syscall.WaitStatus
	for {
		if _, err = syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	// This process is the first one of its namespace: all the others are what the
	// script left behind.
	_ = syscall.Kill(-1, syscall.SIGKILL)
	for err = nil; err == nil || err == syscall.EINTR; {
		_, err = syscall.Wait4(-1, nil, 0, nil)
	}
	if status.Signaled() {
		return answer{Ended: true, Exit: 128 + int(status.Signal())}
	}
	return answer{Ended: true, Exit: status.ExitStatus()}
}

// scriptSeconds is how much of the processor one process of a script may use.
const scriptSeconds = 5

// shut makes the whole file system of this process read-only but for some
// directories, leaves the harmless ones of its devices, and bounds what it may use.
// scratch is an empty directory.
func shut(scratch string, writable []string) error {
	for what, most := range map[int]uint64{unix.RLIMIT_FSIZE: 1 << 20, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	for _, dir := range writable {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("bind %s: %w", dir, err)
		}
	}
	// This process is the first one of its namespace: /proc tells of no others.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	if err := fewDevices(scratch); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	for _, dir := range writable {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("writable %s: %w", dir, err)
		}
	}
	return nil
}

// fewDevices leaves those devices in /dev that do nothing.
func fewDevices(scratch string) error {
	if err := unix.Mount("tmpfs", scratch, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		at := filepath.Join(scratch, name)
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			return err
		}
		if err := unix.Mount("/dev/"+name, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("device %s: %w", name, err)
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(to, filepath.Join(scratch, name)); err != nil {
			return err
		}
	}
	if err := unix.Mount(scratch, "/dev", "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	return nil
}

// tell sends a message, with a descriptor where that is not negative.
func tell(socket int, message any, fd int) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	return unix.Sendmsg(socket, text, rights, nil, 0)
}

// hear waits for a message; the descriptor that came with it is -1 where none did.
func hear(socket int, into any) (fd int, err error) {
	text, rights := make([]byte, messageBytes), make([]byte, unix.CmsgSpace(4))
	n, nrights := 0, 0
	for {
		n, nrights, _, _, err = unix.Recvmsg(socket, text, rights, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return -1, err
	}
	if n == 0 {
		return -1, os.ErrClosed
	}
	fd = -1
	if nrights > 0 {
		messages, err := unix.ParseSocketControlMessage(rights[:nrights])
		if err != nil {
			return -1, err
		}
		for _, m := range messages {
			if fds, err := unix.ParseUnixRights(&m); err == nil && len(fds) == 1 {
				fd = fds[0]
			}
		}
	}
	return fd, json.Unmarshal(text[:n], into)
}
