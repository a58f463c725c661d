package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gofrs/flock"
)

// lockWait bounds how long a writer waits for another process, which holds a lock
// for milliseconds unless somebody has stopped it.
const lockWait = 10 * time.Second

// LockBeside takes the lock `<path>.lock`, waiting up to 10 s for another process.
// It is for a file that several processes read, change and write back. Close lets
// it go.
func LockBeside(path string) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	l, err := newLock(path+".lock", flock.SetPermissions(0o600))
	if err == nil {
		_, err = l.TryLockContext(ctx, 5*time.Millisecond)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another process has held the lock %s.lock for %v", path, lockWait)
	case err != nil:
		return nil, fmt.Errorf("lock: %w", err)
	}
	return l, nil
}
