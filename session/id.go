package session

import "fmt"

// newID names something of this session; seq makes it unique and the same in a
// replay.
func (s *Session) newID(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newIDLocked(kind)
}

func (s *Session) newIDLocked(kind string) string {
	s.ids++
	between := "."
	if kind == "c" { // some providers take only letters, digits, _ and - in the id of a call
		between = "-"
	}
	return fmt.Sprintf("%s-%s%d%s%d", s.id, kind, s.t.Seq+1, between, s.ids)
}
