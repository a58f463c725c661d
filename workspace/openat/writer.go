package openat

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// TempName is a name that nobody else has.
func TempName() string {
	var r [6]byte
	rand.Read(r[:])
	return ".agent-" + hex.EncodeToString(r[:]) + ".tmp"
}

// Writer changes one directory through its handle, step by step. Every step goes through
// Disk. Abs is the path of Dir, for those who watch the disk.
type Writer struct {
	Disk *durable.Disk
	Dir  *os.Root
	Abs  string
}

// Temp writes a new file beside base, syncs it and returns its name. like is the
// file it will replace, nil for none. On a frozen disk there is only a name.
func (w Writer) Temp(base string, data []byte, like fs.FileInfo) (string, error) {
	name := TempName()
	abs := filepath.Join(w.Abs, name)
	var f *os.File
	err := w.Disk.Do(durable.OpCreate, abs, func() (err error) {
		f, err = w.Dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write beside %s: %w", pathname.Printable(base), Plain(err))
	}
	if f == nil {
		return name, nil
	}
	if like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil {
		_, err = w.Disk.Write(durable.OpTemp, abs, f, data)
	}
	if err == nil {
		err = w.Disk.Do(durable.OpSyncTemp, abs, func() error { return durable.Synced(f.Sync) })
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		w.Drop(name)
		return "", fmt.Errorf("write: %w", Plain(err))
	}
	return name, nil
}

// Drop removes a temporary file that came to nothing.
func (w Writer) Drop(temp string) {
	_ = w.Disk.Do(durable.OpRemove, filepath.Join(w.Abs, temp), func() error { return w.Dir.Remove(temp) })
}

// Remove removes an entry, and makes that last.
func (w Writer) Remove(base string) error {
	err := w.Disk.Do(durable.OpRemove, filepath.Join(w.Abs, base), func() error { return w.Dir.Remove(base) })
	if err != nil {
		return Plain(err)
	}
	w.Sync()
	return nil
}

// Sync makes names durable where directories can be synced; elsewhere the
// content is safe and only the name may be the old one after a power cut.
func (w Writer) Sync() {
	_ = w.Disk.Do(durable.OpSyncDir, w.Abs, func() error { // see above
		f, err := w.Dir.Open(".")
		if err == nil {
			err = errors.Join(durable.Synced(f.Sync), f.Close())
		}
		return err
	})
}
