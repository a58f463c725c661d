//go:build unix

package wire

import "syscall"

// processExists says whether pid names a process, also one of somebody else.
func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
