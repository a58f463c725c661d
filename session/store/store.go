// Package store is the sessions of one workspace: it finds them, makes them, opens
// what an earlier process left, lists and removes them. What a session is and does
// is not its business: it hands out sessions and keeps none of their state.
package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// Store is the sessions of one workspace.
type Store struct {
	deps *session.Deps
	dir  string

	// making is held while a session is looked up by its key and made: two
	// prompts with a new key get one session. It is taken before mu; see alone.
	making  sync.Mutex
	mu      sync.Mutex // guards the maps; never held while a log is read
	open    map[string]*session.Session
	busy    map[string]chan struct{} // sessions that are being opened or deleted; closed when done
	said    map[string]string        // clientMessageId → session, as far as it is read
	heard   int64                    // how much of messages.jsonl that is, in bytes
	readers []*history.Reader        // logs that are only read, the one that was read last at the end
	looked  map[string]looked        // sessions that are not open here, as they were last seen
	news    int                      // of looked, since the index was written
	// indexed says that the index was read.
	indexed bool
}

// Open returns the sessions under deps.Home of deps.WorkspaceID. It touches no
// file.
func Open(deps *session.Deps) *Store {
	return &Store{deps: deps, dir: filepath.Join(deps.Home, "sessions", deps.WorkspaceID), open: map[string]*session.Session{}, busy: map[string]chan struct{}{}, said: map[string]string{}, looked: map[string]looked{}}
}

// New makes a session, or returns the one that has the key already. One whose
// time is over gives its key to the new one.
func (st *Store) New(n session.NewSession) (s *session.Session, created bool, err error) {
	if n.Key == "" || n.Agent != "" || n.Mode != "" { // what a key says of its agent is checked when it is known to be new
		if err := n.Check(st.deps); err != nil {
			return nil, false, err
		}
	}
	done, err := st.alone()
	if err != nil {
		return nil, false, fmt.Errorf("make a session: %w", err)
	}
	defer done()
	if n.Key != "" {
		if s, err := st.forKey(&n); s != nil || err != nil {
			return s, false, err
		}
		if err := n.Check(st.deps); err != nil {
			return nil, false, err
		}
	}
	s, err = st.create(n)
	return s, err == nil, err
}

// alone lets one maker of sessions after the other work, in all processes, so
// that a key gets one session and an id is given once.
func (st *Store) alone() (done func(), err error) {
	st.making.Lock()
	err = st.deps.Disk.MkdirAll(st.dir, 0o700)
	var lock *durable.Lock
	if err == nil {
		lock, err = st.deps.Disk.Lock(filepath.Join(st.dir, "making"))
	}
	if err != nil {
		st.making.Unlock()
		return nil, err
	}
	return func() {
		_ = lock.Close() // the kernel lets it go in any case
		st.making.Unlock()
	}, nil
}

func (st *Store) create(n session.NewSession) (*session.Session, error) {
	id, dir, err := st.nextID(n.Ephemeral)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	if n.Key == "" {
		n.Key = key.OfSession(id, st.deps.WorkspaceID, n.Agent)
	}
	s, err := session.Create(st.deps, id, dir, n)
	if err != nil { // nobody has heard of it
		return nil, errors.Join(err, st.deps.Disk.RemoveAll(dir))
	}
	st.mu.Lock()
	st.open[id] = s
	st.mu.Unlock()
	st.made(s)
	return s, nil
}

// made writes down that there is a session that outlives the process.
func (st *Store) made(s *session.Session) {
	if s.Ephemeral() {
		return
	}
	if err := st.deps.Audits.AuditSessions().Made(st.deps.WorkspaceID, s.ID()); err != nil {
		st.deps.Log.Error().Err(err).Msg("audit: a session was made")
	}
}

// deleting writes down that a session goes, and where its audit ends. It comes before the
// files go: who dies between is no stranger who took a session away.
func (st *Store) deleting(id, dir string) {
	if dir != filepath.Join(st.dir, id) {
		return
	}
	if err := st.deps.Audits.AuditSessions().Deleted(st.deps.WorkspaceID, id, st.deps.Audits.Audit(id).Seal()); err != nil {
		st.deps.Log.Error().Err(err).Msg("audit: a session was deleted")
	}
}

// Get opens a session by its id: the one of this process, or one that an earlier
// process left. Others do not wait while its log is read.
func (st *Store) Get(id string) (*session.Session, error) {
	st.mu.Lock()
	st.settleLocked(id)
	if s, ok := st.open[id]; ok {
		st.mu.Unlock()
		return s, nil
	}
	done := st.claimLocked(id)
	st.mu.Unlock()
	s, err := st.read(id)
	st.mu.Lock()
	defer st.mu.Unlock()
	if err == nil {
		st.open[id] = s
	}
	done()
	return s, err
}

// claimLocked makes others wait for a session until done is called, with mu held.
func (st *Store) claimLocked(id string) (done func()) {
	busy := make(chan struct{})
	st.busy[id] = busy
	return func() {
		delete(st.busy, id)
		close(busy)
	}
}

// read opens what an earlier process left.
func (st *Store) read(id string) (*session.Session, error) {
	dir, err := st.kept(id)
	if err != nil {
		return nil, err
	}
	return session.Open(st.deps, id, dir)
}

// kept is the folder of a session that outlives the process, open or not.
func (st *Store) kept(id string) (dir string, err error) {
	dir = filepath.Join(st.dir, id)
	if !validID(id) || !history.Exists(dir) {
		return "", &session.NotFoundError{SessionID: id}
	}
	return dir, nil
}

// settleLocked waits, with the lock given up meanwhile, until nobody opens or
// removes the session.
func (st *Store) settleLocked(id string) {
	for st.busy[id] != nil {
		busy := st.busy[id]
		st.mu.Unlock()
		<-busy
		st.mu.Lock()
	}
}

// Delete cancels what runs and removes the session with its artifacts; the audit
// stays. It is idempotent. A log that cannot be read is no reason to keep it;
// another process that works on it is.
func (st *Store) Delete(ctx context.Context, id string) error {
	st.mu.Lock()
	st.settleLocked(id)
	s, open := st.open[id]
	done := st.claimLocked(id)
	st.mu.Unlock()
	err := st.remove(ctx, id, s)
	st.forget(id)
	st.mu.Lock()
	defer st.mu.Unlock()
	if open && err == nil {
		delete(st.open, id)
	}
	done()
	return err
}

// remove takes a session away; s is nil where it is not open here.
func (st *Store) remove(ctx context.Context, id string, s *session.Session) error {
	if s != nil {
		if err := s.Close(ctx); ctx.Err() != nil { // what cannot be written is removed now
			return err
		}
		return st.erase(id, s.Dir())
	}
	dir := filepath.Join(st.dir, id)
	if _, err := os.Stat(dir); !validID(id) || err != nil {
		return nil
	}
	lock, err := session.Lock(st.deps, id, dir)
	if err != nil {
		return err
	}
	return errors.Join(st.erase(id, dir), lock.Close())
}

// erase removes a session's files, its log first: whoever dies here leaves nothing
// that looks like a session, and Sweep removes the rest.
func (st *Store) erase(id, dir string) error {
	st.deleting(id, dir)
	if err := history.Remove(st.deps.Disk, dir); err != nil {
		return err
	}
	return errors.Join(st.deps.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir))
}

// Live are the sessions that are open in this process, by id.
func (st *Store) Live() []*session.Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []*session.Session
	for _, id := range slices.Sorted(maps.Keys(st.open)) {
		out = append(out, st.open[id])
	}
	return out
}

// InUse says whether a session is open, here or in another process: what belongs
// to it is not swept. Where that cannot be told it is.
func (st *Store) InUse(id string) bool {
	st.mu.Lock()
	_, open := st.open[id]
	open = open || st.busy[id] != nil
	st.mu.Unlock()
	if open || !validID(id) {
		return open
	}
	return durable.Locked(filepath.Join(st.dir, id, history.LockFile))
}

// Close ends every run and lets go of every log. It returns when everything is
// durable.
func (st *Store) Close(ctx context.Context) error {
	var errs []error
	for _, s := range st.Live() {
		errs = append(errs, s.Close(ctx))
		if s.Ephemeral() {
			errs = append(errs, st.deps.Artifacts.RemoveSession(s.ID()), os.RemoveAll(s.Dir()))
		}
	}
	return errors.Join(errs...)
}

// Sends says that there is a sub-agent of that name: one that works in the sessions
// of other agents.
func (st *Store) Sends(agent string) bool { return st.deps.Sends(agent) }

// MayRead tells of an object whether a session may read it without asking anybody,
// as things are now: searches leave the others out. For a name that is no open
// session it says what holds for a new one. base is the directory that is searched,
// or "".
func (st *Store) MayRead(id, base string) func(object string) bool {
	return st.ofID(id).MayRead(id, base)
}

// JudgeFetch is what holds now for an address that a call of a session, or of its
// sub-agent, comes to.
func (st *Store) JudgeFetch(id, object string) control.Decision {
	return st.ofID(id).JudgeFetch(id, object)
}

// ofID is the open session of an id, which may be that of its sub-agent, or a new
// one that nobody sees.
func (st *Store) ofID(id string) *session.Session {
	root, _, _ := strings.Cut(id, ".")
	st.mu.Lock()
	s := st.open[root]
	st.mu.Unlock()
	if s == nil {
		s = session.Glance(st.deps, "", "")
	}
	return s
}
