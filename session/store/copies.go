package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

var _ copies.Sessions = (*Store)(nil)

// IDs implements copies.Sessions.
func (st *Store) IDs() ([]string, error) {
	ids, err := numbered(st.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return ids, err
}

// Dir implements copies.Sessions.
func (st *Store) Dir(id string) string { return filepath.Join(st.dir, id) }

// Alone implements copies.Sessions.
func (st *Store) Alone(id string, do func() error) error {
	st.mu.Lock()
	st.settleLocked(id)
	if st.open[id] != nil {
		st.mu.Unlock()
		return copies.ErrOpen
	}
	done := st.claimLocked(id)
	st.mu.Unlock()
	defer func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		done()
	}()
	return do()
}

// Lock implements copies.Sessions.
func (st *Store) Lock(id string) (unlock func(), err error) {
	lock, err := session.Lock(st.deps, id, st.Dir(id))
	if errors.As(err, new(*session.LockedError)) {
		return nil, copies.ErrOpen
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil // the kernel lets it go in any case
}

// Part implements copies.Sessions. What a process that died left open is closed first, so
// that there is no line behind the last one that can be copied.
func (st *Store) Part(id string, common int64) (string, error) {
	dir := st.Dir(id)
	whole, err := session.Open(st.deps, id, dir)
	if err != nil {
		return "", err
	}
	if err := whole.Close(context.Background()); err != nil {
		return "", err
	}
	fork, err := st.forkFrom(id, dir, false, 0, nil, common)
	if err != nil {
		return "", err
	}
	return fork.ID(), nil
}

// Bring implements copies.Sessions.
func (st *Store) Bring(id string, fill func(dir string) error) error {
	if !validID(id) {
		return copies.ErrOpen
	}
	return st.Alone(id, func() error {
		if err := st.deps.Disk.MkdirAll(st.dir, 0o700); err != nil {
			return err
		}
		dir := st.Dir(id)
		if err := st.deps.Disk.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
			if history.Exists(dir) {
				return copies.ErrOpen
			}
		} else if err != nil {
			return err
		}
		unlock, err := st.Lock(id)
		if err != nil {
			return err
		}
		defer unlock()
		if history.Exists(dir) { // another process has brought it
			return nil
		}
		if err := fill(dir); err != nil {
			return err
		}
		st.written(id)
		return nil
	})
}

// Remove implements copies.Sessions.
func (st *Store) Remove(id string) error {
	unlock, err := st.Lock(id)
	if err != nil {
		return err
	}
	defer unlock()
	err = st.erase(id, st.Dir(id))
	st.forget(id)
	return err
}

// LetGo implements copies.Sessions.
func (st *Store) LetGo(ctx context.Context, id string) error {
	for {
		s := st.here(id)
		if s == nil {
			return nil
		}
		if err := s.Idle(ctx); err != nil {
			return err
		}
		seq := s.Seq()
		if closed, err := st.closeAtRest(ctx, id, s); closed || err != nil {
			return err
		}
		if !s.Await(ctx, seq) {
			return context.Cause(ctx)
		}
	}
}

// closeAtRest closes a session in which nothing runs. Who asks for it meanwhile opens it again.
func (st *Store) closeAtRest(ctx context.Context, id string, s *session.Session) (closed bool, err error) {
	st.mu.Lock()
	st.settleLocked(id)
	if st.open[id] != s {
		st.mu.Unlock()
		return true, nil
	}
	done := st.claimLocked(id)
	st.mu.Unlock()
	if closed, err = s.CloseAtRest(ctx); closed {
		st.copies.Closed(id)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if closed {
		delete(st.open, id)
	}
	done()
	return closed, err
}

// ShowSync tells the client how the copy of a session is now.
func (st *Store) ShowSync(id string, state copies.State, fork string) {
	change := session.SyncChange{SyncState: string(state), Fork: fork}
	if s := st.here(id); s != nil {
		s.ShowSync(change)
		return
	}
	dir := st.Dir(id)
	mark, err := history.MarkOf(dir)
	if err != nil {
		return // it is gone
	}
	if about, err := history.Look(dir, id, mark); err == nil {
		st.deps.Notifier.Ephemeral(history.Origin{Session: id}, history.Ephemeral{Type: session.SyncChangeType, After: about.Seq, Data: change})
	}
}
