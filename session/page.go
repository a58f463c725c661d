package session

import (
	"context"
	"maps"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// logReader reads what the log of a session says.
type logReader struct {
	deps    *Deps
	id      string // of the session
	dir     string
	root    *root
	journal *journal.Journal
	origin  history.Origin
}

// Seq is the last durable seq.
func (l *logReader) Seq() int64 { return l.journal.Seq() }

// Events reads a page from the log itself.
func (l *logReader) Events(ctx context.Context, q history.PageQuery) (history.Page, error) {
	log, origin, tail, err := l.logOf(ctx, q.Agent)
	if err != nil {
		return history.Page{}, err
	}
	return log.Page(ctx, q, origin, tail, journal.Read(l.journal, func(t *history.Transcript) history.Sent { return maps.Clone(t.Sent) }))
}

// logOf is the root's log, or a sub-agent's read from its file, with where it
// ends now.
func (l *logReader) logOf(ctx context.Context, agent []string) (*history.Log, history.Origin, int64, error) {
	if len(agent) == 0 {
		x := l.journal.Begin()
		defer x.End()
		return x.Log(), l.origin, x.State.Seq, nil
	}
	dir, err := history.ChildDir(l.dir, agent)
	if err != nil {
		return nil, history.Origin{}, 0, &InvalidError{"agentPath", err.Error()}
	}
	var tail int64
	log := history.Read(dir)
	if err := log.Each(1, func(e history.Event) error {
		tail = e.Seq
		return ctx.Err()
	}); err != nil {
		return nil, history.Origin{}, 0, err
	}
	return log, history.Origin{Session: l.id, AgentPath: agent}, tail, nil
}

// Each reads the whole log, in order.
func (l *logReader) Each(each func(history.Event)) error {
	x := l.journal.Begin()
	log, tail := x.Log(), x.State.Seq
	x.End()
	return log.Each(1, func(e history.Event) error {
		if e.Seq > tail {
			return history.ErrStop
		}
		each(e)
		return nil
	})
}
