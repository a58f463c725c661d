package control

import "github.com/agent-sidecar/agent-sidecar/tool"

// Scope is where a call would work, as far as rules are limited by it.
type Scope struct {
	Workspace string // workspace-id
	Runner    string // on whose machine; "" is this one
}

// placed says that what a rule of the domain allows is done on the machine of the session.
func placed(d tool.Domain) bool {
	return d == tool.DomainRead || d == tool.DomainEdit || d == tool.DomainBash || d == tool.DomainTool
}

// applies says whether a rule which covers an object applies to a call in a scope. but is
// why it does not.
func (c *compiled) applies(at Scope) (yes bool, but string) {
	switch r := c.rule; {
	case r.Workspace != "" && r.Workspace != at.Workspace:
		return false, "it applies only in the workspace " + r.Workspace
	case !placed(r.Domain), c.source == BuiltIn:
	case r.Runner != "" && r.Runner != at.Runner:
		return false, "it applies only on the runner " + r.Runner
	case r.Runner == "" && at.Runner != "" && c.verdict == Allow:
		return false, "it applies only on this machine, and the call would work on the runner " + at.Runner
	}
	return true, ""
}

// OnRunner limits rules that come from an answer to the runner that it was about.
func OnRunner(runner string, rules []Rule) []Rule {
	for i := range rules {
		if placed(rules[i].Domain) {
			rules[i].Runner = runner
		}
	}
	return rules
}

// on limits an offer to a runner, and says so.
func (o Offer) on(runner string) Offer {
	o.Rules = OnRunner(runner, o.Rules)
	o.Rule = o.Rules[0]
	if runner != "" && placed(o.Rule.Domain) {
		o.Label = "On the runner " + runner + ": " + o.Label
	}
	return o
}
