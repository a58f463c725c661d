//go:build !windows

package durable

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes the names in a directory survive a power cut. File systems that
// cannot do that for a directory say EINVAL; they have nothing better to offer.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = syncedFile(f)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
