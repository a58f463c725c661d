package control

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// ceiling is the most that an agent may do.
type ceiling struct {
	agent   string
	at      Scope      // without a runner: a ceiling is the same everywhere
	sets    []*RuleSet // each applies
	unasked bool       // the sandbox could run commands that need no approval
}

func newCeiling(f *Facts) *ceiling {
	c := &ceiling{agent: f.Agent, at: Scope{Workspace: f.Workspace}, unasked: f.Sandbox.Unasked && f.Sandbox.Whole}
	for _, rules := range append([][]Rule{f.Ceiling}, f.Further...) {
		if rules != nil {
			c.sets = append(c.sets, Compile([]Layer{{Source: "agent:" + f.Agent, Rules: rules}}))
		}
	}
	return c
}

// apply never lets an agent do more than its profile says.
func (c *ceiling) apply(v *verdict) {
	if len(c.sets) == 0 || v.hard {
		return
	}
	o := objectOf(v.target, v.command)
	o.also = v.also
	for _, set := range c.sets {
		c.under(set, v, o)
	}
}

func (c *ceiling) under(set *RuleSet, v *verdict, o object) {
	out := judgeNames([]*RuleSet{set}, Allow, v.target.Domain, o, c.at)
	stricter := out.winner != nil && out.verdict < v.is
	if stricter && v.sandbox == tool.SandboxedReadOnly && out.winner.rule.UnlessReadOnly {
		return
	}
	if v.skipped && (out.winner == nil || out.winner.pattern.any) {
		return // "*" is about every command, and the one inside is judged
	}
	for i := range out.matched {
		m := out.describe(i, v.target.Object)
		if m.Won && !stricter {
			m.Won, m.Lost = false, said.That("a ceiling never loosens").Form
		}
		v.matched = append(v.matched, m)
	}
	if !stricter {
		return
	}
	v.is, v.by, v.rule, v.skipped = out.verdict, "agent", refOf(out.winner), false
	v.reason = ceilingReason(v, c.agent)
	if out.winner.rule.UnlessReadOnly && v.target.Domain == tool.DomainBash && c.unasked {
		v.reason = denied(said.That("the agent %q changes nothing and runs only commands that the sandbox can run with the workspace read-only, and that need no approval", c.agent))
	}
}

func ceilingReason(v *verdict, agent string) said.Text {
	if v.is == Deny {
		return denied(said.That("the agent %q may not use %s", agent, v.target.Domain))
	}
	return asks(said.That("the agent %q may use %s only when asked", agent, v.target.Domain))
}
