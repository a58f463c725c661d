package history

// Sent tells which call of the root an event of a sub-agent belongs to: one that
// was resumed has been sent by several.
type Sent map[string][]sending // by the sub-agent's path, oldest first

type sending struct {
	Seq  int64  `json:"seq"` // of the root's subagent.started
	Call string `json:"call"`
}

// With adds that a sub-agent was sent, or sent again.
func (s Sent) With(seq int64, b SubagentStarted) Sent {
	if s == nil {
		s = Sent{}
	}
	s[b.Path] = append(s[b.Path], sending{seq, b.CallID})
	return s
}

// Call is the call behind a sub-agent's event that was written after the root's
// line of seq after; "" where it is not known.
func (s Sent) Call(path string, after int64) (call string) {
	for _, by := range s[path] {
		if by.Seq <= after {
			call = by.Call
		}
	}
	return call
}
