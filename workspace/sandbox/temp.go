package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Temp is the directory that commands of a Vault have as /tmp. It is made for
// the first of them and removed with the Vault. What a killed process left is removed
// by SweepTemps: the lock beside the directory, which commands do not see, tells
// whether somebody still has it.
type Temp struct {
	mu   sync.Mutex // guards the rest
	own  string     // the lock and what commands have are in it; "" until the first
	lock *durable.Lock
}

// Temps are the /tmp of a Vault's commands: one that they share, and one for each session
// that is kept apart. The zero Temps has none yet.
type Temps struct {
	mu   sync.Mutex // guards the rest
	each map[string]*Temp
}

// Of is the one of a session, "" is the shared one.
func (t *Temps) Of(session string) *Temp {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.each == nil {
		t.each = map[string]*Temp{}
	}
	if t.each[session] == nil {
		t.each[session] = &Temp{}
	}
	return t.each[session]
}

// Remove takes that of a session away, if it has one.
func (t *Temps) Remove(session string) error {
	t.mu.Lock()
	one := t.each[session]
	delete(t.each, session)
	t.mu.Unlock()
	if one == nil {
		return nil
	}
	return one.Remove()
}

// RemoveAll takes all of them away.
func (t *Temps) RemoveAll() error {
	t.mu.Lock()
	all := t.each
	t.each = nil
	t.mu.Unlock()
	var errs []error
	for _, one := range all {
		errs = append(errs, one.Remove())
	}
	return errors.Join(errs...)
}

const (
	tempFolders  = "agent-sidecar-temp-*"
	tempLock     = "lock"
	tempOfTheirs = "tmp"
	tempClosed   = "closed"    // a file that nobody may read, which covers others
	tempGit      = "gitconfig" // what a command sees as the person's configuration of git
	tempIgnore   = "gitignore"
	tempHome     = "home" // what it sees as the home where there is no cache
	// tempYoung is how long one without a lock may still be about to be locked.
	tempYoung = time.Hour
)

// Dir is its path, without links. Where somebody cleaned it away it is made anew.
func (t *Temp) Dir() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own != "" {
		dir := filepath.Join(t.own, tempOfTheirs)
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !t.lock.Lost() {
			return dir, nil
		}
		_ = t.drop() // what is left of it is of no use
	}
	own, lock, err := newTemp()
	if err != nil {
		return "", err
	}
	t.own, t.lock = own, lock
	if t.own, err = filepath.EvalSymlinks(own); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(t.own, tempClosed), nil, 0); err != nil {
		return "", err
	}
	dir := filepath.Join(t.own, tempOfTheirs)
	return dir, os.Mkdir(dir, 0o700)
}

// newTemp makes the directory of a Temp and locks it.
func newTemp() (own string, lock *durable.Lock, err error) {
	if own, err = os.MkdirTemp("", tempFolders); err != nil {
		return "", nil, err
	}
	if lock, err = (*durable.Disk)(nil).TryLock(filepath.Join(own, tempLock)); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(own))
	}
	return own, lock, nil
}

// keep puts a text beside dir, where commands do not write, and is its path.
func keep(dir, name, text string) (path string, err error) {
	path = filepath.Join(filepath.Dir(dir), name)
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, nil
	}
	return path, (*durable.Disk)(nil).WriteCache(path, []byte(text), 0o600)
}

// Remove takes it away, if it was ever made.
func (t *Temp) Remove() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own == "" {
		return nil
	}
	return t.drop()
}

func (t *Temp) drop() error {
	own, lock := t.own, t.lock
	t.own, t.lock = "", nil
	return errors.Join(lock.Close(), removeTemp(own))
}

// removeTemp also removes directories that a command has left so that nobody may
// change them, as a module cache of Go is. Of somebody else's none is opened so.
func removeTemp(own string) error {
	err := os.RemoveAll(own)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, openErr := durable.OpenRoot(own)
	if openErr != nil {
		return err
	}
	_ = fs.WalkDir(durable.Tree(root), ".", func(name string, e fs.DirEntry, err error) error { // what stays is told below
		if err == nil && e.IsDir() {
			_ = root.Chmod(name, 0o700) // before it is read
		}
		return nil
	})
	root.Close()
	return os.RemoveAll(own)
}

// SweepTemps removes the private /tmp of processes that were killed. In a directory
// that others write too nothing is made.
func SweepTemps() error {
	all, err := filepath.Glob(filepath.Join(durable.QuoteGlob(os.TempDir()), tempFolders))
	errs := []error{err}
	for _, own := range all {
		if err := sweepTemp(own); !errors.Is(err, fs.ErrPermission) { // it is somebody else's
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sweep private directories: %w", err)
	}
	return nil
}

// sweepTemp removes one that nobody holds any more. Where nobody has said yet that it is
// theirs, somebody may be about to lock it.
func sweepTemp(own string) error {
	info, err := os.Lstat(own)
	if err != nil || !info.IsDir() {
		return nil
	}
	lock := filepath.Join(own, tempLock)
	young := time.Since(info.ModTime()) < tempYoung
	release, free := durable.Unheld(lock)
	if !free {
		if _, err := os.Lstat(lock); young || !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return removeTemp(own)
	}
	if young && durable.Owner(lock) == 0 {
		return release()
	}
	gone := own + "-gone" // who waits for the lock must not make another one in it
	switch err = os.Rename(own, gone); {
	case errors.Is(err, fs.ErrNotExist): // anyone who had it removes it
		err = nil
	case err == nil:
		err = removeTemp(gone)
	}
	return errors.Join(err, release())
}
