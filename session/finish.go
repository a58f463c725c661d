package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// closeOpenCalls gives every call without a result one, so that the history
// stays valid however the run ended.
func (w *worker) closeOpenCalls(r *run, reason string) {
	status, text := history.StatusCancelled, ""
	if reason != string(history.StopCancelled) {
		status, text = history.StatusFailed, "not run: the run has ended ("+reason+")"
	}
	for _, b := range journal.Read(w.journal, func(t *history.Transcript) []history.Body { return t.CloseCalls(status, text) }) {
		recordOrCancel(w.journal, r, b)
	}
}

// cancelPending resolves what is still asked: a run that has ended asks nothing.
func (w *worker) cancelPending(r *run) {
	if w.session.above != nil {
		return // its questions are on the root and were resolved by ask
	}
	x := w.journal.Begin()
	defer x.End()
	for _, a := range slices.Clone(x.State.Pending) {
		_ = x.Append(r.id, history.ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "cancelled", By: "cancel"})
	}
}
