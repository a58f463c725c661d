package session

import (
	"cmp"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// used is how many tokens the next request has, as far as is known: what the
// provider last reported, and what came after it. Without a report, or after
// another model or a summary, everything is counted. What countExactly has counted
// exactly counts so; the rest is estimated.
func (v *view) used(r *run) int64 {
	t := journal.Read(v.journal, copied)
	now := v.shownTo(r, t)
	if v.reports(r, t) {
		return max(t.Reported+v.tokens(r.model.Info().Name, now.total.Minus(*v.shown))+v.weighed(r.model.Info().Name, t.Since()), 0)
	}
	return v.counted(r, now.total, v.weighedAll(now))
}

// counted is how many tokens a request of the run has by our own count, with a
// conversation of this size that has so many more than its size says.
func (v *view) counted(r *run, total history.Size, more int64) int64 {
	return v.tokens(r.model.Info().Name, total) + more + v.fixedSize(r)
}

// reports says that the last report is of this conversation as the model of
// this run counts it: another model counts differently.
func (v *view) reports(r *run, t history.Transcript) bool {
	return t.Reported > 0 && v.shown != nil && t.ReportedBy == cmp.Or(r.by, r.model.Info().Name)
}

// tokens is an estimate, corrected by what was learned about the model.
func (v *view) tokens(name string, n history.Size) int64 {
	estimated := float64(n.Bytes) / 3
	return int64(estimated*v.deps.Models.Ratio(name)) + n.Images*model.ImageTokens
}

// learn compares what was estimated with what the provider reports.
func (v *view) learn(r *run, u *history.TokenCount) {
	if u.InputTokens == 0 {
		return
	}
	size := v.shownSize(r).Plus(r.fixed)
	v.deps.Models.Learn(r.model.Info().Name, u.InputTokens-size.Images*model.ImageTokens, size.Bytes/3)
}

// context is how full the window is, for people.
func (v *view) context(r *run) history.Context {
	c := history.Context{Generation: journal.Read(v.journal, copied).Info.CompactionCount}
	if r.model == nil {
		return c
	}
	c.Used = v.used(r)
	if w := r.model.Info().Window; w > 0 {
		percent := float64(c.Used*1000/w) / 10
		c.Window, c.Percent = &w, &percent
	}
	return c
}
