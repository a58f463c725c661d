package session

import (
	"context"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// CancelTarget is what is stopped. The zero value, CancelAll, is everything of
// the session.
type CancelTarget struct {
	RunID   string
	CallID  string
	AgentID string // a sub-agent, by its path: "explore#1"
	// ClearQueue also drops what waits; each dropped prompt ends as cancelled.
	ClearQueue bool
}

// CancelAll stops the run and clears the queue.
var CancelAll = CancelTarget{ClearQueue: true}

// Cancelled names what was stopped.
type Cancelled struct {
	Runs      []string `json:"runs"`
	Agents    []string `json:"agents"`
	Approvals []string `json:"approvals"`
}

// cancelCause is why a run's context ended.
type cancelCause struct {
	why  string
	wall bool // the time limit, not a person
}

func (c *cancelCause) Error() string { return "cancelled: " + c.why }

// Cancel stops what target names; it is idempotent and returns at once. The run
// ends within a second: its children are killed, its missing results written.
func (s *Session) Cancel(target CancelTarget, why string) Cancelled {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Cancelled{[]string{}, []string{}, []string{}} // nothing is null on the wire
	if target.ClearQueue || target.RunID != "" {
		s.dropQueuedLocked(target, &out)
	}
	if s.live == nil {
		return out
	}
	switch {
	case target.AgentID != "" || target.CallID != "":
		s.cancelPartLocked(target, why, &out)
		return out
	case target.RunID != "" && target.RunID != s.live.id:
		return out
	}
	out.Runs = append(out.Runs, s.live.id)
	for _, k := range s.kids {
		out.Agents = append(out.Agents, k.path)
	}
	for _, a := range s.t.Pending {
		out.Approvals = append(out.Approvals, a.ApprovalID)
	}
	s.live.cancelled = true
	s.live.cancel(&cancelCause{why: why})
	return out
}

// cancelPartLocked stops a sub-agent or one call; the run goes on.
func (s *Session) cancelPartLocked(target CancelTarget, why string, out *Cancelled) {
	for _, k := range s.kids {
		if k.path == target.AgentID || k.call == target.CallID {
			out.Agents = append(out.Agents, k.path)
			for _, a := range s.t.Pending {
				if slices.Contains(a.AgentPath, k.path) {
					out.Approvals = append(out.Approvals, a.ApprovalID)
				}
			}
			k.cancel(&cancelCause{why: why})
		}
	}
	if len(out.Agents) > 0 || target.CallID == "" {
		return
	}
	for _, a := range s.t.Pending {
		if a.CallID == target.CallID {
			out.Approvals = append(out.Approvals, a.ApprovalID)
		}
	}
	if stop, running := s.stops[target.CallID]; running {
		stop(&cancelCause{why: why})
	}
}

// dropQueuedLocked ends prompts that have not started.
func (s *Session) dropQueuedLocked(target CancelTarget, out *Cancelled) {
	for _, q := range slices.Clone(s.t.Queue) {
		if !target.ClearQueue && q.RunID != target.RunID {
			continue
		}
		out.Runs = append(out.Runs, q.RunID)
		_ = s.recordLocked(q.RunID, history.RunEnded{StopReason: "cancelled", Changes: []history.FileChange{}}) // reported by recordLocked
		s.settleLocked(q.RunID, Ended{RunID: q.RunID, StopReason: "cancelled", Changes: []history.FileChange{}})
	}
}

// promise is a run whose end somebody may wait for.
type promise struct {
	done  chan struct{}
	ended Ended
}

func (s *Session) promiseLocked(runID string) *promise {
	p, ok := s.promises[runID]
	if !ok {
		p = &promise{done: make(chan struct{})}
		s.promises[runID] = p
	}
	return p
}

func (s *Session) settleLocked(runID string, ended Ended) {
	p := s.promiseLocked(runID)
	select {
	case <-p.done:
	default:
		p.ended = ended
		close(p.done)
		s.settled = append(s.settled, runID)
	}
	for len(s.settled) > mostSettled { // older ones are looked up in the log
		delete(s.promises, s.settled[0])
		s.settled = s.settled[1:]
	}
}

// mostSettled bounds how many ended runs are remembered.
const mostSettled = 32

// Wait returns how a run of this process ended; a run of an earlier process is
// looked up in the log.
func (s *Session) Wait(ctx context.Context, runID string) (Ended, error) {
	s.mu.Lock()
	p, known := s.promises[runID]
	if !known && slices.ContainsFunc(s.t.Queue, func(q history.Queued) bool { return q.RunID == runID }) {
		p, known = s.promiseLocked(runID), true // queued by an earlier process
	}
	s.mu.Unlock()
	if !known {
		return s.endedBefore(runID)
	}
	select {
	case <-p.done:
		return p.ended, nil
	case <-ctx.Done():
		return Ended{}, context.Cause(ctx)
	}
}

// Idle waits until nothing runs and nothing is queued.
func (s *Session) Idle(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) idleLocked() {
	if s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}
