package proc

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machine is what a filter must know of a processor. A system call has other
// numbers on others, so a filter for the wrong one is no filter.
type machine struct {
	audit uint32 // AUDIT_ARCH_*: which numbers a call uses
	x32   bool   // has a second set of numbers behind bit 30
	modes []modeCall
}

// modeCall is a system call that gives a file a mode.
type modeCall struct {
	number, mode uint32 // mode: which argument
	flags        uint32 // which argument says whether a file is made; 0: one always is, or is there
}

// The old calls are only on one processor, so their numbers have no names here.
var machines = map[string]machine{
	"amd64": {unix.AUDIT_ARCH_X86_64, true, []modeCall{
		{number: 90, mode: 1},          // chmod
		{number: 2, flags: 1, mode: 2}, // open
		{number: 85, mode: 1},          // creat
		{number: 133, mode: 1},         // mknod
	}},
	"arm64": {unix.AUDIT_ARCH_AARCH64, false, nil},
}

// modeCalls are on every processor. mkdir and its like are not among them: the kernel
// takes no such bit from them.
var modeCalls = []modeCall{
	{number: unix.SYS_FCHMOD, mode: 1}, {number: unix.SYS_FCHMODAT, mode: 2}, {number: unix.SYS_FCHMODAT2, mode: 2},
	{number: unix.SYS_OPENAT, flags: 2, mode: 3}, {number: unix.SYS_MKNODAT, mode: 2},
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

	// makesFile are the flags with which a call that opens a file looks at the mode.
	makesFile = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
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
		return nil // said by anyone who reports the level
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
	// The flags of clone3 are in memory, out of the filter's sight; every C
	// library falls back to clone. So does the mode of openat2, behind which is openat.
	p = append(p, equal(unix.SYS_CLONE3, 0, 1), give(absent), equal(unix.SYS_OPENAT2, 0, 1), give(absent))
	for _, call := range slices.Concat(m.modes, modeCalls) {
		p = append(p, when(call.number, call.keepsOwner())...)
	}
	p = append(p, when(unix.SYS_SOCKET, socketFamilies(families))...)
	p = append(p, when(unix.SYS_CLONE, []unix.SockFilter{load(arg(0)), anyBit(unix.CLONE_NEWUSER, 0, 1), give(refuse), give(allow)})...)
	p = append(p, when(unix.SYS_UNSHARE, []unix.SockFilter{load(arg(0)), anyBit(unix.CLONE_NEWUSER, 0, 1), give(refuse), give(allow)})...)
	// Both put characters into somebody's terminal.
	p = append(p, when(unix.SYS_IOCTL, []unix.SockFilter{load(arg(1)), equal(unix.TIOCSTI, 1, 0), equal(unix.TIOCLINUX, 0, 1), give(refuse), give(allow)})...)
	return append(p, give(allow))
}

// keepsOwner refuses to make a file that runs with its owner's rights, wherever it is:
// another user of the machine could start it. Setgid is not refused: it is usual on
// directories, and from a call the filter cannot tell one from a file.
func (c modeCall) keepsOwner() (p []unix.SockFilter) {
	if c.flags != 0 {
		p = append(p, load(arg(c.flags)), anyBit(makesFile, 1, 0), give(allow))
	}
	return append(p, load(arg(c.mode)), anyBit(unix.S_ISUID, 0, 1), give(refuse), give(allow))
}

func socketFamilies(families []uint32) []unix.SockFilter {
	p := []unix.SockFilter{load(arg(0))}
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

// arg is where the lower half of an argument is. No call here has more than 32 bits in
// one that is looked at.
func arg(n uint32) uint32 { return offArg0 + 8*n }

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
