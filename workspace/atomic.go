package workspace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// errAppeared says that a file exists that was not there before.
var errAppeared = errors.New("a file appeared there since the call was approved; nothing was done")

// errChanged says that a file is not what the plan was judged on.
var errChanged = errors.New("the file changed since the call was approved; nothing was done. Read it again")

// errTyped says that a file has unsaved text now.
var errTyped = errors.New("the file was changed in the editor since the call was approved; nothing was done. Read it again")

// errDirty says, behind its name, that a file has unsaved text which cannot be changed.
var errDirty = errors.New("has unsaved changes in the editor; ask the user to save it, then read it again")

// replace puts data where the plan saw was, by a temporary file in the same
// directory, fsync and rename, so that a reader sees the old or the new file
// and never a part. Mode and, where permitted, owner of the old file are kept;
// a new one gets what the umask leaves. Missing directories are made. If the
// file is not the one in was any more, nothing is done.
func (p Path) replace(was snapshot, data []byte) error {
	dir, base, err := p.ensureParent(was)
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	w := p.writer(dir)
	temp, err := w.temp(base, data, was.info)
	if err != nil {
		return err
	}
	if err := w.install(temp, base, was); err != nil {
		w.drop(temp)
		return err
	}
	w.sync()
	return nil
}

// ensureParent opens the directory of p as parent does; for a file that is yet to be
// made, what is missing of it is made first. On a frozen disk it is nil, without an
// error.
func (p Path) ensureParent(was snapshot) (*os.Root, string, error) {
	if !was.exists {
		if err := p.makeParents(); err != nil {
			return nil, "", err
		}
	}
	if p.disk.Frozen() {
		return nil, "", nil
	}
	return p.parent()
}

// makeParents makes the directories above p, and makes their names last.
func (p Path) makeParents() error {
	abs := filepath.Dir(p.abs)
	if p.root == nil {
		return plain(p.disk.MkdirAll(abs, 0o777))
	}
	rel := filepath.Dir(filepath.FromSlash(p.rel))
	if _, err := p.root.dir.Stat(rel); err == nil {
		return nil
	}
	err := p.disk.Do(durable.OpMkdir, abs, func() error { return p.root.dir.MkdirAll(rel, 0o777) })
	if err != nil {
		return fmt.Errorf("make directory: %w", plain(err))
	}
	for rel != "." { // every one that may be new
		rel, abs = filepath.Dir(rel), filepath.Dir(abs)
		dir, err := durable.RootIn(p.root.dir, rel)
		if err == nil {
			writer{disk: p.disk, dir: dir, abs: abs}.sync()
			dir.Close()
		}
	}
	return nil
}

// tempName is a name that nobody else has.
func tempName() string {
	var r [6]byte
	rand.Read(r[:])
	return ".agent-" + hex.EncodeToString(r[:]) + ".tmp"
}

// writer changes one directory through its handle, step by step.
type writer struct {
	disk  *durable.Disk
	dir   *os.Root
	abs   string // for those who watch the disk
	turns *turns
}

// writer changes the directory of p, which is open.
func (p Path) writer(dir *os.Root) writer { return writer{p.disk, dir, filepath.Dir(p.abs), p.turns} }

// temp writes a new file beside base, syncs it and returns its name. like is the
// file it will replace, nil for none. On a frozen disk there is only a name.
func (w writer) temp(base string, data []byte, like fs.FileInfo) (string, error) {
	name := tempName()
	abs := filepath.Join(w.abs, name)
	var f *os.File
	err := w.disk.Do(durable.OpCreate, abs, func() (err error) {
		f, err = w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write beside %s: %w", printable(base), plain(err))
	}
	if f == nil {
		return name, nil
	}
	if like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil {
		_, err = w.disk.Write(durable.OpTemp, abs, f, data)
	}
	if err == nil {
		err = w.disk.Do(durable.OpSyncTemp, abs, f.Sync)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		w.drop(name)
		return "", fmt.Errorf("write: %w", plain(err))
	}
	return name, nil
}

// install gives the finished file its name. The last look before it is as late
// as the system allows.
func (w writer) install(temp, base string, was snapshot) error {
	return w.inTurn(func() error {
		return w.disk.Do(durable.OpRename, filepath.Join(w.abs, base), func() error { return install(w.dir, temp, base, was) })
	})
}

func install(dir *os.Root, temp, base string, was snapshot) error {
	if !was.exists {
		if _, err := dir.Lstat(base); err == nil {
			return errAppeared
		}
		// Link refuses an existing name, which Rename would overwrite.
		if dir.Link(temp, base) == nil {
			return plain(dir.Remove(temp))
		}
		if _, err := dir.Lstat(base); err == nil {
			return errAppeared
		}
	} else if !was.still(dir, base) {
		return errChanged
	}
	if err := dir.Rename(temp, base); err != nil {
		return fmt.Errorf("rename: %w", plain(err))
	}
	return nil
}

// still says that the file which was seen lies there now, with what it held: within a
// tick of the clock another one can have its number, its length and its time.
func (was snapshot) still(dir *os.Root, base string) bool {
	f, now, err := openIn(dir, base)
	if err != nil {
		return false
	}
	defer f.Close()
	if !os.SameFile(now, was.info) || now.Size() != was.info.Size() || !now.ModTime().Equal(was.info.ModTime()) {
		return false
	}
	if was.open != nil { // its text is the editor's
		return true
	}
	hash := sha256.New()
	_, err = io.Copy(hash, io.LimitReader(f, was.info.Size()+1)) // it may grow as fast as it is read
	return err == nil && hex.EncodeToString(hash.Sum(nil)) == was.hash
}

// drop removes a temporary file that came to nothing.
func (w writer) drop(temp string) {
	_ = w.disk.Do(durable.OpRemove, filepath.Join(w.abs, temp), func() error { return w.dir.Remove(temp) })
}

// remove removes an entry, and makes that last.
func (w writer) remove(base string) error {
	err := w.disk.Do(durable.OpRemove, filepath.Join(w.abs, base), func() error { return w.dir.Remove(base) })
	if err != nil {
		return plain(err)
	}
	w.sync()
	return nil
}

// removeSeen is remove of a file, unless it is not the one in was any more.
func (w writer) removeSeen(base string, was snapshot) error {
	err := w.inTurn(func() error {
		return w.disk.Do(durable.OpRemove, filepath.Join(w.abs, base), func() error {
			if !was.still(w.dir, base) {
				return errChanged
			}
			return w.dir.Remove(base)
		})
	})
	if err != nil {
		return plain(err)
	}
	w.sync()
	return nil
}

// sync makes names durable where directories can be synced; elsewhere the
// content is safe and only the name may be the old one after a power cut.
func (w writer) sync() {
	_ = w.disk.Do(durable.OpSyncDir, w.abs, func() error { // see above
		f, err := w.dir.Open(".")
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		return err
	})
}

// syncParent makes the name of p durable.
func (p Path) syncParent() {
	if dir, _, err := p.parent(); err == nil {
		p.writer(dir).sync()
		dir.Close()
	}
}
