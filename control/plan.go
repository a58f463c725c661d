package control

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// askedFirst are the domains in which mode ask asks about what is allowed by default.
var askedFirst = map[tool.Domain]bool{tool.DomainEdit: true, tool.DomainBash: true, tool.DomainTool: true, tool.DomainMCP: true, tool.DomainWebFetch: true}

// asksFirst says that the session is in mode ask, or in one that is not known.
func (f *Facts) asksFirst() bool { return f.Mode != tool.ModeAgent && f.Mode != tool.ModeFullAccess }

// wholePlan asks about what is wrong with the call as a whole.
func wholePlan(f *Facts, plan *tool.Plan, verdicts []verdict) []verdict {
	internal := len(verdicts) > 0 && !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.target.Domain != tool.DomainInternal })
	switch {
	case len(verdicts) == 0:
		verdicts = append(verdicts, verdict{by: "default", reason: denied(said.That("the call does not say what it touches"))})
	case plan.Effect == tool.Unknown && !internal:
		t := verdicts[0].target
		verdicts = append(verdicts, verdict{target: t, by: "default", risk: riskOf(t.Domain), reason: denied(said.That("the tool does not say what it can do"))})
	}
	sharedNeeds(f, verdicts)
	repositories(f.Resolver, verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		why := asksAnyway(plan, v)
		switch {
		case why.IsZero() || v.skipped:
		case v.is == Allow:
			v.is, v.by, v.reason = Ask, "default", asks(why)
		case v.is == Ask && v.once && !v.reason.IsZero(): // both are what a person should know
			v.reason = asks(append(said.List{why}, shortly(v.reason)...)...)
		case v.is == Ask && v.once:
			v.reason = asks(why)
		}
	}
	return verdicts
}

// asksAnyway says why a target is asked about although rules allow it. No rule
// and no grant answers that, so only `once` is offered for such a call.
func asksAnyway(plan *tool.Plan, v *verdict) (why said.Text) {
	switch {
	case plan.Destructive && v.target.Domain == tool.DomainEdit:
		return said.That("it removes a directory with its contents")
	case !v.around.IsZero():
		return v.around
	case !plan.Why.IsZero():
		return plan.Why
	case plan.Needs.Has(tool.NeedUnconfined) && v.command != nil:
		return said.That("the command needs to run outside the sandbox")
	case plan.Needs.Has(tool.NeedNetwork) && v.command != nil && !v.command.Network:
		return said.That("the command needs the network")
	case plan.Needs.Has(tool.NeedDirect) && v.command != nil:
		return said.That("the command needs to change the workspace while other work goes on")
	case plan.Needs.Has(tool.NeedGit) && v.command != nil && !v.command.Git:
		return said.That("the command needs to change the repository")
	case len(plan.Needs.Unknown()) > 0 && v.command != nil:
		return said.That("the command needs something unknown: %q", plan.Needs.Unknown().String())
	}
	return why
}

// mode lets full access answer what would be asked. It never answers for an
// untrusted folder, where the configuration cannot be read, for leaving the
// sandbox, or questions that only a person can answer. In mode ask, what is allowed by
// default alone is asked about.
func mode(f *Facts, plan *tool.Plan, v *verdict) {
	if f.asksFirst() && v.is == Allow && !v.skipped && v.by == "default" && askedFirst[v.target.Domain] {
		v.is, v.by, v.reason = Ask, "mode", said.That("In mode Ask, edits, commands and tools need your approval.")
		return
	}
	if v.is != Ask || f.Mode != tool.ModeFullAccess || !f.Trusted || f.Unread != "" || onlyAsks(v.target.Domain) {
		return
	}
	if plan.Needs.Has(tool.NeedUnconfined) && v.target.Domain == tool.DomainBash {
		v.is, v.by, v.reason = Deny, "mode", denied(said.That("leaving the sandbox is not offered in full access"))
		return
	}
	v.is, v.by, v.reason = Allow, "mode", allowed(said.That("the session has full access"))
}
