// Package store is the sessions of one workspace: it finds them, makes them, opens
// what an earlier process left, lists and removes them. What a session is and does
// is not its business: it hands out sessions and keeps none of their state.
package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Store is the sessions of one workspace. What it embeds knows nothing of it.
type Store struct {
	*folders
	*listing
	*reading
	*messages
	*keys
	*maker
}

// Open returns the sessions under deps.Home of deps.WorkspaceID. It touches no
// file.
func Open(deps *session.Deps) *Store { return OpenCopied(deps, nil) }

// OpenCopied is Open of sessions that have copies; keep gives what keeps them, which may be nil.
func OpenCopied(deps *session.Deps, keep func(*Store) *copies.Keeper) *Store {
	f := &folders{deps: deps, dir: filepath.Join(deps.Home, "sessions", deps.WorkspaceID), open: map[string]*session.Session{}, busy: map[string]chan struct{}{}}
	l := &listing{folders: f, looked: map[string]looked{}}
	k := &keys{listing: l}
	st := &Store{f, l, &reading{folders: f}, &messages{folders: f, said: map[string]string{}}, k, &maker{keys: k}}
	if keep != nil {
		f.copies = keep(st)
	}
	return st
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
		return st.eraseAll(id, s.Dir())
	}
	dir := filepath.Join(st.dir, id)
	if _, err := os.Stat(dir); !validID(id) || err != nil {
		return nil
	}
	if machine := st.copies.HeldBy(id); machine != "" {
		return &session.LockedError{SessionID: id, Machine: machine}
	}
	lock, err := session.Lock(st.deps, id, dir)
	if err != nil {
		return err
	}
	return errors.Join(st.eraseAll(id, dir), lock.Close())
}

// eraseAll removes a session, and its copies.
func (st *Store) eraseAll(id, dir string) error {
	st.copies.Deleting(id)
	err := st.erase(id, dir)
	st.copies.Deleted()
	return err
}

// erase removes a session's files, its log first: anyone who dies here leaves nothing
// that looks like a session, and Sweep removes the rest.
func (st *Store) erase(id, dir string) error {
	st.deleting(id, dir)
	defer st.leaving(id, dir)()
	if err := history.Remove(st.deps.Disk, dir); err != nil {
		return err
	}
	return errors.Join(st.deps.Here.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir))
}

// leaving is what is called when a session is no more: where it worked on another machine,
// that is told.
func (st *Store) leaving(id, dir string) (gone func()) {
	mark, err := history.MarkOf(dir)
	about, looked := history.Look(dir, id, mark)
	if err != nil || looked != nil || about.Runner == "" || st.deps.Elsewhere == nil {
		return func() {}
	}
	return func() { st.deps.Elsewhere.Left(about.Runner, id, true) }
}

// Close ends every run and lets go of every log. It returns when everything is
// durable.
func (st *Store) Close(ctx context.Context) error {
	var errs []error
	for _, s := range st.Live() {
		errs = append(errs, s.Close(ctx))
		st.copies.Closed(s.ID())
		if s.Ephemeral() {
			gone := st.leaving(s.ID(), s.Dir())
			errs = append(errs, st.deps.Here.Artifacts.RemoveSession(s.ID()), os.RemoveAll(s.Dir()))
			gone()
		}
	}
	return errors.Join(errs...)
}
