package control

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// underCeiling never lets an agent do more than its profile says.
func (p *policy) underCeiling(v *verdict) {
	if len(p.ceilings) == 0 || v.hard {
		return
	}
	o := objectOf(v.target, v.command)
	o.also = v.also
	for _, ceiling := range p.ceilings {
		p.under(ceiling, v, o)
	}
}

func (p *policy) under(ceiling *RuleSet, v *verdict, o object) {
	out := judgeNames([]*RuleSet{ceiling}, Allow, v.target.Domain, o, p.f.Workspace)
	stricter := out.winner != nil && out.verdict < v.is
	if stricter && v.boxed == tool.BoxedReadOnly && out.winner.rule.UnlessReadOnly {
		return
	}
	if v.skipped && (out.winner == nil || out.winner.pattern.any) {
		return // "*" is about every command, and the one inside is judged
	}
	for i := range out.matched {
		m := out.describe(i, v.target.Object)
		if m.Won && !stricter {
			m.Won, m.Lost = false, "a ceiling never loosens"
		}
		v.matched = append(v.matched, m)
	}
	if !stricter {
		return
	}
	v.is, v.by, v.rule, v.skipped = out.verdict, "agent", refOf(out.winner), false
	v.reason = ceilingReason(v, p.f.Agent)
	if out.winner.rule.UnlessReadOnly && v.target.Domain == "bash" && p.f.Box.Unasked && p.f.Box.Whole {
		v.reason = fmt.Sprintf("Denied: the agent %q changes nothing and runs only commands that the sandbox can run with the workspace read-only, and that need no approval.", p.f.Agent)
	}
}

func ceilingReason(v *verdict, agent string) string {
	if v.is == Deny {
		return fmt.Sprintf("Denied: the agent %q may not use %s.", agent, v.target.Domain)
	}
	return fmt.Sprintf("Asks: the agent %q may use %s only when asked.", agent, v.target.Domain)
}
