package session

import (
	"context"
	"maps"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// Events reads a page from the log itself.
func (s *Session) Events(ctx context.Context, q history.PageQuery) (history.Page, error) {
	log, origin, tail, err := s.logOf(ctx, q.Agent)
	if err != nil {
		return history.Page{}, err
	}
	return log.Page(ctx, q, origin, tail, journal.Read(s.journal, func(t *history.Transcript) history.Sent { return maps.Clone(t.Sent) }))
}

// logOf is the root's log, or a sub-agent's read from its file, with where it
// ends now.
func (s *Session) logOf(ctx context.Context, agent []string) (*history.Log, history.Origin, int64, error) {
	if len(agent) == 0 {
		x := s.journal.Begin()
		defer x.End()
		return x.Log(), s.watchers.origin, x.State.Seq, nil
	}
	dir, err := history.ChildDir(s.dir, agent)
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
	return log, history.Origin{Session: s.id, AgentPath: agent}, tail, nil
}

// Each reads the whole log, in order.
func (s *Session) Each(each func(history.Event)) error {
	x := s.journal.Begin()
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
