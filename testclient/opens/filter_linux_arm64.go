package opens

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// olderCalls: this machine has none.
var olderCalls map[uint32][]use
