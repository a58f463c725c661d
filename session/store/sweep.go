package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// unbegunFor is how long a folder without a log stays: somebody may be making it.
const unbegunFor = time.Hour

// Sweep removes what processes that died have left of sessions which were being
// made or deleted: folders without a log. It is called now and then.
func (st *Store) Sweep() error {
	var errs []error
	for _, id := range numbered(st.dir) {
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
			err = errors.Join(st.deps.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir), lock.Close())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
