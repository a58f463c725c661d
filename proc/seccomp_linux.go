package proc

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machine is what a filter must know of a processor. A system call has other
// numbers on others, so a filter for the wrong one is no filter.
type machine struct {
	audit uint32 // AUDIT_ARCH_*: which numbers a call uses
	x32   bool   // has a second set of numbers behind bit 30
}

var machines = map[string]machine{
	"amd64": {unix.AUDIT_ARCH_X86_64, true},
	"arm64": {unix.AUDIT_ARCH_AARCH64, false},
}

// HasFilter says whether commands can be filtered on this processor.
func HasFilter() bool {
	_, ok := machines[runtime.GOARCH]
	return ok
}

const (
	allow  = unix.SECCOMP_RET_ALLOW
	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noFile = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)

	x32Bit = 1 << 30

	// Where the kernel puts what the filter looks at (struct seccomp_data).
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
)

// forbidden are calls that no command of a project needs and that are a way
// around or out: io_uring does what the filter does not see, keyrings are the
// person's, the others make namespaces and mounts or are large parts of the
// kernel that only capabilities guard.
var forbidden = []uint32{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT,
}

// filter installs the program of c on this thread and all that it starts.
func filter(c Confinement) error {
	m, ok := machines[runtime.GOARCH]
	if !ok {
		return nil // said by whoever reports the level
	}
	p := program(m, c)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0); err != nil {
		return fmt.Errorf("install the filter of system calls: %w", err)
	}
	return nil
}

// program is the filter. At level namespaces the network is a namespace of its
// own, so its sockets only reach the command itself and tests that talk to
// themselves work; at level landlock they are refused here, and so are sockets
// to the daemons of the machine. socketpair always stays.
func program(m machine, c Confinement) []unix.SockFilter {
	families := []uint32{unix.AF_NETLINK} // lists interfaces; changes need capabilities
	if c.Level == Namespaces {
		families = append(families, unix.AF_UNIX)
	}
	if c.Network || c.Level == Namespaces {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	p := []unix.SockFilter{
		load(offArch), equal(m.audit, 1, 0), give(unix.SECCOMP_RET_KILL_PROCESS),
		load(offNumber),
	}
	if m.x32 {
		p = append(p, atLeast(x32Bit, 0, 1), give(absent))
	}
	for _, n := range forbidden {
		p = append(p, equal(n, 0, 1), give(refuse))
	}
	// The flags of clone3 lie in memory, out of the filter's sight; every C
	// library falls back to clone.
	p = append(p, equal(unix.SYS_CLONE3, 0, 1), give(absent))
	p = append(p, when(unix.SYS_SOCKET, socketFamilies(families))...)
	p = append(p, when(unix.SYS_CLONE, []unix.SockFilter{load(offArg0), anyBit(unix.CLONE_NEWUSER, 0, 1), give(refuse), give(allow)})...)
	p = append(p, when(unix.SYS_UNSHARE, []unix.SockFilter{load(offArg0), anyBit(unix.CLONE_NEWUSER, 0, 1), give(refuse), give(allow)})...)
	// Both put characters into somebody's terminal.
	p = append(p, when(unix.SYS_IOCTL, []unix.SockFilter{load(offArg1), equal(unix.TIOCSTI, 1, 0), equal(unix.TIOCLINUX, 0, 1), give(refuse), give(allow)})...)
	return append(p, give(allow))
}

func socketFamilies(families []uint32) []unix.SockFilter {
	p := []unix.SockFilter{load(offArg0)}
	for _, f := range families {
		p = append(p, equal(f, 0, 1), give(allow))
	}
	return append(p, give(noFile))
}

// when runs body, which ends in an answer, for one call.
func when(number uint32, body []unix.SockFilter) []unix.SockFilter {
	if len(body) > math.MaxUint8 {
		panic("proc: a jump of the filter is too far")
	}
	return append([]unix.SockFilter{equal(number, 0, uint8(len(body)))}, body...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(test uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func equal(k uint32, yes, no uint8) unix.SockFilter   { return jump(unix.BPF_JEQ, k, yes, no) }
func atLeast(k uint32, yes, no uint8) unix.SockFilter { return jump(unix.BPF_JGE, k, yes, no) }
func anyBit(k uint32, yes, no uint8) unix.SockFilter  { return jump(unix.BPF_JSET, k, yes, no) }

func give(answer uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: answer}
}
