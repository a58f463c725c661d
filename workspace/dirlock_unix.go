//go:build unix

package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// dirLocked says that another process has locked a directory. Else the lock is ours
// now, or nobody's where the file system knows no locks.
func dirLocked(dir *os.File) bool {
	return errors.Is(unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// dirUnlock gives the lock up, also for copies of the descriptor, which a process that is
// being started has until it runs its program.
func dirUnlock(dir *os.File) { _ = unix.Flock(int(dir.Fd()), unix.LOCK_UN) }
