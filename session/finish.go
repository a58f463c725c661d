package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// finish writes the last word of a run and starts the next one that waits, in
// one step: who sees run.ended may start a run of their own at once. It uses no
// cancelled context: whatever happened before, the log ends well.
func (s *Session) finish(r *run, end stop) (next *run) {
	r.leaving.Store(true)
	s.worker.closeOpenCalls(r, end.reason)
	s.worker.cancelPending(r)
	s.worker.tellNoted(r)
	r.usage.Context = s.worker.view.context(r)
	state := RunState{State: "finished", Iteration: r.iteration}
	if end.err != nil {
		state = RunState{State: "error", Iteration: r.iteration, Detail: end.err.Message}
	}
	s.watchers.show(r.id, "run.state", state)
	body := history.RunEnded{StopReason: end.reason, Usage: r.usage, Changes: nonNil(boundChanges(r.changes, maxEncoded/2)), Error: end.err, Message: end.message}
	body.Audit = s.deps.Audits.Audit(s.root.id).Seal()
	body = placeholder.Hidden(s.book, body) // who waits for the run is told the same
	r.clock.stop()
	x := s.journal.Begin()
	defer x.End()
	_ = x.Append(r.id, body) // a log that cannot be written has been reported
	r.cancel(nil)
	s.ends.settle(r.id, Ended{r.id, end.reason, r.text, r.usage, nonNil(r.changes), body.Error, body.Message})
	s.writeInfo(x)
	return s.next(x)
}

// closeOpenCalls gives every call without a result one, so that the history
// stays valid however the run ended.
func (w *worker) closeOpenCalls(r *run, reason string) {
	status, text := "cancelled", ""
	if reason != "cancelled" {
		status, text = "failed", "not run: the run has ended ("+reason+")"
	}
	for _, b := range journal.Read(w.journal, func(t *history.Transcript) []history.Body { return t.CloseCalls(status, text) }) {
		recordOrCancel(w.journal, r, b)
	}
}

// cancelPending resolves what is still asked: a run that has ended asks nothing.
func (w *worker) cancelPending(r *run) {
	if w.session.above != nil {
		return // its questions stand on the root and were resolved by ask
	}
	x := w.journal.Begin()
	defer x.End()
	for _, a := range slices.Clone(x.State.Pending) {
		_ = x.Append(r.id, history.ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "cancelled", By: "cancel"})
	}
}
