package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes on the plain disk; see Disk.WriteFile.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return (*Disk)(nil).WriteFile(path, data, perm)
}

// WriteFile gives the file at path the content data at once: a reader, and a
// crash at any instant, sees the old content or the new, whole. It writes a
// temporary file in the same directory, syncs it, renames it and syncs the
// directory. A file that exists keeps its mode; a new one gets perm less the
// umask. A symlink at path would be replaced by a file: the caller resolves it.
// What a crash leaves behind is named by TempPattern.
func (d *Disk) WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := d.replace(path, data, perm, true); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// TempPattern matches (path.Match) the names of the temporary files of
// WriteFile, for anyone who sweeps a directory after a crash.
const TempPattern = ".agent-sidecar-*.tmp"

func (d *Disk) replace(path string, data []byte, perm fs.FileMode, lasting bool) error {
	dir := filepath.Dir(path)
	temp, err := d.writeTemp(dir, path, data, perm)
	if err != nil {
		return err
	}
	if lasting {
		err = d.step(OpSyncTemp, temp, func() error { return syncPath(temp) })
	}
	if err == nil {
		err = d.step(OpRename, path, func() error { return os.Rename(temp, path) })
	}
	if err != nil {
		os.Remove(temp)
		return err
	}
	if lasting {
		return d.SyncDir(dir)
	}
	return nil
}

// writeTemp creates the temporary file, never wider open than what it will
// replace. On a frozen disk it only has a name.
func (d *Disk) writeTemp(dir, path string, data []byte, perm fs.FileMode) (name string, err error) {
	perm = perm.Perm()
	create, old := perm, fs.FileMode(0)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		old = info.Mode().Perm()
		create = old & perm
	}
	name = filepath.Join(dir, ".agent-sidecar-"+rand.Text()+".tmp")
	var f *os.File
	err = d.step(OpCreate, path, func() (err error) {
		f, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, create|0o200)
		return err
	})
	if err != nil || f == nil {
		return name, err
	}
	_, err = d.Write(OpTemp, path, f, data)
	if err == nil && old != 0 {
		err = f.Chmod(old)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(name)
		return "", err
	}
	return name, nil
}

// syncPath syncs a file that is closed. It is opened for writing because
// Windows syncs no other, and where the mode forbids that, for reading.
func syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, os.ErrPermission) {
		f, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	return errors.Join(syncedFile(f), f.Close())
}
