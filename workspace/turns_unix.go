//go:build unix

package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// turnTaken says that another process has its turn in a directory. Else it is ours
// now, or nobody's where the file system knows no locks.
func turnTaken(dir *os.File) bool {
	return errors.Is(unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
