package durable

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Op names a step that changes the disk; a Hook sees it before it happens and a
// Witness behind it.
type Op string

// The steps, in the order in which their operations take them.
const (
	OpOpen     Op = "open"     // OpenLog: create or open the file
	OpAppend   Op = "append"   // Log.Append: one write
	OpSync     Op = "sync"     // Log.Sync; a file of Do
	OpCutBack  Op = "cut_back" // Log.Append, Log.TakeBack: take a line back
	OpKeepTorn Op = "keep_torn"
	OpCutTorn  Op = "cut_torn"
	OpTemp     Op = "temp"      // WriteFile: the one write to the temporary file
	OpSyncTemp Op = "sync_temp" // WriteFile: its fsync; path is the temporary file
	OpRename   Op = "rename"    // WriteFile: it takes the place of the old one
	OpSyncDir  Op = "sync_dir"  // the new name is made to last
	OpLock     Op = "lock"
	OpMkdir    Op = "mkdir"
	OpCreate   Op = "create" // WriteFile: its temporary file; Do: a file that is written piece by piece
	OpWrite    Op = "write"  // Write: a piece of it
	OpRemove   Op = "remove"
)

// Hook is called before each step of a Disk. An error it returns is what the
// step gives back, and the step does not happen; Torn makes a write stop in the
// middle. A Hook may call Freeze, and may be called concurrently.
type Hook func(op Op, path string) error

// Witness is called behind each step that has happened. It may call Freeze, and
// may be called concurrently.
type Witness func(op Op, path string)

// Torn is the error of a Hook that wants a write to stop in the middle, as on a
// full disk. Of a step that writes nothing it is an error like every other.
type Torn struct {
	Bytes int  // how many bytes still reach the file
	Half  bool // half of them, whatever Bytes says
	Crash bool // freeze the disk right after them, as if the process died there
}

// Error says where the write stopped.
func (t Torn) Error() string {
	if t.Half {
		return "write cut in the middle"
	}
	return fmt.Sprintf("write cut after %d bytes", t.Bytes)
}

// of is how many of n bytes are written.
func (t Torn) of(n int) int {
	if t.Half {
		return n / 2
	}
	return min(max(t.Bytes, 0), n)
}

// Disk is the way to the disk of one server. The zero value and nil are the
// plain disk. A Disk must not be copied.
type Disk struct {
	hook    atomic.Pointer[Hook]
	witness atomic.Pointer[Witness]
	frozen  atomic.Bool

	// mu makes Freeze wait for steps that are under way: they hold it shared.
	mu sync.RWMutex
	// locksMu guards locks, the ones that are held and that Freeze lets go.
	locksMu sync.Mutex
	locks   map[*Lock]struct{}
}

// Fail sets the hook that sees every step; nil removes it.
func (d *Disk) Fail(h Hook) {
	if h == nil {
		d.hook.Store(nil)
		return
	}
	d.hook.Store(&h)
}

// Watch sets the witness that hears of every step; nil removes it.
func (d *Disk) Watch(w Witness) {
	if w == nil {
		d.witness.Store(nil)
		return
	}
	d.witness.Store(&w)
}

// Freeze ends this Disk as a crash would: when it returns no step is under way,
// every later one does nothing and reports success, and its locks are free for
// the next server. It cannot be undone.
func (d *Disk) Freeze() {
	d.mu.Lock()
	d.frozen.Store(true)
	d.mu.Unlock()

	d.locksMu.Lock()
	held := d.locks
	d.locks = nil
	d.locksMu.Unlock()
	for l := range held {
		l.release()
	}
}

// Frozen says whether Freeze was called.
func (d *Disk) Frozen() bool { return d != nil && d.frozen.Load() }

// Do is a step that somebody takes with file handles of their own, as the Vault
// does with its confined ones. On a frozen disk do is not called, and that is no
// error: what follows must not rely on what do leaves behind.
func (d *Disk) Do(op Op, path string, do func() error) error { return d.step(op, path, do) }

// Write is a step that writes p to w, the file at path, and says how many bytes
// are there. On a frozen disk all of them seem to be.
func (d *Disk) Write(op Op, path string, w io.Writer, p []byte) (n int, err error) {
	if d.Frozen() {
		return len(p), nil
	}
	done := false
	err = d.step(op, path, func() error {
		done = true
		n, err = w.Write(p)
		return err
	})
	var cut Torn
	if done || !errors.As(err, &cut) {
		if err == nil && !done { // it froze meanwhile
			n = len(p)
		}
		return n, err
	}
	n, writeErr := w.Write(p[:cut.of(len(p))])
	if cut.Crash {
		d.Freeze()
		return len(p), nil
	}
	return n, errors.Join(err, writeErr)
}

// step does one change unless the disk is frozen (then it is a silent success)
// or the hook refuses it.
func (d *Disk) step(op Op, path string, do func() error) error {
	if d == nil {
		return do()
	}
	if err := d.ask(op, path); err != nil {
		return err
	}
	did, err := d.whileThawed(do)
	if w := d.witness.Load(); w != nil && did && err == nil {
		(*w)(op, path)
	}
	return err
}

// whileThawed calls do unless the disk is frozen.
func (d *Disk) whileThawed(do func() error) (did bool, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.frozen.Load() {
		return false, nil
	}
	return true, do()
}

// ask consults the hook. It runs without mu held, because the hook may Freeze.
func (d *Disk) ask(op Op, path string) error {
	if d == nil || d.frozen.Load() {
		return nil
	}
	if h := d.hook.Load(); h != nil {
		return (*h)(op, path)
	}
	return nil
}
