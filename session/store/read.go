package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Reading takes nothing over: a session that is not open here may be another
// process's at work, or be given to the process that comes after that one. Its log
// is read as it stands on disk, and nothing of it is locked or mended.

// Events reads a page from the log of a session, or of its sub-agent, wherever the
// session is open.
func (st *Store) Events(ctx context.Context, id string, q history.PageQuery) (history.Page, error) {
	if s := st.opened(id); s != nil && len(q.Agent) == 0 {
		return s.Events(ctx, q)
	}
	held := st.HeldBy(id) // before the log is read: who lets go has written everything
	log, root, err := st.logOf(id, q.Agent)
	if err != nil {
		return history.Page{}, err
	}
	sent, err := root.Sent(ctx)
	if err != nil {
		return history.Page{}, gone(id, err)
	}
	page, err := log.Page(ctx, q, history.Origin{Session: id, AgentPath: q.Agent}, sent)
	page.LockedBy = held
	return page, gone(id, err)
}

// Each reads the whole log of a session as it stands on disk, in order.
func (st *Store) Each(ctx context.Context, id string, each func(history.Event)) error {
	log, _, err := st.logOf(id, nil)
	if err != nil {
		return err
	}
	return gone(id, log.Each(ctx, 1, func(e history.Event) error {
		each(e)
		return nil
	}))
}

// lookEvery is how often a log is looked at for which somebody waits, and which
// another process, or a sub-agent, writes. A look is a stat and a try of a lock: no
// file of another process can tell us more, and nobody waits for longer than the
// client has asked to.
const lookEvery = 100 * time.Millisecond

// Await returns when there may be more than page has: an event, or another process
// that has taken the session or let it go. It says no when ctx ends or nothing
// will come.
func (st *Store) Await(ctx context.Context, id string, agent []string, page history.Page) bool {
	log, _, err := st.logOf(id, agent) // held while it is waited for: others that are read push it out of the store's
	if err != nil {
		return true // whoever reads again is told
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if s := st.opened(id); s != nil && len(agent) == 0 {
			return page.LockedBy != nil || s.Await(ctx, page.TailSeq)
		}
		tail, err := log.Tail(ctx)
		if ctx.Err() != nil {
			return false
		}
		if err != nil || tail > page.TailSeq || !page.LockedBy.Is(st.HeldBy(id)) {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// HeldBy is the other process that has a session open, or that of which it is a
// sub-agent; nil where none has.
func (st *Store) HeldBy(id string) *history.Holder {
	root, _, _ := strings.Cut(id, ".")
	if !validID(root) || st.IsOpen(root) {
		return nil
	}
	lock := filepath.Join(st.dir, root, history.LockFile)
	if !durable.Locked(lock) || st.IsOpen(root) { // it may have been opened here while we looked
		return nil
	}
	return &history.Holder{PID: durable.Owner(lock)}
}

// IsOpen says that a session is open in this process, or about to be.
func (st *Store) IsOpen(id string) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.open[id] != nil || st.busy[id] != nil
}

func (st *Store) opened(id string) *session.Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.settleLocked(id)
	return st.open[id]
}

// ArtifactsOf names the artifacts that the results of a run point to; run "" names
// none.
func (st *Store) ArtifactsOf(ctx context.Context, id, run string) (map[string]bool, error) {
	if run == "" {
		_, _, err := st.logOf(id, nil)
		return nil, err
	}
	named := map[string]bool{}
	err := st.Each(ctx, id, func(e history.Event) {
		if r, ok := e.Body.(history.ToolReturned); ok && e.Run == run && r.Artifact != nil {
			named[r.Artifact.ArtifactID] = true
		}
	})
	return named, err
}

// Blob reads what lies beside the log of a session under its hash.
func (st *Store) Blob(id, name string) ([]byte, error) {
	log, _, err := st.logOf(id, nil)
	if err != nil {
		return nil, err
	}
	return history.ReadBlob(log.Dir(), name)
}

// Why there is no text of a prompt: no prompt of the session names one, or one does,
// and it is not there any more, or not as it was.
var (
	ErrNoText   = errors.New("no prompt of the session has such a text")
	ErrTextGone = errors.New("the text of a prompt is lost")
)

// PromptText reads a text that was too long for the line of its prompt, by the name
// that the prompt has for it.
func (st *Store) PromptText(ctx context.Context, id, name string) ([]byte, error) {
	log, _, err := st.logOf(id, nil)
	if err != nil {
		return nil, err
	}
	named, err := log.NamesText(ctx, name)
	switch {
	case err != nil:
		return nil, gone(id, err)
	case !named:
		return nil, ErrNoText
	}
	data, err := history.ReadBlob(log.Dir(), name)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrTextGone, err)
	}
	return data, err
}

// logOf is the log of a session, or of its sub-agent, and that of the session.
func (st *Store) logOf(id string, agent []string) (log, root *history.Reader, err error) {
	dir, _, err := st.folderOf(id)
	if err != nil {
		return nil, nil, err
	}
	root = st.reader(dir)
	if len(agent) == 0 {
		return root, root, nil
	}
	sub, err := history.ChildDir(dir, agent)
	if err != nil {
		return nil, nil, &session.InvalidError{Field: "agentPath", Reason: err.Error()}
	}
	return st.reader(sub), root, nil
}

// mostReaders is how many logs are remembered of those that were read last.
const mostReaders = 32

// reader is that of a folder, which remembers what it has read.
func (st *Store) reader(dir string) *history.Reader {
	st.mu.Lock()
	defer st.mu.Unlock()
	var r *history.Reader
	if i := slices.IndexFunc(st.readers, func(r *history.Reader) bool { return r.Dir() == dir }); i >= 0 {
		r = st.readers[i]
		st.readers = slices.Delete(st.readers, i, i+1)
	} else {
		r = history.NewReader(dir)
	}
	st.readers = append(st.readers, r)
	if over := len(st.readers) - mostReaders; over > 0 {
		st.readers = slices.Delete(st.readers, 0, over)
	}
	return r
}

// gone makes of a log that is not there any more a session that is not.
func gone(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &session.NotFoundError{SessionID: id}
	}
	return err
}
