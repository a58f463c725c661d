package session

import (
	"fmt"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// limits bound one run. Those that a client set for it stop it; the configured
// ones ask where somebody can answer (ruling 11).
type limits struct {
	maxTurns, maxToolCalls int   // 0: none
	maxTokens, wallMs      int64 // 0: none
	askTurns, askCalls     bool
	askTokens, askWall     bool
	stepTurns, stepCalls   int
	stepTokens             int64
}

func (s *Session) limitsOf(given *Limits) limits {
	c := s.deps.Config.Settings().Limits
	l := limits{maxTurns: c.MaxTurns, maxToolCalls: c.MaxToolCalls, maxTokens: c.MaxTokens, wallMs: c.WallMs, askTurns: true, askCalls: true, askTokens: true, askWall: true}
	if given != nil {
		if given.MaxTurns != nil {
			l.maxTurns, l.askTurns = *given.MaxTurns, false
		}
		if given.MaxToolCalls != nil {
			l.maxToolCalls, l.askCalls = *given.MaxToolCalls, false
		}
		if given.MaxTokens != nil {
			l.maxTokens, l.askTokens = *given.MaxTokens, false
		}
		if given.WallMs != nil {
			l.wallMs, l.askWall = *given.WallMs, false
		}
	}
	l.stepTurns, l.stepCalls, l.stepTokens = l.maxTurns, l.maxToolCalls, l.maxTokens
	return l
}

// limit says whether the run may think once more.
func (s *Session) limit(r *run) (stop, bool) {
	if r.ctx.Err() != nil {
		return s.stopFor(r, r.ctx.Err()), true
	}
	s.deps.Config.Reload() // between turns (control §8)
	l := &r.limits
	if l.maxTurns > 0 && r.iteration >= l.maxTurns {
		more := l.askTurns && s.askLimit(r, fmt.Sprintf("The run has taken %d turns. Go on?", r.iteration))
		if !more {
			return stop{reason: "max_turns", message: fmt.Sprintf("Stopped: the limit of %d turns was reached.", l.maxTurns)}, true
		}
		l.maxTurns += l.stepTurns
	}
	spent := r.usage.InputTokens + r.usage.OutputTokens
	if l.maxTokens > 0 && spent >= l.maxTokens {
		more := l.askTokens && s.askLimit(r, fmt.Sprintf("The run has used %d tokens. Go on?", spent))
		if !more {
			return stop{reason: "limit", message: fmt.Sprintf("Stopped: the budget of %d tokens was used up.", l.maxTokens)}, true
		}
		l.maxTokens += l.stepTokens
	}
	return stop{}, false
}

// limitCalls says whether n more tool calls may run. One call of the batch may
// still fit: the limit stands before the next.
func (s *Session) limitCalls(r *run, n int) (stop, bool) {
	l := &r.limits
	if l.maxToolCalls <= 0 || r.calls < l.maxToolCalls {
		return stop{}, false
	}
	if l.askCalls && s.askLimit(r, fmt.Sprintf("The run has made %d tool calls. Go on?", r.calls)) {
		l.maxToolCalls += l.stepCalls
		return stop{}, false
	}
	return stop{reason: "limit", message: fmt.Sprintf("Stopped: the limit of %d tool calls was reached.", l.maxToolCalls)}, true
}

// askLimit asks whether a run may go on over a configured limit: once is as
// much again, always is for the rest of the run (ruling 11).
func (s *Session) askLimit(r *run, title string) bool {
	if r.unlimited {
		return true
	}
	if !s.deps.Approver.CanAnswer() {
		return false
	}
	answer := s.ask(r, question{build: func() Approval { return plainQuestion("limit", title, "a limit of the configuration was reached") }})
	r.unlimited = answer.decision == "always"
	return answer.decision == "once" || r.unlimited
}

// plainQuestion is one that is about no object: its digest covers its title, so
// that a client cannot answer yesterday's (ruling 98).
func plainQuestion(domain, title, reason string) Approval {
	return Approval{
		Title: title, Reason: reason, Risk: "loop", Domain: domain, Targets: []string{}, Input: []byte("{}"),
		Rule: control.RuleRef{Pattern: "*", Source: "built-in"}, Always: []control.Offer{},
		Decisions: []string{"once", "always", "reject"}, Digest: digestOf(domain, title),
	}
}

// startClock lets the run end when its time is up, not counting the time in
// which a person thinks.
func (s *Session) startClock(r *run) {
	wall := time.Duration(r.limits.wallMs) * time.Millisecond
	r.clock.start(wall, func() { r.cancel(&cancelCause{why: "time limit", wall: true}) })
}

// guardLoop stops a model that goes in circles: it asks before the call that
// would be one too many, and ends the run where nobody says yes (control §5).
func (s *Session) guardLoop(r *run, j *step) (stopped bool) {
	if r.guard == nil {
		return false
	}
	finding := r.guard.Before(j.call.Tool, j.plan.Input)
	if finding.Verdict == control.Allow {
		return false
	}
	s.must(r, LoopDetected{j.call.CallID, j.call.Tool, finding.Count, finding.Reason})
	if s.deps.Approver.CanAnswer() {
		answer := s.ask(r, question{callID: j.call.CallID, build: func() Approval {
			a := plainQuestion("doom_loop", control.Title(finding.Reason, 200), finding.Reason)
			a.Tool, a.Input = j.call.Tool, j.plan.Input
			return a
		}})
		switch answer.decision {
		case "once":
			r.guard.Once()
			return false
		case "always":
			r.guard.Off()
			s.mu.Lock()
			s.loopsAllowed = true
			s.mu.Unlock()
			return false
		case "cancelled":
			j.refuse("cancelled", "")
			return true
		}
	}
	j.end = &stop{reason: "doom_loop", message: finding.Stop}
	j.refuse("failed", finding.Stop)
	return true
}
