package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// agent finds an agent by its name; mode "" is any. A file that was written
// meanwhile counts.
func (d *Deps) agent(name, mode string) (config.Agent, bool) {
	d.Config.Reload()
	agents := d.Config.Settings().Agents
	i := slices.IndexFunc(agents, func(a config.Agent) bool { return a.Name == name && (mode == "" || a.Mode == mode) })
	if i < 0 {
		return config.Agent{}, false
	}
	return agents[i], true
}

// agentNamed is the agent of a run, which was there when the prompt came.
func (s *Session) agentNamed(name string) (config.Agent, error) {
	a, ok := s.deps.agent(name, s.agentMode())
	if !ok {
		return config.Agent{}, fmt.Errorf("there is no agent %q any more; choose another one", name)
	}
	return a, nil
}

// agentNames are those of a mode; "" is any.
func (d *Deps) agentNames(mode string) (names []string) {
	for _, a := range d.Config.Settings().Agents {
		if mode == "" || a.Mode == mode {
			names = append(names, a.Name)
		}
	}
	return names
}

// hasAgent says whether a session may work as an agent.
func (s *Session) hasAgent(name string) bool {
	_, ok := s.deps.agent(name, s.agentMode())
	return ok
}

// agentMode is which agents a session may work as: people talk to primary ones,
// `task` sends the others.
func (s *Session) agentMode() string {
	if s.parent != nil {
		return "subagent"
	}
	return "primary"
}

// admitAgent refuses an agent that there is not, and a model that the agent
// may not work with.
func (s *Session) admitAgent(x *journal.Txn, p Prompt) error {
	if p.Agent != "" && !s.hasAgent(p.Agent) && !s.sendable(p.Agent) {
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", p.Agent)}
	}
	a, ok := s.deps.agent(cmp.Or(p.Agent, x.State.Info.Agent), "")
	switch {
	case !ok: // one that is gone ends the run
		return nil
	case s.parent == nil && !serves(a, kindIn(x.State.Opened, s.root.key)):
		return &InvalidError{"agent", notServed(a, kindIn(x.State.Opened, s.root.key))}
	case p.Model != "" && !a.MayUse(p.Model):
		return &InvalidError{"model", notAllowed(a, p.Model)}
	}
	return nil
}

func notAllowed(a config.Agent, model string) string {
	return fmt.Sprintf("the agent %q may not use the model %q; allowed: %s", a.Name, model, strings.Join(a.AllowedModels, ", "))
}

// mayUse says whether the session's agent, or the one it is about to get, may
// work with a model.
func (s *Session) mayUse(agent *string, model string) bool {
	name := s.Info().Agent
	if agent != nil {
		name = *agent
	}
	a, ok := s.deps.agent(name, "")
	return !ok || a.MayUse(model)
}

// modelFor is the model of a run that names none: own, which is the session's, the agent's,
// or the configured one, whichever the agent may use, else the first of those that
// it may. A sub-agent's own comes before what it has from its parent.
func (d *Deps) modelFor(agent, own string) string {
	a, _ := d.agent(agent, "") // one that is gone ends the run
	names := []string{own, a.Model}
	if a.Mode == "subagent" {
		names = []string{a.Model, own}
	}
	for _, name := range append(names, d.DefaultModel()) {
		if name != "" && a.MayUse(name) {
			return name
		}
	}
	if a.AllowedModels != nil {
		return a.AllowedModels[0]
	}
	return ""
}

// openModel opens a run's model with what may follow it: the agent's own chain
// instead of the configured one, and never a model that the agent may not use.
func (d *Deps) openModel(r *run) (model.Model, error) {
	if !r.agent.MayUse(r.prompt.Model) {
		return nil, errors.New(notAllowed(r.agent, r.prompt.Model))
	}
	chain := d.Config.Settings().Fallback
	if r.agent.Fallback != nil {
		chain = r.agent.Fallback
	}
	chain = slices.DeleteFunc(slices.Clone(chain), func(name string) bool { return !r.agent.MayUse(name) })
	return d.Model(r.prompt.Model, chain)
}

// subagents are the agents that `task` can send: the user's, and the built-in
// ones that something runs.
func (s *Session) subagents() []config.Agent {
	var out []config.Agent
	kind := s.root.kind()
	for _, a := range s.deps.Config.Settings().Agents {
		if _, ok := s.deps.runnerOf(a.Name); ok && serves(a, kind) {
			out = append(out, a)
		}
	}
	return out
}

// Sends says that there is a sub-agent of that name and something runs it.
func (d *Deps) Sends(name string) bool {
	_, ok := d.runnerOf(name)
	return ok
}

// runnerOf is what runs a sub-agent. The user's need nothing but the session.
func (d *Deps) runnerOf(name string) (Runner, bool) {
	agents := d.Config.Settings().Agents
	i := slices.IndexFunc(agents, func(a config.Agent) bool { return a.Name == name && a.Mode == "subagent" })
	if i < 0 {
		return nil, false
	}
	if runner, ok := d.Runners[name]; ok {
		return runner, true
	}
	return delegate{}, agents[i].File != ""
}

// unknownAgent is a text that a model reads word for word, whatever its tool would
// put in front.
type unknownAgent struct{ text string }

func (e *unknownAgent) Error() string { return e.text }

// delegate runs a sub-agent whose report is taken as it is.
type delegate struct{}

func (delegate) Run(ctx context.Context, parent *Session, task Task) (Report, error) {
	return parent.Delegate(ctx, task, nil)
}
