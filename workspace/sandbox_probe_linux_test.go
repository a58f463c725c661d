package workspace

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const sigZero = syscall.Signal(0)

// openTerminal is a terminal as the person's, by the name of its file.
func openTerminal(t *testing.T) string {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "/dev/pts/" + strconv.Itoa(n)
}

// sharedMemory is a segment of System V's, by its number.
func sharedMemory(t *testing.T) string {
	t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	return strconv.Itoa(id)
}

// escapeRole is what the test binary does inside a sandbox: one attempt. It says
// that it tried, why it was kept out, and ends with 0 when it got in.
func escapeRole(args []string) int {
	if args[0] == "wait" {
		io.Copy(io.Discard, os.Stdin)
		return 0
	}
	fmt.Println("tried", args)
	if err := attempt(args[0], args[1:]); err != nil {
		fmt.Println("refused:", err)
		return 1
	}
	return 0
}

func attempt(what string, args []string) error {
	arg := func(n int) string {
		if n < len(args) {
			return args[n]
		}
		return ""
	}
	pid, _ := strconv.Atoi(arg(0))
	switch what {
	case "write":
		f, err := os.OpenFile(arg(0), os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString("escaped")
		return err
	case "open":
		f, err := os.OpenFile(arg(0), os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	case "listen":
		f, err := os.OpenFile(arg(0), os.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return f.Close()
	case "read":
		f, err := os.Open(arg(0))
		if err != nil {
			return err
		}
		defer f.Close()
		text := make([]byte, 4096)
		n, err := f.Read(text)
		fmt.Printf("%s\n", text[:n])
		return err
	case "sysv":
		memory, err := unix.SysvShmAttach(pid, 0, unix.SHM_RDONLY)
		if err != nil {
			return err
		}
		return unix.SysvShmDetach(memory)
	case "owner":
		return attemptOwner(arg(0), arg(1))
	case "truncate":
		return os.Truncate(arg(0), 0)
	case "chmod":
		return os.Chmod(arg(0), 0o777)
	case "utimes":
		return os.Chtimes(arg(0), time.Unix(1, 0), time.Unix(1, 0))
	case "setxattr":
		return unix.Setxattr(arg(0), "user.escaped", []byte("1"), 0)
	case "link":
		if err := os.Link(arg(0), arg(1)); err != nil {
			return err
		}
		return os.WriteFile(arg(1), []byte("escaped"), 0o644)
	case "handle":
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, arg(0), 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(unix.AT_FDCWD, handle, unix.O_RDONLY)
		return err
	case "ptrace":
		return unix.PtraceAttach(pid)
	case "vmread":
		// An address that is not mapped: EFAULT says that it may be read.
		local := make([]byte, 8)
		_, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &local[0], Len: 8}}, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
		if err == unix.EFAULT {
			return nil
		}
		return err
	case "kill":
		return unix.Kill(pid, 0)
	case "pidfd":
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	case "dial":
		c, err := net.DialTimeout(arg(0), arg(1), time.Second)
		if err != nil {
			return err
		}
		if _, err = c.Write([]byte("escaped")); err != nil || arg(0) != "udp" {
			return err
		}
		// A packet that leaves says nothing; an answer does.
		if err := c.SetDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 10))
		return err
	case "socket":
		family := map[string]int{"packet": unix.AF_PACKET, "vsock": unix.AF_VSOCK, "alg": unix.AF_ALG}[arg(0)]
		kind := unix.SOCK_RAW
		if family != unix.AF_PACKET {
			kind = unix.SOCK_STREAM
		}
		if family == unix.AF_ALG {
			kind = unix.SOCK_SEQPACKET
		}
		_, err := unix.Socket(family, kind, 0)
		return err
	}
	return attemptCall(what, args)
}

// attemptCall are attempts that are one system call.
func attemptCall(what string, args []string) error {
	number := func(n uintptr, a ...uintptr) error {
		a = append(a, 0, 0, 0, 0, 0, 0)
		if _, _, errno := unix.Syscall6(n, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
	switch what {
	case "unshare":
		return unix.Unshare(unix.CLONE_NEWUSER)
	case "cloneuser":
		// Through the runtime, which would wait for a child that the kernel made.
		p, err := os.StartProcess("/proc/self/exe", []string{"probe", "escape", "wait"}, &os.ProcAttr{
			Files: []*os.File{os.Stdin}, Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS}})
		if err != nil {
			return err
		}
		_, err = p.Wait()
		return err
	case "mount":
		return unix.Mount("tmpfs", "/mnt", "tmpfs", 0, "")
	case "umount":
		return unix.Unmount(args[0], unix.MNT_DETACH)
	case "setns":
		fd, err := unix.Open(args[0], unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, 0)
	case "io_uring":
		var params [128]byte
		return number(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params[0])))
	case "keyctl":
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	case "bpf":
		var attr [128]byte
		return number(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&attr[0])), 128)
	case "setuid":
		if err := unix.Setuid(os.Getuid() + 1); err != nil {
			return err
		}
		return nil
	case "x32":
		return number(1<<30|unix.SYS_GETPPID, 0)
	case "tiocsti":
		char := byte('x')
		return number(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&char)))
	}
	return fmt.Errorf("no attempt is called %q", what)
}
