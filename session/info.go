package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// writeInfo is a cache: an error costs only time.
func (s *Session) writeInfo(x *journal.Txn) {
	if x.Broken() != nil || x.Closed() {
		return
	}
	about := s.about(x)
	switch {
	case x.State.Closed:
		about.State = "closed"
	case about.State != "interrupted":
		about.State = "idle"
	}
	if err := about.Save(s.deps.Disk, s.dir); err != nil {
		s.deps.Log.Warn().Err(err).Str("session", s.id).Msg("info.json")
	}
}

// About describes the session for lists and searches.
func (s *Session) About() history.About {
	x := s.journal.Begin()
	defer x.End()
	return s.about(x)
}

func (s *Session) about(x *journal.Txn) history.About {
	return history.About{Info: s.info(x), Seq: x.State.Seq, Bytes: x.Log().Bytes(), FirstPrompt: x.State.FirstPrompt, LastPrompt: x.State.LastPrompt, Reset: x.State.Closed}
}

// Info describes the session for lists.
func (s *Session) Info() history.Info {
	x := s.journal.Begin()
	defer x.End()
	return s.info(x)
}

func (s *Session) info(x *journal.Txn) history.Info {
	state := "idle"
	switch {
	case x.Closed():
		state = "closed"
	case len(x.State.Pending) > 0:
		state = "waiting_approval"
	case s.live != nil:
		state = "running"
	case x.State.Closed:
		state = "closed"
	case x.State.Interrupted != nil:
		state = "interrupted"
	}
	info := x.State.Describe(s.id, state)
	if s.root.key != "" {
		info.SessionKey = s.root.key
	}
	if info.Mode == "full_access" && !s.root.said.full {
		info.Mode = "agent" // lost on restart unless confirmed again
	}
	return info
}

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
