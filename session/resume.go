package session

import "github.com/agent-sidecar/agent-sidecar/session/history"

// Resumed is what a client needs to go on with a session.
type Resumed struct {
	Info        history.Info
	TailSeq     int64
	Interrupted *history.Interrupted
	Pending     []history.Approval
	Queue       []history.QueueItem
}

// Resume describes a session to a client that opens it.
func (s *Session) Resume() Resumed {
	x := s.journal.Begin()
	defer x.End()
	return Resumed{Info: s.info(x), TailSeq: x.State.Seq, Interrupted: x.State.Interrupted, Pending: append([]history.Approval{}, x.State.Pending...), Queue: queued(x.State)}
}

// LostFullAccess says once that full access ended with the process before this one.
func (s *Session) LostFullAccess() bool { return s.root.said.lostFull.Swap(false) }
