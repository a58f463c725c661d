package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/control/loop"
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
	if _, err := w.root.place().folder(agent); err != nil {
		return err
	}
	x := w.journal.Begin() // a sub-agent's policy asks for its parent's agent
	r.agent = agent
	x.End()
	if err := (bringer{w}).bringLeft(r); err != nil {
		return err
	}
	if err := (bringer{w}).sendFiles(r); err != nil {
		return err
	}
	w.view.own = agent.Compaction
	if r.model, err = w.deps.openModel(r); err != nil {
		return &noModel{err}
	}
	r.limits = w.limitsOf(r.prompt.Limits, r.agent)
	if w.session.above == nil {
		w.root.spent.bound(r.prompt.Limits)
	}
	c := w.deps.Config.Settings().DoomLoop
	r.guard = loop.New(c.SameToolThreshold)
	r.fitted = fitNow(w.view, r)
	tools, left := w.view.fitting(r, w.tools.set(r.ctx, r.agent, w.view.window(r.model.Info())))
	r.tools = tools
	w.tellLeftOut(r, left)
	r.system, r.params = w.systemPrompt(r, r.chosen.SystemPrompt), w.deps.paramsOf(r, r.chosen.Params)
	if err := w.hookChat(r); err != nil {
		return err
	}
	r.fixed = history.Size{Bytes: 3 * w.view.fixedTokens(r, model.RawTokens)}
	w.deps.startClock(r, r.limits.wall.max)
	w.remindAtStart(r)
	w.tellEffort(r)
	return nil
}

// hookChat lets hooks change the parameters of a run and add to its system prompt,
// once, before its first request: what a run sends first stays the same until it
// ends. A required hook that fails ends the run before it begins.
func (w *worker) hookChat(r *run) error {
	params := config.Params(r.params)
	asked := w.calls.hooks(r.ctx, r, hooks.Call{Hook: config.ChatParams, Params: &params})
	switch err := context.Cause(r.ctx); {
	case err != nil:
		return err
	case asked.Refused != "":
		return failureOf(asked)
	}
	r.params = model.Params(*asked.Call.Params)
	told := w.calls.hooks(r.ctx, r, hooks.Call{Hook: config.ChatSystem, System: &r.system})
	switch err := context.Cause(r.ctx); {
	case err != nil:
		return err
	case told.Refused != "":
		return failureOf(told)
	}
	r.system = w.root.redactor.RedactAgain(history.Clean(*told.Call.System))
	return nil
}

// failureOf is why a run cannot begin, with the reason for the person.
func failureOf(out hooks.Outcome) error {
	return &hookFailure{fmt.Sprintf("%s: %v", out.Refused, out.Acts[len(out.Acts)-1].Err)}
}
