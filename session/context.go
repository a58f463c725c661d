package session

import (
	"cmp"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// imageTokens is what an image counts (session §5).
const imageTokens = 1200

// used estimates how many tokens the next request has: what the provider last
// reported, and what came after it (session §5). Without a report everything is
// estimated.
func (s *Session) used(r *run) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.model.Info().Name
	now := s.shownLocked(r).Total()
	if s.t.Reported > 0 && s.view.shown != nil && s.t.ReportedBy == cmp.Or(r.by, name) { // another model counts differently
		return s.t.Reported + s.tokens(name, now.Minus(*s.view.shown))
	}
	return s.tokens(name, now) + s.tokens(name, r.fixed)
}

func (s *Session) tokens(name string, n history.Size) int64 {
	estimated := float64(n.Bytes) / 3
	if s.deps.Ratio != nil {
		estimated *= s.deps.Ratio(name)
	}
	return int64(estimated) + n.Images*imageTokens
}

// learn compares what was estimated with what the provider reports.
func (s *Session) learn(r *run, u *history.TokenCount) {
	if s.deps.Learn == nil || u.InputTokens == 0 {
		return
	}
	s.mu.Lock()
	bytes := s.shownLocked(r).Total().Bytes + r.fixed.Bytes
	s.mu.Unlock()
	s.deps.Learn(r.model.Info().Name, u.InputTokens, bytes/3)
}

// context is how full the window is, for people.
func (s *Session) context(r *run) history.Context {
	c := history.Context{}
	s.mu.Lock()
	c.Generation = s.t.Info.CompactionCount
	s.mu.Unlock()
	if r.model == nil {
		return c
	}
	c.Used = s.used(r)
	if w := r.model.Info().Window; w > 0 {
		percent := float64(c.Used*1000/w) / 10
		c.Window, c.Percent = &w, &percent
	}
	return c
}
