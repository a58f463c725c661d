package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/workspace/mirror"
)

// owed begins the names of files that say for which sessions something may be there that is
// not here. They are made before files are sent, and removed when nothing there is other.
const owed = "owed-"

func (t *Twin) owe(session string) error {
	return os.WriteFile(filepath.Join(t.dir, owed+session), nil, 0o600)
}

// paid is called when nothing there is other, which is so until a job of the session changes it.
func (t *Twin) paid(session string) error {
	if t.hands.mayHaveJobs(session) {
		return nil
	}
	if err := os.Remove(filepath.Join(t.dir, owed+session)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Owes are the sessions for which something may be there that is not here: of a run that is at
// work, was cancelled, or whose process died, or of a job.
func (t *Twin) Owes() (sessions []string, err error) {
	entries, err := os.ReadDir(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if session, is := strings.CutPrefix(e.Name(), owed); is {
			sessions = append(sessions, session)
		}
	}
	return sessions, err
}

// Save gets what is other there than it was sent and keeps it in the mirror, for Saved. keep is
// told both commits, if there are any, before the worker is told that they are known here.
func (t *Twin) Save(ctx context.Context, session string, keep func(was, now string) error) error {
	return t.fetch(ctx, session, "left", func(_ *mirror.Mirror, there seam.Taken) error {
		if err := keep(there.Laid.Commit, there.Now.Commit); err != nil {
			return err
		}
		return t.settle(ctx, session, there)
	})
}

// Saved is what is other in one commit of the mirror than in another. It reaches for nobody, and has no
// Settle.
func (t *Twin) Saved(ctx context.Context, was, now string) (*Fetched, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, done, err := t.mirror()
	if err != nil {
		return nil, err
	}
	defer done()
	return t.compared(ctx, m, was, now)
}
