package durable

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// Locked says whether somebody holds the lock at path, in this process or in
// another one, without taking it or making the file. Where that cannot be told,
// it says yes. A TryLock of somebody else tries again while it looks.
func Locked(path string) bool {
	if err := onlyFile(path); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if err != nil || !free {
		return true
	}
	return l.Close() != nil
}

// Unheld keeps everybody else from taking the lock at path until release, where its file
// is there and nobody holds it: what the lock is for can be removed meanwhile. Nothing is
// made. Who waits for the lock has to see whether it is Lost then.
func Unheld(path string) (release func() error, ok bool) {
	if onlyFile(path) != nil {
		return nil, false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if free, err := l.TryRLock(); err != nil || !free {
		return nil, false
	}
	return l.Close, true
}
