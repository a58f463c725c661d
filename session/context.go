package session

import (
	"cmp"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// used is how many tokens the next request has, as far as is known: what the
// provider last reported, and what came after it. Without a report, or after
// another model or a summary, everything is counted. What weigh has counted
// exactly counts so; the rest is estimated.
func (s *Session) used(r *run) int64 {
	t := journal.Read(s.journal, copied)
	now := s.shownTo(r, t)
	if s.reports(r, t) {
		return max(t.Reported+s.tokens(r.model.Info().Name, now.Total().Minus(*s.across.view.shown))+s.weighed(r.model.Info().Name, t.Since()), 0)
	}
	return s.counted(r, now.Total(), now.Items)
}

// counted is how many tokens a request of the run has by our own count, with a
// conversation of this size and these items.
func (s *Session) counted(r *run, total history.Size, items []history.Item) int64 {
	name := r.model.Info().Name
	return s.tokens(name, total) + s.weighed(name, items) + s.fixedSize(r)
}

// reports says that the last report is of this conversation as the model of
// this run counts it: another model counts differently.
func (s *Session) reports(r *run, t history.Transcript) bool {
	return t.Reported > 0 && s.across.view.shown != nil && t.ReportedBy == cmp.Or(r.by, r.model.Info().Name)
}

// tokens is an estimate, corrected by what was learned about the model.
func (s *Session) tokens(name string, n history.Size) int64 {
	estimated := float64(n.Bytes) / 3
	if s.deps.Ratio != nil {
		estimated *= s.deps.Ratio(name)
	}
	return int64(estimated) + n.Images*model.ImageTokens
}

// learn compares what was estimated with what the provider reports.
func (s *Session) learn(r *run, u *history.TokenCount) {
	if s.deps.Learn == nil || u.InputTokens == 0 {
		return
	}
	size := s.shownSize(r).Plus(r.fixed)
	s.deps.Learn(r.model.Info().Name, u.InputTokens-size.Images*model.ImageTokens, size.Bytes/3)
}

// context is how full the window is, for people.
func (s *Session) context(r *run) history.Context {
	c := history.Context{Generation: journal.Read(s.journal, copied).Info.CompactionCount}
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
