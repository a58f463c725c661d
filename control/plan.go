package control

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// wholePlan asks about what is wrong with the call as a whole.
func wholePlan(f *Facts, plan *tool.Plan, verdicts []verdict) []verdict {
	internal := len(verdicts) > 0 && !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.target.Domain != "internal" })
	switch {
	case len(verdicts) == 0:
		verdicts = append(verdicts, verdict{by: "default", reason: "Denied: the call does not say what it touches."})
	case plan.Effect == tool.Unknown && !internal:
		t := verdicts[0].target
		verdicts = append(verdicts, verdict{target: t, by: "default", risk: riskOf(t.Domain), reason: "Denied: the tool does not say what it can do."})
	}
	sharedNeeds(f, verdicts)
	repositories(f.Resolver, verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		why := asksAnyway(plan, v)
		switch {
		case why == "" || v.skipped:
		case v.is == Allow:
			v.is, v.by, v.reason = Ask, "default", "Asks: "+why+"."
		case v.is == Ask && v.once && v.reason != "": // both are what a person should know
			v.reason = "Asks: " + why + "; " + strings.TrimPrefix(v.reason, "Asks: ")
		case v.is == Ask && v.once:
			v.reason = "Asks: " + why + "."
		}
	}
	return verdicts
}

// asksAnyway says why a target is asked about although rules allow it. No rule
// and no grant answers that, so only `once` is offered for such a call.
func asksAnyway(plan *tool.Plan, v *verdict) string {
	switch {
	case plan.Destructive && v.target.Domain == "edit":
		return "it removes a directory with its contents"
	case v.around != "":
		return v.around
	case plan.Why != "":
		return plan.Why
	case plan.Needs.Has(tool.NeedUnconfined) && v.command != nil:
		return "the command needs to run outside the sandbox"
	case plan.Needs.Has(tool.NeedNetwork) && v.command != nil && !v.command.Network:
		return "the command needs the network"
	case plan.Needs.Has(tool.NeedDirect) && v.command != nil:
		return "the command needs to change the workspace while other work goes on"
	case plan.Needs.Has(tool.NeedGit) && v.command != nil && !v.command.Git:
		return "the command needs to change the repository"
	case len(plan.Needs.Unknown()) > 0 && v.command != nil:
		return "the command needs something unknown: " + strconv.Quote(plan.Needs.Unknown().String())
	}
	return ""
}

// mode lets full access answer what would be asked. It never answers for an
// untrusted folder, where the configuration cannot be read, for leaving the
// sandbox, or questions that only a person can answer.
func mode(f *Facts, plan *tool.Plan, v *verdict) {
	if v.is != Ask || f.Mode != "full_access" || !f.Trusted || f.Unread != "" || onlyAsks(v.target.Domain) {
		return
	}
	if plan.Needs.Has(tool.NeedUnconfined) && v.target.Domain == "bash" {
		v.is, v.by, v.reason = Deny, "mode", "Denied: leaving the sandbox is not offered in full access."
		return
	}
	v.is, v.by, v.reason = Allow, "mode", "Allowed: the session has full access."
}
