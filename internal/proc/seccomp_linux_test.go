package proc

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// answer runs a filter on one system call, as the kernel does.
func answer(t *testing.T, p []unix.SockFilter, arch, number uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.NativeEndian.PutUint32(data[offNumber:], number)
	binary.NativeEndian.PutUint32(data[offArch:], arch)
	for i, a := range args {
		binary.NativeEndian.PutUint64(data[offArg0+8*i:], a)
	}
	var acc uint32
	for at := 0; at < len(p); at++ {
		f := p[at]
		jump := func(yes bool) {
			if yes {
				at += int(f.Jt)
			} else {
				at += int(f.Jf)
			}
		}
		switch f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.NativeEndian.Uint32(data[f.K:])
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(acc == f.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(acc >= f.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(acc&f.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		default:
			t.Fatalf("instruction %#x", f.Code)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

// filterRow is one system call and what comes of it at four kinds of sandbox: private,
// shared, landlock, open.
type filterRow struct {
	call string
	n    uint32
	args []uint64
	want [4]uint32
}

func same(a uint32) [4]uint32 { return [4]uint32{a, a, a, a} }

// modeRows are the calls that give a file a mode. None may lend its owner's rights.
func modeRows(m machine) []filterRow {
	const own, group = unix.S_ISUID | 0o755, unix.S_ISGID | 0o755
	rows := []filterRow{
		{"fchmod", unix.SYS_FCHMOD, []uint64{0, own}, same(refuse)},
		{"fchmodat", unix.SYS_FCHMODAT, []uint64{0, 0, own}, same(refuse)},
		{"fchmodat2", unix.SYS_FCHMODAT2, []uint64{0, 0, own, 0}, same(refuse)},
		{"fchmod with both bits", unix.SYS_FCHMOD, []uint64{0, unix.S_ISUID | unix.S_ISGID}, same(refuse)},
		{"fchmod with more bits", unix.SYS_FCHMOD, []uint64{0, 1<<32 | own}, same(refuse)},
		{"fchmod of a directory of a group", unix.SYS_FCHMOD, []uint64{0, group}, same(allow)},
		{"an ordinary fchmodat", unix.SYS_FCHMODAT, []uint64{own, own, 0o1777}, same(allow)},
		{"mknodat", unix.SYS_MKNODAT, []uint64{0, 0, unix.S_IFREG | own}, same(refuse)},
		{"mknodat of a pipe", unix.SYS_MKNODAT, []uint64{0, 0, unix.S_IFIFO | 0o600}, same(allow)},
		{"openat that makes a file", unix.SYS_OPENAT, []uint64{0, 0, unix.O_WRONLY | unix.O_CREAT, own}, same(refuse)},
		{"openat that makes one without a name", unix.SYS_OPENAT, []uint64{0, 0, unix.O_RDWR | unix.O_TMPFILE, own}, same(refuse)},
		{"an ordinary openat", unix.SYS_OPENAT, []uint64{0, 0, unix.O_WRONLY | unix.O_CREAT, 0o755}, same(allow)},
		{"openat of a directory, whose mode is anything", unix.SYS_OPENAT, []uint64{0, 0, unix.O_DIRECTORY, own}, same(allow)},
		{"openat2, whose mode is out of sight", unix.SYS_OPENAT2, nil, same(absent)},
		{"mkdirat, whose bits do not count", unix.SYS_MKDIRAT, []uint64{0, 0, own}, same(allow)},
	}
	if m.x32 {
		rows = append(rows, []filterRow{
			{"chmod", 90, []uint64{0, own}, same(refuse)},
			{"chmod of a directory of a group", 90, []uint64{0, group}, same(allow)},
			{"creat", 85, []uint64{0, own}, same(refuse)},
			{"mknod", 133, []uint64{0, unix.S_IFREG | own}, same(refuse)},
			{"open that makes a file", 2, []uint64{0, unix.O_WRONLY | unix.O_CREAT, own}, same(refuse)},
			{"open that makes one without a name", 2, []uint64{0, unix.O_RDWR | unix.O_TMPFILE, own}, same(refuse)},
			{"an ordinary open", 2, []uint64{0, 0, own}, same(allow)},
			{"x32 chmod", x32Bit | 90, []uint64{0, own}, same(absent)},
		}...)
	}
	return rows
}

func TestFilter(t *testing.T) {
	m, ok := machines[runtime.GOARCH]
	if !ok {
		t.Skip("not run: there is no filter for this processor")
	}
	private, shared, landlock, open := Confinement{Level: Namespaces}, Confinement{Level: Namespaces, Network: true}, Confinement{Level: Landlock}, Confinement{Level: Landlock, Network: true}
	rows := []filterRow{
		{"read", unix.SYS_READ, nil, same(allow)},
		{"ptrace, for debuggers", unix.SYS_PTRACE, nil, same(allow)},
		{"socketpair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX}, same(allow)},
		{"AF_INET", unix.SYS_SOCKET, []uint64{unix.AF_INET}, [4]uint32{allow, allow, noFile, allow}},
		{"AF_INET6", unix.SYS_SOCKET, []uint64{unix.AF_INET6}, [4]uint32{allow, allow, noFile, allow}},
		{"AF_UNIX", unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, [4]uint32{allow, allow, noFile, noFile}},
		{"AF_NETLINK", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK}, same(allow)},
		{"AF_PACKET", unix.SYS_SOCKET, []uint64{unix.AF_PACKET}, same(noFile)},
		{"AF_VSOCK", unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, same(noFile)},
		{"a family nobody knows", unix.SYS_SOCKET, []uint64{1 << 20}, same(noFile)},
		{"the upper half of an argument", unix.SYS_SOCKET, []uint64{1<<32 | unix.AF_PACKET}, same(noFile)},
		{"fork", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, same(allow)},
		{"a user namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | unix.CLONE_VM}, same(refuse)},
		{"a user namespace by unshare", unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWUSER}, same(refuse)},
		{"unshare of files", unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, same(allow)},
		{"clone3", unix.SYS_CLONE3, nil, same(absent)},
		{"TIOCSTI", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, same(refuse)},
		{"TIOCSTI with more bits", unix.SYS_IOCTL, []uint64{0, 1<<32 | unix.TIOCSTI}, same(refuse)},
		{"TIOCLINUX", unix.SYS_IOCTL, []uint64{0, unix.TIOCLINUX}, same(refuse)},
		{"TCGETS", unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, same(allow)},
	}
	rows = append(rows, modeRows(m)...)
	for _, n := range forbidden {
		rows = append(rows, filterRow{"forbidden", n, nil, same(refuse)})
	}
	if m.x32 {
		rows = append(rows, filterRow{"x32", x32Bit | unix.SYS_READ, nil, same(absent)}, filterRow{"x32 socket", x32Bit | unix.SYS_SOCKET, []uint64{unix.AF_PACKET}, same(absent)})
	}
	for i, c := range []Confinement{private, shared, landlock, open} {
		p := program(m, c)
		for _, r := range rows {
			if got := answer(t, p, m.audit, r.n, r.args...); got != r.want[i] {
				t.Errorf("%+v: %s (%d): %#x, want %#x", c, r.call, r.n, got, r.want[i])
			}
		}
		if got := answer(t, p, m.audit+1, unix.SYS_READ); got != unix.SECCOMP_RET_KILL_PROCESS {
			t.Errorf("another processor's calls: %#x", got)
		}
	}
}
