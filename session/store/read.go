package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Reading takes nothing over: a session that is not open here may be another
// process's at work, or be given to the process that comes after that one. Its log
// is read as it is on disk, and nothing of it is locked or mended.

// reading reads logs. The lock of the folders guards it.
type reading struct {
	*folders
	readers []*history.Reader // the one that was read last at the end
}

// Events reads a page from the log of a session, or of its sub-agent, wherever the
// session is open.
func (r *reading) Events(ctx context.Context, id string, q history.PageQuery) (history.Page, error) {
	if s := r.opened(id); s != nil && len(q.Agent) == 0 {
		return s.Events(ctx, q)
	}
	held := r.HeldBy(id) // before the log is read: who lets go has written everything
	log, root, err := r.logOf(id, q.Agent)
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

// Each reads the whole log of a session as it is on disk, in order.
func (r *reading) Each(ctx context.Context, id string, each func(history.Event)) error {
	log, _, err := r.logOf(id, nil)
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
func (r *reading) Await(ctx context.Context, id string, agent []string, page history.Page) bool {
	log, _, err := r.logOf(id, agent) // held while it is waited for: others that are read push it out of the store's
	if err != nil {
		return true // anyone who reads again is told
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if s := r.opened(id); s != nil && len(agent) == 0 {
			return page.LockedBy != nil || s.Await(ctx, page.TailSeq)
		}
		tail, err := log.Tail(ctx)
		if ctx.Err() != nil {
			return false
		}
		if err != nil || tail > page.TailSeq || !page.LockedBy.Is(r.HeldBy(id)) {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// ArtifactsOf names the artifacts that the results of a run point to; run "" names
// none.
func (r *reading) ArtifactsOf(ctx context.Context, id, run string) (map[string]bool, error) {
	if run == "" {
		_, _, err := r.logOf(id, nil)
		return nil, err
	}
	named := map[string]bool{}
	err := r.Each(ctx, id, func(e history.Event) {
		if r, ok := e.Body.(history.ToolReturned); ok && e.Run == run && r.Artifact != nil {
			named[r.Artifact.ArtifactID] = true
		}
	})
	return named, err
}

// Blob reads what is beside the log of a session under its hash.
func (r *reading) Blob(id, name string) ([]byte, error) {
	log, _, err := r.logOf(id, nil)
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
func (r *reading) PromptText(ctx context.Context, id, name string) ([]byte, error) {
	log, _, err := r.logOf(id, nil)
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
func (r *reading) logOf(id string, agent []string) (log, root *history.Reader, err error) {
	dir, _, err := r.folderOf(id)
	if err != nil {
		return nil, nil, err
	}
	root = r.reader(dir)
	if len(agent) == 0 {
		return root, root, nil
	}
	sub, err := history.ChildDir(dir, agent)
	if err != nil {
		return nil, nil, &session.InvalidError{Field: "agentPath", Reason: err.Error()}
	}
	return r.reader(sub), root, nil
}

// mostReaders is how many logs are remembered of those that were read last.
const mostReaders = 32

// reader is that of a folder, which remembers what it has read.
func (d *reading) reader(dir string) *history.Reader {
	d.mu.Lock()
	defer d.mu.Unlock()
	var r *history.Reader
	if i := slices.IndexFunc(d.readers, func(r *history.Reader) bool { return r.Dir() == dir }); i >= 0 {
		r = d.readers[i]
		d.readers = slices.Delete(d.readers, i, i+1)
	} else {
		r = history.NewReader(dir)
	}
	d.readers = append(d.readers, r)
	if over := len(d.readers) - mostReaders; over > 0 {
		d.readers = slices.Delete(d.readers, 0, over)
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
