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
	s.mu.Lock()
	defer s.mu.Unlock()
	return Resumed{Info: s.infoLocked(), TailSeq: s.t.Seq, Interrupted: s.t.Interrupted, Pending: append([]history.Approval{}, s.t.Pending...), Queue: s.queueLocked()}
}

// LostFullAccess says once that full access ended with the process before this one.
func (s *Session) LostFullAccess() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := s.lostFull
	s.lostFull = false
	return lost
}
