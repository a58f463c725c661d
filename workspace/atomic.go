package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
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
	temp, err := w.Temp(base, data, was.info)
	if err != nil {
		return err
	}
	if err := w.install(temp, base, was); err != nil {
		w.Drop(temp)
		return err
	}
	w.Sync()
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
		return openat.Plain(p.disk.MkdirAll(abs, 0o777))
	}
	rel := filepath.Dir(filepath.FromSlash(p.rel))
	if _, err := p.root.Dir.Stat(rel); err == nil {
		return nil
	}
	err := p.disk.Do(durable.OpMkdir, abs, func() error { return p.root.Dir.MkdirAll(rel, 0o777) })
	if err != nil {
		return fmt.Errorf("make directory: %w", openat.Plain(err))
	}
	for rel != "." { // every one that may be new
		rel, abs = filepath.Dir(rel), filepath.Dir(abs)
		dir, err := durable.RootIn(p.root.Dir, rel)
		if err == nil {
			openat.Writer{Disk: p.disk, Dir: dir, Abs: abs}.Sync()
			dir.Close()
		}
	}
	return nil
}

// turnWriter is a writer whose last looks are in turn with those of other processes.
type turnWriter struct {
	openat.Writer
	turns *turns
}

// writer changes the directory of p, which is open.
func (p Path) writer(dir *os.Root) turnWriter {
	return turnWriter{openat.Writer{Disk: p.disk, Dir: dir, Abs: filepath.Dir(p.abs)}, p.turns}
}

// install gives the finished file its name. The last look before it is as late
// as the system allows.
func (w turnWriter) install(temp, base string, was snapshot) error {
	return w.inTurn(func() error {
		return w.Disk.Do(durable.OpRename, filepath.Join(w.Abs, base), func() error { return install(w.Dir, temp, base, was) })
	})
}

func install(dir *os.Root, temp, base string, was snapshot) error {
	if !was.exists {
		if _, err := dir.Lstat(base); err == nil {
			return errAppeared
		}
		// Link refuses an existing name, which Rename would overwrite.
		if dir.Link(temp, base) == nil {
			return openat.Plain(dir.Remove(temp))
		}
		if _, err := dir.Lstat(base); err == nil {
			return errAppeared
		}
	} else if !was.still(dir, base) {
		return errChanged
	}
	if err := dir.Rename(temp, base); err != nil {
		return fmt.Errorf("rename: %w", openat.Plain(err))
	}
	return nil
}

// still says that the file which was seen lies there now, with what it held: within a
// tick of the clock another one can have its number, its length and its time.
func (was snapshot) still(dir *os.Root, base string) bool {
	f, now, err := openat.File(dir, base)
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

// removeSeen is remove of a file, unless it is not the one in was any more.
func (w turnWriter) removeSeen(base string, was snapshot) error {
	err := w.inTurn(func() error {
		return w.Disk.Do(durable.OpRemove, filepath.Join(w.Abs, base), func() error {
			if !was.still(w.Dir, base) {
				return errChanged
			}
			return w.Dir.Remove(base)
		})
	})
	if err != nil {
		return openat.Plain(err)
	}
	w.Sync()
	return nil
}

// syncParent makes the name of p durable.
func (p Path) syncParent() {
	if dir, _, err := p.parent(); err == nil {
		p.writer(dir).Sync()
		dir.Close()
	}
}
