//go:build linux && (amd64 || arm64)

package opens

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// use is one path of a system call: which argument it is, from which directory it
// counts, and what is done to it.
type use struct {
	dir    int // the argument with the directory's descriptor, -1: the working directory
	path   int // the argument with the address of the path
	flags  int // the argument with flags, -1: none
	kind   kind
	follow bool // a link at the very end is followed
}

type kind int

const (
	opens    kind = iota // flags say whether it reads or writes
	opensHow             // openat2: flags are in a struct
	creates              // or replaces what is there
	makes                // fails where something is there
	executes
	changes
	links // the old name: followed with AT_SYMLINK_FOLLOW only
)

// calls are the system calls that the filter stops, with the paths that they use.
var calls = func() map[uint32][]use {
	all := map[uint32][]use{
		unix.SYS_OPENAT:      {{0, 1, 2, opens, true}},
		unix.SYS_OPENAT2:     {{0, 1, 2, opensHow, true}},
		unix.SYS_EXECVE:      {{-1, 0, -1, executes, true}},
		unix.SYS_EXECVEAT:    {{0, 1, 4, executes, true}},
		unix.SYS_TRUNCATE:    {{-1, 0, -1, changes, true}},
		unix.SYS_UNLINKAT:    {{0, 1, -1, changes, false}},
		unix.SYS_RENAMEAT2:   {{0, 1, -1, changes, false}, {2, 3, -1, creates, false}},
		unix.SYS_RENAMEAT:    {{0, 1, -1, changes, false}, {2, 3, -1, creates, false}},
		unix.SYS_LINKAT:      {{0, 1, 4, links, false}, {2, 3, -1, makes, false}},
		unix.SYS_SYMLINKAT:   {{1, 2, -1, makes, false}},
		unix.SYS_MKDIRAT:     {{0, 1, -1, makes, false}},
		unix.SYS_MKNODAT:     {{0, 1, -1, makes, false}},
		unix.SYS_FCHMODAT:    {{0, 1, -1, changes, true}},
		unix.SYS_FCHOWNAT:    {{0, 1, -1, changes, true}},
		unix.SYS_SETXATTR:    {{-1, 0, -1, changes, true}},
		unix.SYS_REMOVEXATTR: {{-1, 0, -1, changes, true}},
	}
	for nr, uses := range olderCalls {
		all[nr] = uses
	}
	return all
}()

// The parts of struct seccomp_data that the filter looks at, and actions.
const (
	dataNumber       = 0
	dataArchitecture = 4
)

// install puts the filter on this thread, and on what it starts, and returns the
// descriptor on which the tracer hears of the system calls.
func install() (int, error) {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: dataArchitecture},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: architecture, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS}, // other numbers: nothing would be seen
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: dataNumber},
	}
	for nr := range calls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: nr, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	// A ring of requests opens files that no filter sees.
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_IO_URING_SETUP, Jf: 1},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("no new privileges: %w", err)
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, fmt.Errorf("filter: %w", errno)
	}
	return int(fd), nil
}
