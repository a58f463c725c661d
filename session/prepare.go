package session

import (
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// prepare gives a run its agent, model, tools, limits and reminders.
func (s *Session) prepare(r *run) error {
	s.deps.Config.Reload() // what was written meanwhile acts from this run on (control §8)
	agent, err := s.agentNamed(r.prompt.Agent)
	if err != nil {
		return err
	}
	s.mu.Lock() // a sub-agent's policy asks for its parent's agent
	r.agent = agent
	s.mu.Unlock()
	s.view.own = agent.Compaction
	if r.model, err = s.openModel(r); err != nil {
		return &noModel{err}
	}
	r.limits = s.limitsOf(r.prompt.Limits, r.agent)
	c := s.deps.Config.Settings().DoomLoop
	r.guard = control.NewLoopGuard(c.SameToolThreshold)
	r.tools = s.setTools(r.ctx, r.agent)
	r.system, r.params = s.systemPrompt(r, r.chosen.SystemPrompt), s.paramsOf(r, r.chosen.Params)
	if err := s.hookChat(r); err != nil {
		return err
	}
	r.fixed = history.Size{Bytes: 3 * s.fixedTokens(r, model.RawTokens)}
	s.startClock(r, r.limits.wall.max)
	s.remindAtStart(r)
	return nil
}

// closeOpenCalls gives every call without a result one, so that the history
// stays valid however the run ended.
func (s *Session) closeOpenCalls(r *run, reason string) {
	s.mu.Lock()
	open := slices.Clone(s.t.OpenCalls)
	s.mu.Unlock()
	status, text := "cancelled", ""
	if reason != "cancelled" {
		status, text = "failed", "not run: the run has ended ("+reason+")"
	}
	for _, c := range open {
		s.must(r, history.ToolReturned{CallID: c.CallID, Tool: c.Tool, Status: status, Text: text})
	}
}

// noModel is why no model could be opened: nothing is configured, or what is
// cannot be used.
type noModel struct{ error }

func (e *noModel) Unwrap() error { return e.error }

// cancelPending resolves what is still asked: a run that has ended asks nothing.
func (s *Session) cancelPending(r *run) {
	if s.parent != nil {
		return // its questions stand on the root and were resolved by ask
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range slices.Clone(s.t.Pending) {
		_ = s.recordLocked(r.id, history.ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "cancelled", By: "cancel"})
	}
}

// must records what the run cannot go on without. Where the log refuses it, the
// run ends and says so; what it has done stays in memory.
func (s *Session) must(r *run, b history.Body) {
	if err := s.record(r.id, b); err != nil {
		r.cancel(logBroken(err))
	}
}

func logBroken(err error) error { return fmt.Errorf("the session log cannot be written: %w", err) }

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
