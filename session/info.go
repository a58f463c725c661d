package session

import "github.com/agent-sidecar/agent-sidecar/session/history"

// writeInfo is a cache: an error costs only time.
func (s *Session) writeInfo() {
	if s.parent != nil || s.broken != nil || s.closed {
		return
	}
	about := s.infoLocked()
	if about.State != "interrupted" {
		about.State = "idle"
	}
	if err := (history.About{Info: about, Seq: s.t.Seq, Bytes: s.log.Bytes()}).Save(s.deps.Disk, s.dir); err != nil {
		s.deps.Log.Warn().Err(err).Str("session", s.id).Msg("info.json")
	}
}
