package session

import (
	"context"
	"time"
)

// reportWall bounds a sub-agent's report, for which its own time is up.
const reportWall = 2 * time.Minute

// report gives a sub-agent whose budget is used up one turn without tools to say
// what it found. The run has ended at its limit all the same; who cancelled it
// meanwhile gets nothing more.
func (w *worker) report(r *run, end stop) stop {
	if !w.revive(r) {
		return r.stopFor(context.Cause(r.ctx))
	}
	w.closeOpenCalls(r, "its budget is used up")
	remind(w.journal, r, "Your budget is used up, and you have no tools any more. Report now: what you found, with its evidence, and what you did not get to.")
	r.reporting = true
	answer, err := w.think(r)
	if err != nil {
		return r.stopFor(err)
	}
	if len(answer.Calls) > 0 { // none of them runs
		w.callAll(r, answer)
	}
	return end
}

// revive gives a run whose time was up a new context, unless somebody has
// cancelled it.
func (w *worker) revive(r *run) bool {
	x := w.journal.Begin()
	defer x.End()
	if r.cancelled {
		return false
	}
	r.clock.stop()
	r.cancel(nil)
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.clock = newClock()
	r.clock.start(reportWall, func() { r.cancel(&cancelCause{why: "time limit", wall: true}) })
	return true
}
