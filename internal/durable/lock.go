package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked says that somebody else holds a lock, and who, as far as is known.
type ErrLocked struct {
	Path    string
	PID     int       // 0: unknown
	Started time.Time // when that process took the lock; zero: unknown
}

// Error names the process.
func (e ErrLocked) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s is locked by another process", e.Path)
	}
	return fmt.Sprintf("%s is locked by process %d since %s", e.Path, e.PID, e.Started.Format(time.RFC3339))
}

// Lock is an exclusive lock that the kernel drops with its process, so it never
// goes stale and is never taken over.
type Lock struct {
	disk  *Disk
	owner string

	mu sync.Mutex // guards fl
	fl *flock.Flock
}

type owner struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// newLock is the lock of a file, which there may not be yet.
func newLock(path string, opts ...flock.Option) (*flock.Flock, error) {
	if err := onlyFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(path, opts...), nil
}

// longestGlance is how long TryLock goes on behind those who only look: Locked takes
// some millionths of a second, but a machine with too much to do may halt it there.
const longestGlance = 2 * time.Second

// tryBehindGlances takes a lock, or says at once that somebody holds it. Anyone who
// only looks shares it with others for a moment, which anyone who holds it does not.
func tryBehindGlances(fl *flock.Flock) (ok bool, err error) {
	for began := time.Now(); time.Since(began) < longestGlance; {
		if ok, err = fl.TryLock(); ok || err != nil {
			return ok, err
		}
		if shared, err := fl.TryRLock(); !shared || err != nil {
			return false, err
		}
		if err := fl.Unlock(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// TryLock takes the lock at path, creating the file if there is none, or
// returns ErrLocked at once; also when the holder is in this very process. The
// file itself stays empty: who holds it is in the file "owner" beside it,
// which only explains and is never trusted.
func (d *Disk) TryLock(path string) (*Lock, error) {
	l := &Lock{disk: d, owner: filepath.Join(filepath.Dir(path), ownerFile)}
	err := d.step(OpLock, path, func() error {
		fl, err := newLock(path)
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		ok, err := tryBehindGlances(fl)
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if !ok {
			who := readOwner(l.owner)
			return ErrLocked{Path: path, PID: who.PID, Started: who.Started}
		}
		l.fl = fl
		d.hold(l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(owner{os.Getpid(), time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, err
	}
	if err := d.replace(l.owner, append(text, '\n'), 0o600, false); err != nil {
		_ = d.Remove(l.owner) // rather nobody than the one before: it only explains
	}
	return l, nil
}

// Lost says that the lock keeps nobody out any more, because somebody removed or
// replaced its file: another process may hold another one of that name.
func (l *Lock) Lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost()
}

func (l *Lock) lost() bool {
	if l.fl == nil {
		return !l.disk.Frozen()
	}
	held, err := l.fl.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(l.fl.Path())
	return err != nil || !os.SameFile(held, named)
}

// Owner is the process that says of itself that it holds the lock at path, 0 where
// none does. It only explains: see TryLock.
func Owner(path string) int { return readOwner(filepath.Join(filepath.Dir(path), ownerFile)).PID }

// mostOwner is more than an owner says of itself, in bytes.
const ownerFile, mostOwner = "owner", 4 << 10

func readOwner(path string) owner {
	var who owner
	text, err := ReadFile(path, mostOwner)
	if err != nil || json.Unmarshal(text, &who) != nil || who.PID < 0 {
		return owner{}
	}
	return who
}

// Close removes the owner file and lets the lock go. A second Close, and one
// after Freeze, is harmless.
func (l *Lock) Close() error {
	if l.disk != nil {
		l.disk.locksMu.Lock()
		delete(l.disk.locks, l)
		l.disk.locksMu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fl == nil {
		return nil
	}
	if !l.lost() { // else it tells of somebody else
		os.Remove(l.owner)
	}
	err := l.fl.Close()
	l.fl = nil
	return err
}

// release lets the lock go as a crash does: the owner file stays.
func (l *Lock) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fl != nil {
		l.fl.Close()
		l.fl = nil
	}
}

// hold remembers a lock for Freeze.
func (d *Disk) hold(l *Lock) {
	if d == nil {
		return
	}
	d.locksMu.Lock()
	defer d.locksMu.Unlock()
	if d.locks == nil {
		d.locks = map[*Lock]struct{}{}
	}
	d.locks[l] = struct{}{}
}
