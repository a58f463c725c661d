package session

import (
	"context"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// paramsOf are sent only where somebody has set them, each on its own: the
// session's own before the agent's, and the configuration's, in mode custom, last.
func (d *Deps) paramsOf(r *run, own model.Params) model.Params {
	p := model.Params{Effort: d.Config.Settings().ReasoningEffort}
	if custom := d.Config.Settings().SystemPrompt; custom.Mode == "custom" {
		p = overlay(p, model.Params(custom.Params))
	}
	return overlay(overlay(p, model.Params(r.agent.Params)), own)
}

// toolbox is where the tools of a session come from.
type toolbox struct {
	deps    *Deps
	owner   ToolOwner
	root    *root
	session *activity
	dir     string // of the session
	made    madeTools
	servers keptTools
	// compactions is how often the conversation was made shorter.
	compactions func() int
	asks        func() bool        // there was somebody to ask when the first tools were needed: they stay as they are
	own         func() []tool.Tool // that act on the session itself; nil: there are none
}

// set gives an agent its tools: the Vault's, the session's own, and last
// those that come and go, which never take the name of another. An agent that names its
// tools has all of those; others have MCP tools as window, in tokens, has room for them.
func (b *toolbox) set(ctx context.Context, agent config.Agent, window int64) tool.Set {
	all := b.builtIn()
	foreign := func(name string) bool { return !has(all, name) }
	if agent.Tools == nil || slices.ContainsFunc(agent.Tools, foreign) {
		come := b.root.place().Tools.ThirdPartyTools(ctx)
		if agent.Tools == nil {
			come = b.servers.of(come, b.compactions(), b.deps.Config.Settings().Tools.MCPInPrompt, window)
		}
		all = all.With(come...)
	}
	if !b.deps.Config.Settings().Skills.Enabled {
		all = without(all, skillName)
	}
	return b.underParent(toolsOf(agent, b.withPerson(agent, b.withMemory(meantFor(agent, all)))))
}

// meantFor takes away the tools that are only for other agents.
func meantFor(agent config.Agent, all tool.Set) tool.Set {
	names := slices.DeleteFunc(all.Names(), func(name string) bool {
		t, ok := all.Lookup(name)
		return ok && t.Spec().Agents != nil && !slices.Contains(t.Spec().Agents, agent.Name)
	})
	return all.Only(names...)
}

// withPerson takes the tools that ask a person from sessions where nobody can be asked, and
// that for plans from agents who make none.
func (b *toolbox) withPerson(agent config.Agent, all tool.Set) tool.Set {
	switch {
	case !b.asks():
		return without(all, questions.Name, questions.PlanName)
	case !agent.Plans():
		return without(all, questions.PlanName)
	}
	return all
}

// underParent takes from a sub-agent what could change something and is not of the
// agent that sent it: an agent's tools are a ceiling, which `task` does not lift.
// What only reads stays, for what an agent with few tools sends others for.
func (b *toolbox) underParent(all tool.Set) tool.Set {
	if b.session.above == nil {
		return all
	}
	sender := b.session.above.agent()
	if sender.Tools == nil {
		return all
	}
	names := slices.DeleteFunc(all.Names(), func(name string) bool {
		t, ok := all.Lookup(name)
		return !ok || (t.Spec().Effect != tool.Read || name == jobOutput) && !slices.Contains(withJobTools(sender.Tools), name)
	})
	return all.Only(names...)
}

// madeTools are the tools of a session at the place where it works. They are made once for
// each, because they remember what was read there.
type madeTools struct {
	mu sync.Mutex
	at *Place // nil: none were made
	in []tool.Tool
}

// hands are the tools of the place, for this session.
func (b *toolbox) hands() []tool.Tool {
	b.made.mu.Lock()
	defer b.made.mu.Unlock()
	if place := b.root.place(); b.made.at != place {
		b.made.at = place
		b.made.in = place.Tools.Tools(b.owner, b.dir)
	}
	return b.made.in
}

// builtIn are the place's and the session's own.
func (b *toolbox) builtIn() tool.Set {
	all := tool.NewSet(b.hands()...)
	if b.own != nil {
		all = all.With(b.own()...)
	}
	return all
}

// toolsOf are those that the agent may use at all.
func toolsOf(agent config.Agent, all tool.Set) tool.Set {
	if agent.Tools != nil {
		return all.Only(withJobTools(agent.Tools)...)
	}
	return all
}

// withJobTools adds to the names what belongs to bash: who may put a command into
// the background may also read and stop it.
func withJobTools(names []string) []string {
	if !slices.Contains(names, "bash") {
		return names
	}
	return append(slices.Clone(names), jobOutput, "job_kill")
}

const jobOutput = "job_output"

// withMemory takes the tools from those who have no memory: a group finds what was
// noted day by day and writes nothing, a sub-agent has neither.
func (b *toolbox) withMemory(all tool.Set) tool.Set {
	var gone []string
	switch on := b.deps.Config.Settings().Memory.Enabled; {
	case b.session.above != nil || !on:
		gone = []string{memoryName, memorySearch}
	case !b.root.private():
		gone = []string{memoryName}
	}
	return without(all, gone...)
}
