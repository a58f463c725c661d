package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// owner is a session as its journal sees it.
type owner struct{ s *Session }

func (o owner) Redacted(body history.Body) history.Body { return placeholder.Hidden(o.s.book(), body) }

// After is the root's seq, in a sub-agent's lines: locks are taken from child to root, never
// back.
func (o owner) After() int64 {
	if o.s.parent == nil {
		return 0
	}
	return o.s.root().Seq()
}

func (o owner) Published(e history.Event) { o.s.deps.Notifier.Event(o.s.origin, e) }

func (o owner) Failed(run string, after int64, err error) {
	o.s.deps.Log.Error().Err(err).Str("session", o.s.id).Msg("log cannot be written")
	o.s.deps.Notifier.Ephemeral(o.s.origin, history.Ephemeral{Type: "notice", Run: run, After: after, Data: Notice{Severity: "error", Title: "The session log cannot be written: " + err.Error()}})
}

// recordOrCancel records what the run cannot go on without. Where the log refuses it, the
// run ends and says so; what it has done stays in memory.
func (s *Session) recordOrCancel(r *run, b history.Body) {
	if err := s.journal.Append(r.id, b); err != nil {
		r.cancel(journal.Unwritable(err))
	}
}
