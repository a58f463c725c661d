package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Mkdir makes one directory that must not exist yet (the error is then
// fs.ErrExist) and makes its name last; session ids count up by it.
func (d *Disk) Mkdir(path string, perm fs.FileMode) error {
	err := d.step(OpMkdir, path, func() error { return os.Mkdir(path, perm) })
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	return d.SyncDir(filepath.Dir(path))
}

// MkdirAll makes path and its parents where they are missing, and makes each new
// name last: a file that was synced is lost in a power cut with a directory that
// was not.
func (d *Disk) MkdirAll(path string, perm fs.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil
		}
		return fmt.Errorf("make directory: %w", &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR})
	}
	if up := filepath.Dir(path); up != path {
		if err := d.MkdirAll(up, perm); err != nil {
			return err
		}
	}
	if err := d.Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// SyncDir makes the names in a directory survive a power cut.
func (d *Disk) SyncDir(dir string) error {
	return d.step(OpSyncDir, dir, func() error { return syncDir(dir) })
}

// Remove removes one file or empty directory; nothing there is no error.
func (d *Disk) Remove(path string) error {
	err := d.step(OpRemove, path, func() error { return os.Remove(path) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove: %w", err)
	}
	return nil
}

// RemoveAll removes path and all below it and makes that last, so that it is not
// back after a power cut; nothing there is no error.
func (d *Disk) RemoveAll(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := d.step(OpRemove, path, func() error { return os.RemoveAll(path) })
	if err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return d.SyncDir(filepath.Dir(path))
}

// Rename moves a file within its directory and makes the new name last.
func (d *Disk) Rename(from, to string) error {
	err := d.step(OpRename, to, func() error { return os.Rename(from, to) })
	if err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	return d.SyncDir(filepath.Dir(to))
}
