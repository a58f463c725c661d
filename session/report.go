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
func (s *Session) report(r *run, end stop) stop {
	if !s.revive(r) {
		return r.stopFor(context.Cause(r.ctx))
	}
	s.closeOpenCalls(r, "its budget is used up")
	s.remind(r, "Your budget is used up, and you have no tools any more. Report now: what you found, with its evidence, and what you did not get to.")
	r.reporting = true
	answer, err := s.think(r)
	if err != nil {
		return r.stopFor(err)
	}
	if len(answer.Calls) > 0 { // none of them runs
		s.callAll(r, answer)
	}
	return end
}

// revive gives a run whose time was up a new context, unless somebody has
// cancelled it.
func (s *Session) revive(r *run) bool {
	x := s.journal.Begin()
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
