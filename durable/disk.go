package durable

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Op names a step that changes the disk; a Hook sees it before it happens.
type Op string

// The steps, in the order in which their operations take them.
const (
	OpOpen     Op = "open"     // OpenLog: create or open the file
	OpAppend   Op = "append"   // Log.Append: one write
	OpSync     Op = "sync"     // Log.Sync
	OpCutBack  Op = "cut_back" // Log.Append: take a failed write back
	OpKeepTorn Op = "keep_torn"
	OpCutTorn  Op = "cut_torn"
	OpTemp     Op = "temp"      // WriteFile: create and write the temporary file
	OpSyncTemp Op = "sync_temp" // WriteFile: its fsync
	OpRename   Op = "rename"    // WriteFile: it takes the place of the old one
	OpSyncDir  Op = "sync_dir"  // the new name is made to last
	OpLock     Op = "lock"
	OpMkdir    Op = "mkdir"
	OpRemove   Op = "remove"
)

// Hook is called before each step of a Disk. An error it returns is what the
// step gives back, and the step does not happen; Torn makes an append write
// only a part. A Hook may call Freeze, and may be called concurrently.
type Hook func(op Op, path string) error

// Torn is the error of a Hook that wants a write to stop in the middle, as on a
// full disk.
type Torn struct {
	Bytes int  // how many bytes still reach the file
	Crash bool // freeze the disk right after them, as if the process died there
}

// Error says where the write stopped.
func (t Torn) Error() string { return fmt.Sprintf("write cut after %d bytes", t.Bytes) }

// Disk is the way to the disk of one server. The zero value and nil are the
// plain disk. A Disk must not be copied.
type Disk struct {
	hook   atomic.Pointer[Hook]
	frozen atomic.Bool

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

// Freeze ends this Disk as a crash would: when it returns no step is under way,
// every later one does nothing and reports success, and its locks are free for
// the next server (ruling 106). It cannot be undone.
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

// step does one change unless the disk is frozen (then it is a silent success)
// or the hook refuses it.
func (d *Disk) step(op Op, path string, do func() error) error {
	if d == nil {
		return do()
	}
	if err := d.ask(op, path); err != nil {
		return err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.frozen.Load() {
		return nil
	}
	return do()
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
