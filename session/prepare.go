package session

import (
	"errors"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// prepare gives a run its agent, model, tools, limits and reminders.
func (w *worker) prepare(r *run) error {
	w.deps.Config.Reload() // what was written meanwhile acts from this run on
	agent, err := w.agents.named(r.prompt.Agent)
	if err != nil {
		return err
	}
	if kind := w.root.kind(); !serves(agent, kind) { // its file may have changed since the prompt came
		return errors.New(notServed(agent, kind))
	}
	if _, err := w.deps.folder(agent); err != nil {
		return err
	}
	x := w.journal.Begin() // a sub-agent's policy asks for its parent's agent
	r.agent = agent
	x.End()
	w.view.own = agent.Compaction
	if r.model, err = w.deps.openModel(r); err != nil {
		return &noModel{err}
	}
	r.limits = w.limitsOf(r.prompt.Limits, r.agent)
	c := w.deps.Config.Settings().DoomLoop
	r.guard = control.NewLoopGuard(c.SameToolThreshold)
	tools, left := w.view.fitting(r, w.tools.set(r.ctx, r.agent))
	r.tools = tools
	w.tellLeftOut(r, left)
	r.system, r.params = w.systemPrompt(r, r.chosen.SystemPrompt), w.deps.paramsOf(r, r.chosen.Params)
	if err := w.hookChat(r); err != nil {
		return err
	}
	r.fixed = history.Size{Bytes: 3 * w.view.fixedTokens(r, model.RawTokens)}
	w.deps.startClock(r, r.limits.wall.max)
	w.remindAtStart(r)
	return nil
}

// noModel is why no model could be opened: nothing is configured, or what is
// cannot be used.
type noModel struct{ error }

func (e *noModel) Unwrap() error { return e.error }
