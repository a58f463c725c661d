package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Look is what a Preview is asked about; the zero Look is the default agent with
// the configured model and no prompt.
type Look struct {
	Agent  string // "" is the session's own; a sub-agent's name may be here too
	Model  string // "" is the one that the agent would work with
	Prompt string // "" leaves the request as it is before the next prompt
}

// Preview is what a session would be sent next, and where it comes from.
type Preview struct {
	Agent     config.Agent
	Model     string
	Info      model.Info // of the model; of one that cannot be opened only the name
	NoModel   error      // why it cannot be opened, nil where it can
	Trusted   bool
	Running   bool                    // the log says that a run is under way, or was when its process died
	Layers    []system.Layer          // of the system prompt
	Reminders []string                // what the next prompt comes with; where Look has one they are in Request
	Hooks     []string                // the kinds of hooks that would still change it; they are programs and do not run
	Request   model.Request           // its first message is the system prompt
	Tokens    func(text string) int64 // about so many, for the model
}

// PreviewOf looks at the session that is in dir, or for an empty id at one that
// has not begun. It reads and does nothing else: no lock is taken, nothing is mended
// or written, no program, server or model is asked. An unknown agent or a model that
// it may not use is an InvalidError.
func PreviewOf(deps *Deps, id, dir string, look Look) (Preview, error) {
	s, t, running, err := glanced(deps, id, dir)
	if err != nil {
		return Preview{}, err
	}
	deps.Config.Reload()
	name := cmp.Or(look.Agent, t.Info.Agent)
	agent, ok := deps.agent(name, "")
	if !ok {
		return Preview{}, &InvalidError{"agent", fmt.Sprintf("there is no agent %q; available: %s", name, strings.Join(deps.agentNames(""), ", "))}
	}
	p := Preview{Agent: agent, Model: cmp.Or(look.Model, s.deps.modelFor(name, t.Info.Model)), Running: running, Trusted: s.root.place().Surroundings.Facts().Trusted}
	if !agent.MayUse(p.Model) {
		return Preview{}, &InvalidError{"model", notAllowed(agent, p.Model)}
	}
	r := &run{agent: agent, prompt: history.RunStarted{Agent: name, Model: p.Model, Kind: "prompt", Prompt: history.Text(s.root.redactor.RedactAgain(look.Prompt))}}
	if r.model, p.NoModel = s.deps.openModel(r); p.NoModel != nil {
		r.model = unopened(p.Model)
	}
	p.Info = r.model.Info()
	p.Tokens = func(text string) int64 { return s.worker.view.tokens(p.Info.Name, history.SizeOf(text)) }
	r.tools, _ = s.worker.view.fitting(r, s.tools.shown(agent))
	r.params = s.deps.paramsOf(r, t.Info.Params)
	hooks := deps.Config.Settings().Hooks
	for _, kind := range []string{config.ChatParams, config.ChatSystem} {
		if len(hooks[kind]) > 0 {
			p.Hooks = append(p.Hooks, kind)
		}
	}
	p.Layers = s.worker.layers(r, t.SystemPrompt)
	r.system = system.Joined(p.Layers)
	if look.Prompt == "" {
		p.Request = s.worker.view.request(r)
	}
	if err := pretend(t, r.prompt); err != nil {
		return Preview{}, err
	}
	p.Reminders = s.worker.remindersOf(agent, r.tools, t)
	if look.Prompt == "" {
		return p, nil
	}
	for _, text := range p.Reminders {
		if err := pretend(t, reminder("", text)); err != nil {
			return Preview{}, err
		}
	}
	p.Request = s.worker.view.request(r)
	return p, nil
}

// glanced is a session as it would be after opening, in memory only: what its log
// leaves open is closed there.
func glanced(deps *Deps, id, dir string) (s *Session, t *history.Transcript, running bool, err error) {
	s, t, err = onlyRead(deps, id, dir)
	if err != nil {
		return nil, nil, false, fmt.Errorf("read session %s in %s: %w", id, filepath.Base(dir), err)
	}
	if s.worker.env = s.root.place().environment(); id != "" {
		s.worker.env = s.root.place().keptEnvironment(dir)
	}
	if t.Run == nil {
		return s, t, false, nil
	}
	left := append(t.CloseCalls("interrupted", ""), history.RunEnded{StopReason: history.StopInterrupted})
	return s, t, true, pretend(t, left...)
}

// pretend folds events into a session that is only looked at.
func pretend(t *history.Transcript, bodies ...history.Body) error {
	run := "preview"
	if t.Run != nil {
		run = t.Run.ID
	}
	for _, b := range bodies {
		if err := t.Apply(history.Event{Seq: t.Seq + 1, Run: run, Body: b}); err != nil {
			return err
		}
	}
	return nil
}

// shown are those that a run of the agent would have, as far as they are
// there without starting anything.
func (b *toolbox) shown(agent config.Agent) tool.Set {
	all := tool.NewSet(b.root.place().Tools.Tools(b.owner, "")...)
	if agent.Mode != "subagent" {
		all = all.With(b.own()...)
	}
	foreign := b.root.place().Tools.ToolsToExplain(b.owner, "")
	all = all.With(slices.DeleteFunc(foreign, func(t tool.Tool) bool { return has(all, t.Spec().Name) })...)
	return toolsOf(agent, b.withPerson(agent, b.withMemory(all)))
}

// unopened is a model of which only the name is known.
type unopened string

func (u unopened) Info() model.Info { return model.Info{Name: string(u)} }

func (u unopened) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) { yield(nil, model.ErrNoModel) }
}
