//go:build unix && !linux

package proc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt: only Linux gives orphans to an ancestor.
func adopt() bool { return false }

func confinedAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// attrOf: there are no namespaces here.
func attrOf(Confinement) *syscall.SysProcAttr { return confinedAttr() }

func isChild(int, int) bool { return false }

func closeInherited() { closeListed("/dev/fd") }

// survivors is the process group of the command: what left it is not found.
func survivors(group int) []int {
	if group == 0 || unix.Kill(-group, 0) == unix.ESRCH {
		return nil
	}
	return []int{-group}
}

// sweep kills the group; environments of others cannot be read here.
func sweep(group int, _ string, _ int) int {
	if group != 0 {
		unix.Kill(-group, unix.SIGKILL)
	}
	return 0
}

// HasFilter says whether system calls of commands can be filtered.
func HasFilter() bool { return false }
