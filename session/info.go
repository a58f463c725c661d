package session

import "github.com/agent-sidecar/agent-sidecar/session/history"

// writeInfo is a cache: an error costs only time.
func (s *Session) writeInfo() {
	if s.broken != nil || s.closed {
		return
	}
	about := s.aboutLocked()
	switch {
	case s.t.Closed:
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aboutLocked()
}

func (s *Session) aboutLocked() history.About {
	return history.About{Info: s.infoLocked(), Seq: s.t.Seq, Bytes: s.log.Bytes(), FirstPrompt: s.t.FirstPrompt, LastPrompt: s.t.LastPrompt, Reset: s.t.Closed}
}

// Info describes the session for lists.
func (s *Session) Info() history.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.infoLocked()
}

func (s *Session) infoLocked() history.Info {
	state := "idle"
	switch {
	case s.closed:
		state = "closed"
	case len(s.t.Pending) > 0:
		state = "waiting_approval"
	case s.live != nil:
		state = "running"
	case s.t.Closed:
		state = "closed"
	case s.t.Interrupted != nil:
		state = "interrupted"
	}
	info := s.t.Describe(s.id, state)
	if s.key != "" {
		info.SessionKey = s.key
	}
	if info.Mode == "full_access" && !s.full {
		info.Mode = "agent" // lost on restart unless confirmed again
	}
	return info
}
