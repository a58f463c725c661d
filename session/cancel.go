package session

import (
	"context"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
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
	// Calls are those that were stopped alone, running or by their job in the
	// background; only where one was named.
	Calls []string `json:"calls,omitempty"`
}

// Cancel stops what target names; it is idempotent and returns at once. The run
// ends within a second: its children are killed, its missing results written. What
// it has started in the background goes on, unless target names the call that did.
func (s *Session) Cancel(target CancelTarget, why string) Cancelled {
	// Its call has returned, and its run may have ended.
	jobStopped := target.CallID != "" && s.root.place().Jobs.StopJob(s.id, target.CallID)
	x := s.journal.Begin()
	defer x.End()
	out := Cancelled{Runs: []string{}, Agents: []string{}, Approvals: []string{}} // nothing is null on the wire
	if jobStopped {
		out.Calls = []string{target.CallID}
	}
	if target.ClearQueue || target.RunID != "" {
		s.dropQueued(x, target, &out)
	}
	if s.live == nil {
		return out
	}
	switch {
	case target.AgentID != "" || target.CallID != "":
		s.cancelPart(x, target, why, &out)
		return out
	case target.RunID != "" && target.RunID != s.live.id:
		return out
	}
	out.Runs = append(out.Runs, s.live.id)
	for _, c := range s.children.atWork {
		out.Agents = append(out.Agents, c.path)
	}
	for _, a := range x.State.Pending {
		out.Approvals = append(out.Approvals, a.ApprovalID)
	}
	s.live.cancelled = true
	s.live.cancel(&cancelCause{why: why})
	return out
}

// cancelPart stops a sub-agent or one call; the run goes on.
func (s *Session) cancelPart(x *journal.Txn, target CancelTarget, why string, out *Cancelled) {
	for _, c := range s.children.atWork {
		if c.path == target.AgentID || c.call == target.CallID {
			out.Agents = append(out.Agents, c.path)
			for _, a := range x.State.Pending {
				if slices.Contains(a.AgentPath, c.path) {
					out.Approvals = append(out.Approvals, a.ApprovalID)
				}
			}
			c.cancel(&cancelCause{why: why})
		}
	}
	if len(out.Agents) > 0 || target.CallID == "" {
		return
	}
	for _, a := range x.State.Pending {
		if a.CallID == target.CallID {
			out.Approvals = append(out.Approvals, a.ApprovalID)
		}
	}
	if stop, running := s.calls.stops.Load(target.CallID); running {
		stop.(context.CancelCauseFunc)(&cancelCause{why: why})
		if len(out.Calls) == 0 { // its job has not gone into the background yet
			out.Calls = []string{target.CallID}
		}
	}
}

// dropQueued ends prompts that have not started.
func (s *Session) dropQueued(x *journal.Txn, target CancelTarget, out *Cancelled) {
	for _, q := range slices.Clone(x.State.Queue) {
		if !target.ClearQueue && q.RunID != target.RunID {
			continue
		}
		out.Runs = append(out.Runs, q.RunID)
		_ = x.Append(q.RunID, history.RunEnded{StopReason: history.StopCancelled, Changes: []history.FileChange{}}) // has been reported
		s.ends.settle(q.RunID, Ended{RunID: q.RunID, StopReason: history.StopCancelled, Changes: []history.FileChange{}})
	}
}
