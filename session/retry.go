package session

import (
	"cmp"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// Retry takes a Prompt of kind continuation without blocks. It starts the last run again where it ended with an error, was cancelled or
// interrupted: a run of kind continuation, without a new word of the person in the
// conversation. p may name another agent, model, limits or system text; what it
// leaves out is as it was, but for a model that was chosen for the session since. With nothing to retry it is an *InvalidError for the field
// retry, and a *BusyError while something runs.
func (s *Session) Retry(p Prompt) (history.Ack, error) {
	x := s.journal.Begin()
	last, live, known := x.State.Last, s.live, p.ClientMessageID != "" && x.State.Acks[p.ClientMessageID].RunID != ""
	answered := !x.State.Unanswered()
	x.End()
	if known {
		return s.Prompt(p) // it was taken already
	}
	if live != nil {
		return history.Ack{}, &BusyError{s.id, live.id}
	}
	if !last.Unfinished() {
		return history.Ack{}, &InvalidError{"retry", "the last run of the session has ended well, so there is nothing to retry"}
	}
	p.Delivery, p.Prompt = DeliverStart, []history.Block{}
	p.Agent = cmp.Or(p.Agent, last.Agent)
	p.Model = cmp.Or(p.Model, last.Model)
	p.Limits = cmp.Or(p.Limits, last.Limits)
	p.System = cmp.Or(p.System, last.System)
	switch {
	case s.agents.sendable(p.Agent): // it is not part of the conversation: the sub-agent needs its words
		p.Prompt = last.Prompt
	case answered: // the next word would be the model's own again
		p.Prompt = history.Text(system.Reminder("The last run did not end well. Go on with the task where it stopped."))
	}
	return s.Prompt(p)
}
