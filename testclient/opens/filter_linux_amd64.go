package opens

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// olderCalls are those without a descriptor of a directory, which newer machines do
// not have.
var olderCalls = map[uint32][]use{
	unix.SYS_OPEN:    {{-1, 0, 1, opens, true}},
	unix.SYS_CREAT:   {{-1, 0, -1, creates, true}},
	unix.SYS_UNLINK:  {{-1, 0, -1, changes, false}},
	unix.SYS_RMDIR:   {{-1, 0, -1, changes, false}},
	unix.SYS_RENAME:  {{-1, 0, -1, changes, false}, {-1, 1, -1, creates, false}},
	unix.SYS_LINK:    {{-1, 0, -1, links, false}, {-1, 1, -1, makes, false}},
	unix.SYS_SYMLINK: {{-1, 1, -1, makes, false}},
	unix.SYS_MKDIR:   {{-1, 0, -1, makes, false}},
	unix.SYS_MKNOD:   {{-1, 0, -1, makes, false}},
	unix.SYS_CHMOD:   {{-1, 0, -1, changes, true}},
	unix.SYS_CHOWN:   {{-1, 0, -1, changes, true}},
	unix.SYS_LCHOWN:  {{-1, 0, -1, changes, false}},
}
