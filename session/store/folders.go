package store

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// folders are the sessions' folders, and which of them are open here.
type folders struct {
	deps   *session.Deps
	dir    string
	copies *copies.Keeper // nil: there are none

	mu   sync.Mutex // guards the maps, and those of the parts that embed it; never held while a log is read
	open map[string]*session.Session
	busy map[string]chan struct{} // sessions that are being opened or deleted; closed when done
}

// here is a session that is open in this process, nil where it is not.
func (o *folders) here(id string) *session.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[id]
}

// opens takes in a session that was made here.
func (o *folders) opens(s *session.Session) {
	o.mu.Lock()
	o.open[s.ID()] = s
	o.mu.Unlock()
	if !s.Ephemeral() {
		o.copies.Opened(s.ID(), s)
	}
}

// Folder is where the log of a session is, no matter who works on it: it is for those
// who only read.
func (o *folders) Folder(id string) (string, error) {
	dir, _, err := o.folderOf(id)
	return dir, err
}

// folderOf is where a session lies, open or not, here or elsewhere.
func (o *folders) folderOf(id string) (dir string, ephemeral bool, err error) {
	o.mu.Lock()
	o.settleLocked(id)
	s := o.open[id]
	o.mu.Unlock()
	if s != nil {
		return s.Dir(), s.Ephemeral(), nil
	}
	dir, err = o.kept(id)
	return dir, false, err
}

// HeldBy is the other process that has a session open, or that of which it is a
// sub-agent; nil where none has.
func (o *folders) HeldBy(id string) *history.Holder {
	root, _, _ := strings.Cut(id, ".")
	if !validID(root) || o.IsOpen(root) {
		return nil
	}
	if machine := o.copies.Owner(root); machine != "" {
		return &history.Holder{Machine: machine}
	}
	lock := filepath.Join(o.dir, root, history.LockFile)
	if !durable.Locked(lock) || o.IsOpen(root) { // it may have been opened here while we looked
		return nil
	}
	return &history.Holder{PID: durable.Owner(lock)}
}

// IsOpen says that a session is open in this process, or about to be.
func (o *folders) IsOpen(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[id] != nil || o.busy[id] != nil
}

func (o *folders) opened(id string) *session.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settleLocked(id)
	return o.open[id]
}

// Get opens a session by its id: the one of this process, or one that an earlier
// process left. Others do not wait while its log is read.
func (o *folders) Get(id string) (*session.Session, error) {
	o.mu.Lock()
	o.settleLocked(id)
	if s, ok := o.open[id]; ok {
		o.mu.Unlock()
		return s, nil
	}
	done := o.claimLocked(id)
	o.mu.Unlock()
	s, err := o.read(id)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		o.open[id] = s
		o.copies.Opened(id, s)
	}
	done()
	return s, err
}

// claimLocked makes others wait for a session until done is called, with mu held.
func (o *folders) claimLocked(id string) (done func()) {
	busy := make(chan struct{})
	o.busy[id] = busy
	return func() {
		delete(o.busy, id)
		close(busy)
	}
}

// read opens what an earlier process left.
func (o *folders) read(id string) (*session.Session, error) {
	dir, err := o.kept(id)
	if err != nil {
		return nil, err
	}
	if machine := o.copies.Opening(id); machine != "" {
		return nil, &session.LockedError{SessionID: id, Machine: machine}
	}
	s, err := session.Open(o.deps, id, dir)
	if err != nil {
		o.copies.Abandoned(id)
		return nil, err
	}
	if replica.Moved(dir) { // also where nothing is copied any more
		if err := s.Arrive(); err != nil { // else what was allowed elsewhere would be allowed here
			err = errors.Join(err, s.Close(context.Background()))
			o.copies.Abandoned(id)
			return nil, err
		}
		if err := replica.Settled(o.deps.Disk, dir); err != nil {
			o.deps.Log.Warn().Err(err).Str("session", id).Msg("sync")
		}
	}
	return s, nil
}

// kept is the folder of a session that outlives the process, open or not.
func (o *folders) kept(id string) (dir string, err error) {
	dir = filepath.Join(o.dir, id)
	if !validID(id) || !history.Exists(dir) {
		return "", &session.NotFoundError{SessionID: id}
	}
	return dir, nil
}

// settleLocked waits, with the lock given up meanwhile, until nobody opens or
// removes the session.
func (o *folders) settleLocked(id string) {
	for o.busy[id] != nil {
		busy := o.busy[id]
		o.mu.Unlock()
		<-busy
		o.mu.Lock()
	}
}

// Live are the sessions that are open in this process, by id.
func (o *folders) Live() []*session.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []*session.Session
	for _, id := range slices.Sorted(maps.Keys(o.open)) {
		out = append(out, o.open[id])
	}
	return out
}

// InUse says whether a session is open, here or in another process: what belongs
// to it is not swept. Where that cannot be told it is.
func (o *folders) InUse(id string) bool {
	o.mu.Lock()
	_, open := o.open[id]
	open = open || o.busy[id] != nil
	o.mu.Unlock()
	if open || !validID(id) {
		return open
	}
	return durable.Locked(filepath.Join(o.dir, id, history.LockFile))
}

// Sends says that there is a sub-agent of that name: one that works in the sessions
// of other agents.
func (o *folders) Sends(agent string) bool { return o.deps.Sends(agent) }
