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

// roster are the agents that a session may work as.
type roster struct {
	deps    *Deps
	root    *root
	session *activity
}

// named is the agent of a run, which was there when the prompt came.
func (o *roster) named(name string) (config.Agent, error) {
	a, ok := o.deps.agent(name, o.mode())
	if !ok {
		return config.Agent{}, fmt.Errorf("there is no longer an agent %q; choose another one", name)
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

// has says whether a session may work as an agent.
func (o *roster) has(name string) bool {
	_, ok := o.deps.agent(name, o.mode())
	return ok
}

// mode is which agents a session may work as: people talk to primary ones,
// `task` sends the others.
func (o *roster) mode() string {
	if o.session.above != nil {
		return "subagent"
	}
	return "primary"
}

// admit refuses an agent that there is not, and a model that the agent
// may not work with.
func (o *roster) admit(x *journal.Txn, agent, model string) error {
	if agent != "" && !o.has(agent) && !o.sendable(agent) {
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", agent)}
	}
	a, ok := o.deps.agent(cmp.Or(agent, x.State.Info.Agent), "")
	switch {
	case !ok: // one that is gone ends the run
		return nil
	case o.session.above == nil && !serves(a, kindIn(x.State.Opened, o.root.key)):
		return &InvalidError{"agent", notServed(a, kindIn(x.State.Opened, o.root.key))}
	case model != "" && !a.MayUse(model):
		return &InvalidError{"model", notAllowed(a, model)}
	}
	return nil
}

func notAllowed(a config.Agent, model string) string {
	return fmt.Sprintf("the agent %q may not use the model %q; allowed: %s", a.Name, model, strings.Join(a.AllowedModels, ", "))
}

// mayUse says whether an agent may work with a model. One that is gone may.
func (o *roster) mayUse(agent, model string) bool {
	a, ok := o.deps.agent(agent, "")
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
	for _, name := range append(names, d.Models.DefaultModel()) {
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
	return d.Models.OpenModel(r.prompt.Model, chain)
}

// subagents are the agents that `task` can send: the user's, and the built-in
// ones that something runs.
func (o *roster) subagents() []config.Agent {
	var out []config.Agent
	kind := o.root.kind()
	for _, a := range o.deps.Config.Settings().Agents {
		if _, ok := o.deps.subagent(a.Name); ok && serves(a, kind) {
			out = append(out, a)
		}
	}
	return out
}

// Sends says that there is a sub-agent of that name and something runs it.
func (d *Deps) Sends(name string) bool {
	_, ok := d.subagent(name)
	return ok
}

// subagent is what runs a sub-agent. The user's need nothing but the session.
func (d *Deps) subagent(name string) (Subagent, bool) {
	agents := d.Config.Settings().Agents
	i := slices.IndexFunc(agents, func(a config.Agent) bool { return a.Name == name && a.Mode == "subagent" })
	if i < 0 {
		return nil, false
	}
	if own, ok := d.Subagents[name]; ok {
		return own, true
	}
	return delegate{}, agents[i].File != ""
}

// unknownAgent is a text that a model reads word for word, whatever its tool would
// put in front.
type unknownAgent struct{ text string }

func (e *unknownAgent) Error() string { return e.text }

// delegate runs a sub-agent whose report is taken as it is.
type delegate struct{}

func (delegate) Run(ctx context.Context, parent Parent, task Task) (Report, error) {
	return parent.Delegate(ctx, task, nil)
}

// sendable says that a person may send an agent in this session: it is a sub-agent,
// and the session is another agent's.
func (o *roster) sendable(agent string) bool {
	return o.session.above == nil && !o.has(agent) && o.deps.Sends(agent)
}

// served says whether this session may have an agent, as far as its kind goes.
func (o *roster) served(agent string) bool {
	a, ok := o.deps.agent(agent, o.mode())
	return !ok || serves(a, o.root.kind())
}
