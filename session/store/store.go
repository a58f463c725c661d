// Package store is the sessions of one workspace: it finds them, makes them, opens
// what an earlier process left, lists and removes them. What a session is and does
// is not its business: it hands out sessions and keeps none of their state.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Store is the sessions of one workspace.
type Store struct {
	deps *session.Deps
	dir  string

	// making is held while a session is looked up by its key and made: two
	// prompts with a new key get one session. It is taken before mu.
	making sync.Mutex
	mu     sync.Mutex // guards the maps; never held while a log is read
	open   map[string]*session.Session
	busy   map[string]chan struct{} // sessions that are being opened or deleted; closed when done
	said   map[string]string        // clientMessageId → session, nil until it is read
}

// Open returns the sessions under deps.Home of deps.WorkspaceID. It touches no
// file.
func Open(deps *session.Deps) *Store {
	return &Store{deps: deps, dir: filepath.Join(deps.Home, "sessions", deps.WorkspaceID), open: map[string]*session.Session{}, busy: map[string]chan struct{}{}}
}

// New makes a session, or returns the one that has the key already.
func (st *Store) New(n session.NewSession) (s *session.Session, created bool, err error) {
	st.making.Lock()
	defer st.making.Unlock()
	if err := n.Check(st.deps); err != nil {
		return nil, false, err
	}
	if n.Key != "" {
		if n.Key, err = CanonicalKey(n.Key, st.deps.WorkspaceID, n.Agent); err != nil {
			return nil, false, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
		}
		if id := st.byKey(n.Key); id != "" {
			s, err := st.Get(id)
			return s, false, err
		}
	}
	s, err = st.create(n)
	return s, err == nil, err
}

func (st *Store) create(n session.NewSession) (*session.Session, error) {
	id, dir, err := st.nextID(n.Ephemeral)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	if n.Key == "" {
		n.Key = fmt.Sprintf("workspace:%s/agent:%s/session:%s", st.deps.WorkspaceID, escapePart(n.Agent), id)
	}
	s, err := session.Create(st.deps, id, dir, n)
	if err != nil {
		return nil, err
	}
	st.mu.Lock()
	st.open[id] = s
	st.mu.Unlock()
	return s, nil
}

// nextID takes the next number, which is never used again (ruling 101), and
// makes the session's folder: in a temporary place for an ephemeral one.
func (st *Store) nextID(ephemeral bool) (id, dir string, err error) {
	if err := st.deps.Disk.MkdirAll(st.dir, 0o700); err != nil {
		return "", "", err
	}
	next := filepath.Join(st.dir, "next")
	n := 1
	if raw, err := os.ReadFile(next); err == nil {
		if m, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && m > 0 {
			n = m
		}
	}
	for ; ; n++ {
		id = fmt.Sprintf("%04d", n)
		dir = filepath.Join(st.dir, id)
		if ephemeral {
			id = "e" + id
			dir, err = os.MkdirTemp("", "agent-sidecar-session-*")
		} else {
			err = st.deps.Disk.Mkdir(dir, 0o700)
		}
		switch {
		case err == nil:
			return id, dir, st.deps.Disk.WriteFile(next, []byte(strconv.Itoa(n+1)+"\n"), 0o600)
		case !errors.Is(err, fs.ErrExist):
			return "", "", err
		}
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
	dir := filepath.Join(st.dir, id)
	if !validID(id) || !history.Exists(dir) {
		return nil, &session.NotFoundError{SessionID: id}
	}
	return session.Open(st.deps, id, dir)
}

// validID keeps what a client calls a session from being a path (ruling 83).
func validID(id string) bool {
	return id != "" && len(id) <= 12 && strings.Trim(id, "0123456789") == ""
}

// List describes the sessions, newest first, without reading whole histories:
// what a session writes about itself is read, and its log only where that is
// missing.
func (st *Store) List() ([]history.Info, error) {
	entries, err := os.ReadDir(st.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	infos := []history.Info{}
	st.mu.Lock()
	open := make(map[string]*session.Session, len(st.open))
	for id, s := range st.open {
		open[id] = s
	}
	st.mu.Unlock()
	for id, s := range open {
		if !validID(id) {
			infos = append(infos, s.Info()) // ephemeral: not in the folder
		}
	}
	for _, e := range entries {
		if !e.IsDir() || !validID(e.Name()) {
			continue
		}
		if s, ok := open[e.Name()]; ok {
			infos = append(infos, s.Info())
		} else if info, err := history.ReadInfo(filepath.Join(st.dir, e.Name()), e.Name()); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b history.Info) int { return strings.Compare(b.UpdatedAt+b.ID, a.UpdatedAt+a.ID) })
	return infos, nil
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
		if err := s.Close(ctx); err != nil {
			return err
		}
		return errors.Join(st.deps.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(s.Dir()))
	}
	dir := filepath.Join(st.dir, id)
	if _, err := os.Stat(dir); !validID(id) || err != nil {
		return nil
	}
	lock, err := session.Lock(st.deps, id, dir)
	if err != nil {
		return err
	}
	err = errors.Join(st.deps.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir))
	return errors.Join(err, lock.Close())
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
// to it is not swept (workspace §5). Where that cannot be told it is.
func (st *Store) InUse(id string) bool {
	st.mu.Lock()
	_, open := st.open[id]
	open = open || st.busy[id] != nil
	st.mu.Unlock()
	if open || !validID(id) {
		return open
	}
	return durable.Locked(filepath.Join(st.dir, id, "lock"))
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

// MayRead says whether a session may read an object without asking anybody:
// searches leave the others out (control §1). For a name that is no open session
// it says what holds for a new one.
func (st *Store) MayRead(id, object string) bool {
	root, _, _ := strings.Cut(id, ".")
	st.mu.Lock()
	s := st.open[root]
	st.mu.Unlock()
	if s == nil {
		s = session.Glance(st.deps, "", "")
	}
	return s.MayRead(object)
}

// Explain says what would be decided now about a call of a session, "" for one
// that has not begun (protocol §3 agent/explain). No session is opened or made.
func (st *Store) Explain(id string, c session.CallToExplain) (session.Explanation, error) {
	st.mu.Lock()
	s := st.open[id]
	st.mu.Unlock()
	dir := filepath.Join(st.dir, id)
	switch {
	case s != nil:
	case id != "" && (!validID(id) || !history.Exists(dir)):
		return session.Explanation{}, &session.NotFoundError{SessionID: id}
	default:
		s = session.Glance(st.deps, id, dir)
	}
	return s.Explain(c)
}
