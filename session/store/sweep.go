package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Sweep removes what processes that died have left of sessions which were being
// made or deleted, which are folders without a log, and of ephemeral ones. It is
// called now and then.
func (st *Store) Sweep() error {
	errs := []error{st.sweepEphemeral()}
	ids, err := numbered(st.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, id := range ids {
		dir := filepath.Join(st.dir, id)
		info, err := os.Stat(dir)
		if err != nil || history.Exists(dir) || time.Since(info.ModTime()) < unbegunFor {
			continue
		}
		lock, err := session.Lock(st.deps, id, dir)
		if errors.As(err, new(*session.LockedError)) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(st.deps.Here.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir), lock.Close())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// sweepEphemeral removes ephemeral sessions that no process has open. In a directory
// that others write too nothing is made.
func (st *Store) sweepEphemeral() error {
	dirs, err := durable.Abandoned(filepath.Join(os.TempDir(), ephemeralFolder), history.LockFile, unbegunFor)
	errs := []error{err}
	for _, dir := range dirs {
		if err := st.deps.Disk.RemoveAll(dir); !errors.Is(err, fs.ErrPermission) { // it is somebody else's
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
