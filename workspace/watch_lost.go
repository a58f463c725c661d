package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// What commands may change is kept in <home>/watched/<workspace>/spool-…, one
// directory for each process, while its lock is held. Of a process that was killed it
// stays, and the next one finds in it what the command that ran had changed: that is
// then in <home>/watched/<workspace>/lost-… until the session of the call is opened.
const (
	watchedDir = "watched"
	spoolStart = "spool-"
	spoolLock  = "lock"
	lostStart  = "lost-"
)

// spool is where a Vault's tracker keeps what it has seen.
type spool struct {
	lock *durable.Lock // nil: nowhere yet
	dir  string
}

func (f *follower) watchedDir() string { return filepath.Join(f.home, watchedDir, f.WorkspaceID()) }

// openSpool gives the tracker a place for what it sees, each time anew where that
// failed: without one a command runs all the same. changing is held.
func (f *follower) openSpool() {
	if f.spool.lock != nil {
		return
	}
	dir := f.watchedDir()
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	dir, err := os.MkdirTemp(dir, spoolStart)
	if err != nil {
		return
	}
	lock, err := f.disk.TryLock(filepath.Join(dir, spoolLock))
	if err != nil {
		_ = os.RemoveAll(dir)
		return
	}
	f.spool = spool{lock, dir}
	f.tracker.Dir = dir
}

// closeSpool lets go of what was kept. On a disk that is frozen it stays, as it does
// where the process is killed.
func (f *follower) closeSpool() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	s := f.spool
	f.spool = spool{}
	if s.lock == nil {
		return f.tracker.Release()
	}
	if f.disk.Frozen() {
		return errors.Join(f.tracker.Release(), s.lock.Close())
	}
	return errors.Join(f.tracker.Close(), s.lock.Close(), os.RemoveAll(s.dir))
}

// lostCommand is what a command had changed when its process died.
type lostCommand struct {
	Call    changes.Call  `json:"call"`
	Changes []tool.Change `json:"changes"`
}

// RecoverCommands finds what commands had changed whose process died, and keeps it
// until LostChanges asks. It is called before anything changes files: what is not as
// it was is taken for the command's.
func (f *follower) RecoverCommands() error {
	if f.home == "" || f.disk.Frozen() || len(f.Roots()) == 0 {
		return nil
	}
	dirs, err := filepath.Glob(filepath.Join(durable.QuoteGlob(f.watchedDir()), spoolStart+"*"))
	for _, dir := range dirs {
		lock, locked := f.disk.TryLock(filepath.Join(dir, spoolLock))
		if locked != nil {
			continue // its process lives
		}
		failed := f.recoverFrom(dir)
		err = errors.Join(err, failed, lock.Close())
		if failed == nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	if err != nil {
		return fmt.Errorf("look for what killed commands had changed: %w", err)
	}
	return nil
}

func (f *follower) recoverFrom(dir string) (err error) {
	left, err := changes.Recover(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was followed
	}
	if err != nil { // nobody will ever understand it
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { err = errors.Join(err, left.Close()) }()
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, l := range left.Lost {
		w := &watch{by: f, files: l.Watch}
		c := lostCommand{l.Call, w.changes(l.Watch.End(f.followed()))}
		if l.Odd {
			c.Changes = append(c.Changes, tool.Change{Path: undo.More, URI: fileuri.Of(f.Root()), Kind: "modified"})
		}
		if err := f.keepLost(c); err != nil {
			return err
		}
	}
	return nil
}

// keepLost keeps what a command has changed until LostChanges asks.
func (f *follower) keepLost(c lostCommand) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return f.disk.WriteFile(f.lostFile(c.Call), raw, 0o600)
}

// KeepLost keeps what a call has changed until LostChanges asks, where nobody has heard what
// came of it.
func (f *follower) KeepLost(line, callID string, made []tool.Change) error {
	if f.home == "" {
		return nil
	}
	if err := os.MkdirAll(f.watchedDir(), 0o700); err != nil {
		return err
	}
	return f.keepLost(lostCommand{changes.Call{Line: line, ID: callID}, made})
}

// LostCommands says that there are commands whose process died and whose sessions have
// not been opened since.
func (f *follower) LostCommands() bool {
	files, _ := filepath.Glob(filepath.Join(durable.QuoteGlob(f.watchedDir()), lostStart+"*"))
	return f.home != "" && len(files) > 0
}

func (f *follower) lostFile(call changes.Call) string {
	return filepath.Join(f.watchedDir(), lostStart+hashOf([]byte(call.Line+"\x00"+call.ID))+".json")
}

// LostChanges is what the command of a call had changed when its process died; known
// is false where nobody knows. The second time it is not known any more: it is in the
// session's log then, or a part of it is and nobody says that it is all.
func (f *follower) LostChanges(line, callID string) (found []tool.Change, known bool) {
	if f.home == "" {
		return nil, false
	}
	_ = f.RecoverCommands() // what is not found is not known
	call := changes.Call{Line: line, ID: callID}
	file := f.lostFile(call)
	raw, err := os.ReadFile(file)
	if err != nil || os.Remove(file) != nil {
		return nil, false
	}
	var c lostCommand
	if json.Unmarshal(raw, &c) != nil || c.Call != call {
		return nil, false
	}
	return c.Changes, true
}

// sweepWatched removes what killed processes have left and nobody has asked for.
func (k *checkpoints) sweepWatched(oldest time.Time) (err error) {
	all := filepath.Join(durable.QuoteGlob(k.home), watchedDir, "*")
	files, _ := filepath.Glob(filepath.Join(all, "*"))
	for _, file := range files {
		if info, gone := os.Lstat(file); gone == nil && info.Mode().IsRegular() && info.ModTime().Before(oldest) {
			err = errors.Join(err, os.Remove(file))
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(all, spoolStart+"*"))
	for _, dir := range dirs {
		info, gone := os.Lstat(dir)
		if gone != nil || !info.ModTime().Before(oldest) {
			continue
		}
		if lock, locked := k.disk.TryLock(filepath.Join(dir, spoolLock)); locked == nil {
			err = errors.Join(err, lock.Close(), os.RemoveAll(dir))
		}
	}
	return err
}
