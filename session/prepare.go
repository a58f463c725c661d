package session

import (
	"errors"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// prepare gives a run its agent, model, tools, limits and reminders.
func (s *Session) prepare(r *run) error {
	s.deps.Config.Reload() // what was written meanwhile acts from this run on
	agent, err := s.agentNamed(r.prompt.Agent)
	if err != nil {
		return err
	}
	if kind := s.root.kind(); !serves(agent, kind) { // its file may have changed since the prompt came
		return errors.New(notServed(agent, kind))
	}
	if _, err := s.deps.folder(agent); err != nil {
		return err
	}
	x := s.journal.Begin() // a sub-agent's policy asks for its parent's agent
	r.agent = agent
	x.End()
	s.view.own = agent.Compaction
	if r.model, err = s.deps.openModel(r); err != nil {
		return &noModel{err}
	}
	r.limits = s.limitsOf(r.prompt.Limits, r.agent)
	c := s.deps.Config.Settings().DoomLoop
	r.guard = control.NewLoopGuard(c.SameToolThreshold)
	tools, left := s.view.fitting(r, s.setTools(r.ctx, r.agent))
	r.tools = tools
	s.tellLeftOut(r, left)
	r.system, r.params = s.systemPrompt(r, r.chosen.SystemPrompt), s.deps.paramsOf(r, r.chosen.Params)
	if err := s.hookChat(r); err != nil {
		return err
	}
	r.fixed = history.Size{Bytes: 3 * s.view.fixedTokens(r, model.RawTokens)}
	s.deps.startClock(r, r.limits.wall.max)
	s.remindAtStart(r)
	return nil
}

// noModel is why no model could be opened: nothing is configured, or what is
// cannot be used.
type noModel struct{ error }

func (e *noModel) Unwrap() error { return e.error }
