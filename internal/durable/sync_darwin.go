package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFile is fsync(2): os.File.Sync would empty the drive's own cache on
// darwin, which takes tens of milliseconds a call.
func syncFile(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var syncErr error
	err = raw.Control(func(fd uintptr) {
		syncErr = unix.Fsync(int(fd))
		for syncErr == unix.EINTR {
			syncErr = unix.Fsync(int(fd))
		}
	})
	return errors.Join(err, syncErr)
}
