package session

import (
	"errors"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// owner is a session as its journal sees it.
type owner struct {
	*watchers
	id  string
	log zerolog.Logger
}

func (o owner) Redacted(body history.Body) history.Body {
	return placeholder.Redacted(o.root.redactor, body)
}

// After is the root's seq, in a sub-agent's lines: locks are taken from child to root, never
// back.
func (o owner) After() int64 {
	if o.session.above == nil {
		return 0
	}
	return o.root.journal.Seq()
}

func (o owner) Published(e history.Event) { o.to.Event(o.origin, e) }

func (o owner) Failed(run string, after int64, err error) {
	o.log.Error().Err(err).Str("session", o.id).Msg("log cannot be written")
	o.to.Ephemeral(o.origin, history.Ephemeral{Type: "notice", Run: run, After: after, Data: Notice{Severity: "error", Title: said.That("The session log cannot be written: %s", err.Error())}})
}

// recordOrCancel records what the run cannot go on without. Where the log refuses it, the
// run ends and says so; what it has done stays in memory.
func recordOrCancel(j *journal.Journal, r *run, b history.Body) {
	if err := j.Append(r.id, b); err != nil {
		r.cancel(journal.Unwritable(err))
	}
}

// switched records that another model is asked from here on, where a part says so;
// a summary may be what found it out.
func switched(j *journal.Journal, r *run, part model.Part) {
	switch p := part.(type) {
	case model.Retry:
		if p.Switch {
			recordOrCancel(j, r, history.ModelSwitched{From: p.From, To: p.Model, Reason: string(p.Err.Kind)})
		}
	case model.Switch: // each run opens its chain anew; what the log says already is not said again
		if journal.Read(j, func(t *history.Transcript) bool { return t.SwitchedTo == p.To }) {
			return
		}
		recordOrCancel(j, r, history.ModelSwitched{From: p.From, To: p.To, Reason: p.Reason})
	}
}

func overflows(err error) bool {
	return errors.Is(err, &model.Error{Kind: model.KindOverflow})
}
