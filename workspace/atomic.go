package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

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
	turns *dirLocks
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

// still says that the file which was seen is there now, with what it held: within a
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

// remove removes the entry p: a file, a link or an empty directory.
func (p Path) remove() error {
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return p.writer(dir).Remove(base)
}

// removeSeen removes the file p, unless it is not the one in was any more: what
// somebody has put there since is kept nowhere.
func (p Path) removeSeen(was snapshot) error {
	if was.info == nil { // there was only a text in the editor
		return p.remove()
	}
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return p.writer(dir).removeSeen(base, was)
}

func (p Path) emptyDir() (bool, error) {
	dir, err := p.openDir()
	if err != nil {
		return false, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return false, openat.Plain(err)
	}
	defer f.Close()
	_, err = f.ReadDir(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, openat.Plain(err)
}

// turnWait is how long a change waits at most for another process, which has its turn
// for as long as a look and a rename take. Who has it for longer was stopped, or is
// no sidecar: then the look alone has to do, also for what changes in that directory
// within turnVain, or a patch of many files would wait for each of them.
const (
	dirLockWait  = 2 * time.Second
	turnRetry    = time.Millisecond
	dirLockRetry = time.Minute
)

// inTurn calls do, a last look and the change behind it, while no other process does
// the same in this directory: of two sidecars that take the last look at one file at
// the same moment each would find it as it was, and the one that is later would take
// away what the other has written. The lock is on the directory itself, so that
// nothing is left behind, and anyone who has the folder open meets there, whatever their
// homes are.
func (w turnWriter) inTurn(do func() error) error {
	dir, err := w.Dir.Open(".")
	if err != nil {
		return do() // it may be one that can be written and not read
	}
	defer dir.Close()
	defer dirUnlock(dir) // closing would leave the lock with a process that is just being started
	w.turns.await(dir, w.Abs)
	return do()
}

// await waits for the turn in a directory, which is called abs.
func (t *dirLocks) await(dir *os.File, abs string) {
	taken := dirLocked(dir)
	if taken && t.inVain(abs) {
		return
	}
	taken = taken && !turnEnds(dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.vain, abs)
	if taken {
		if t.vain == nil {
			t.vain = map[string]time.Time{}
		}
		t.vain[abs] = time.Now()
	}
}

func (t *dirLocks) inVain(abs string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, was := t.vain[abs]
	return was && time.Since(at) < dirLockRetry
}

// turnEnds waits for somebody's turn to end, and says whether it did.
func turnEnds(dir *os.File) bool {
	over, again := time.NewTimer(dirLockWait), time.NewTicker(turnRetry)
	defer over.Stop()
	defer again.Stop()
	for {
		select {
		case <-over.C:
			return false
		case <-again.C:
			if !dirLocked(dir) {
				return true
			}
		}
	}
}
