package durable

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Mkdir makes one directory that must not exist yet (the error is then
// fs.ErrExist) and makes its name last; session ids count up by it (session §1).
func (d *Disk) Mkdir(path string, perm fs.FileMode) error {
	err := d.step(OpMkdir, path, func() error { return os.Mkdir(path, perm) })
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	dir := filepath.Dir(path)
	return d.step(OpSyncDir, dir, func() error { return syncDir(dir) })
}

// MkdirAll makes path and its parents where they are missing.
func (d *Disk) MkdirAll(path string, perm fs.FileMode) error {
	err := d.step(OpMkdir, path, func() error { return os.MkdirAll(path, perm) })
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	return nil
}

// RemoveAll removes path and all below it; nothing there is no error.
func (d *Disk) RemoveAll(path string) error {
	err := d.step(OpRemove, path, func() error { return os.RemoveAll(path) })
	if err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return nil
}

// Rename moves a file within its directory and makes the new name last.
func (d *Disk) Rename(from, to string) error {
	err := d.step(OpRename, to, func() error { return os.Rename(from, to) })
	if err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	dir := filepath.Dir(to)
	return d.step(OpSyncDir, dir, func() error { return syncDir(dir) })
}
