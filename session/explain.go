package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// CallToExplain is a call that nobody has made.
type CallToExplain struct {
	Agent string // "" is the session's own
	Tool  string
	Input json.RawMessage
}

// Explanation is what would be decided now about a call, and all that leads to
// it.
type Explanation struct {
	Tool     string
	Title    string // of the call, one line
	Agent    string
	Mode     tool.Mode
	Trusted  bool
	Tainted  bool
	Decision control.Decision
}

// Explain says what would be decided now about a call. It plans and judges like
// a run does and goes no further: nothing runs, nobody is asked and nothing is
// written. An unknown tool or agent and arguments that cannot be decoded are an
// InvalidError.
func (s *Session) Explain(c CallToExplain) (Explanation, error) {
	s.deps.Config.Reload()      // what was just written is what is asked about
	agent := s.activity.agent() // of the run under way, else that of the next one
	if name := cmp.Or(c.Agent, s.Info().Agent); c.Agent != "" || agent.Name == "" {
		var err error
		if agent, err = s.agents.named(name); err != nil {
			return Explanation{}, &InvalidError{"agent", fmt.Sprintf("there is no agent %q; available: %s", name, strings.Join(s.deps.agentNames(s.agents.mode()), ", "))}
		}
	}
	tools := s.tools.explained(agent, c.Tool)
	t, ok := tools.Lookup(c.Tool)
	if !ok {
		return Explanation{}, &InvalidError{"tool", fmt.Sprintf("there is no tool %q; available: %s", c.Tool, strings.Join(tools.Names(), ", "))}
	}
	routed, err := tool.RouteOf(t, c.Input)
	if err != nil {
		return Explanation{}, &InvalidError{"input", err.Error()}
	}
	if routed.Tool != nil {
		t, c.Input = routed.Tool, routed.Input
	}
	plan, err := s.calls.planned(context.Background(), t, "", c.Input)
	if err != nil {
		return Explanation{}, &InvalidError{"input", err.Error()}
	}
	facts := s.calls.authority.facts(agent)
	d := control.NewPolicy(facts).Decide(plan).Located(s.deps.Config.Settings().Place)
	return Explanation{t.Spec().Name, control.Title(plan.Title, 200), agent.Name, facts.Mode, facts.Trusted, facts.Tainted, d}, nil
}

// explained are the agent's tools, with those that plan what could not be
// done as well in the place of their namesakes. Nothing is started for it.
func (b *toolbox) explained(agent config.Agent, asked string) tool.Set {
	builtIn := b.builtIn()
	all := tool.NewSet(b.root.place().Tools.ToolsToExplain(b.owner, asked)...) // of two with a name the first stays
	for _, name := range builtIn.Names() {
		if t, ok := builtIn.Lookup(name); ok {
			all = all.With(t)
		}
	}
	return toolsOf(agent, b.withPerson(agent, all))
}
