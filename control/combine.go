package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// combine makes one Decision of all verdicts: the strictest decides, the first
// of equals.
func combine(of *offering, plan *tool.Plan, s *shell.Script, verdicts []verdict) Decision {
	top := 0
	for i, v := range verdicts {
		if v.skipped {
			continue
		}
		if verdicts[top].skipped || v.is < verdicts[top].is || v.is == verdicts[top].is && v.before(verdicts[top]) {
			top = i
		}
	}
	v := verdicts[top]
	d := Decision{Commands: commandTree(s, verdicts)}
	if v.reason.IsZero() && v.winner != nil {
		v.reason = ruleReason(&v, v.winner)
	}
	d.Verdict, d.Rule, d.By, d.Reason, d.Domain = v.is, v.rule, v.by, v.reason, v.target.Domain
	d.Risk = riskOfPlan(plan, s, v)
	seen := map[tool.Target]bool{}
	for i, one := range verdicts {
		if !seen[one.target] && one.target != (tool.Target{}) {
			seen[one.target] = true
			d.Targets = append(d.Targets, one.target)
		}
		if one.is == Ask && !one.skipped && !slices.Contains(d.Asking, one.target) {
			d.Asking = append(d.Asking, one.target)
		}
		for _, f := range one.changed {
			if !slices.Contains(d.Changed, f) {
				d.Changed = append(d.Changed, f)
			}
		}
		d.Matched, d.Opens = append(d.Matched, one.matched...), d.Opens || one.opens
		d.Judged = append(d.Judged, one.judgement(i == top))
	}
	if s != nil {
		d.Network = s.Network || plan.Needs.Has(tool.NeedNetwork)
		d.Git = s.Git || plan.Needs.Has(tool.NeedGit)
		d.OnceOnly, d.Reads = onceOnly(plan, s), readsOf(verdicts)
	}
	if v.hard {
		d.Reason = said.That("Blocked, whatever the rules say: %s.", v.reason)
		d.Refusal = "Error: dangerous command blocked: " + v.reason.String()
		return d
	}
	if d.Verdict < Allow {
		d.Refusal = refusal(of, plan, v)
	}
	d.OnceOnly = d.OnceOnly || slices.ContainsFunc(verdicts, func(v verdict) bool { return !v.skipped && (v.once || !asksAnyway(plan, &v).IsZero()) })
	if d.Verdict == Ask && !d.OnceOnly {
		d.Always = of.offers(plan, verdicts)
	}
	return d
}

// refusal is what the model reads when the answer is no, or when nobody can be
// asked. It names the rule that would allow the call.
func refusal(of *offering, plan *tool.Plan, v verdict) string {
	reason := strings.TrimSuffix(v.reason.String(), ".")
	if v.reason.Same(needsApproval(v.target)) { // said to a person; the model is told what it was that asks
		reason = fmt.Sprintf("Asks by default: %s %s", v.target.Domain, Title(v.target.Object, 200))
	}
	text := "Error: permission denied: " + reason + "."
	if v.is == Ask {
		text = "Error: permission denied: this needs the user's approval. " + reason + "."
	}
	switch {
	case v.by == "agent":
		return text + " Another agent may be allowed to do it."
	case v.target.Object == "" || !domains[v.target.Domain] || onlyAsks(v.target.Domain) || v.by == "mode":
		return text
	case v.unread:
		return text + " No rule can allow it; write a plainer command."
	case v.is == Deny && v.rule.Source != BuiltIn:
		return text // somebody wrote down that it may not be; that is no place to teach the way around
	case of.f.Unread != "":
		return text + " The user's configuration has to be fixed first."
	case !of.f.Trusted && v.target.Domain != tool.DomainRead:
		return text + " The user has not trusted this workspace."
	case !ruleHelps(v, of.broad):
		return text
	}
	rule := Rule{Domain: v.target.Domain, Pattern: v.target.Object, Decision: "allow"}
	rule.Exact = v.target.Domain == tool.DomainBash || strings.ContainsAny(v.target.Object, `*?[{\`) || strings.HasSuffix(v.target.Object, "/")
	if plan.Below && of.mayOpenBelow(v.target) {
		rule.Pattern = allBelow(rule.Pattern) // the directory alone would be searched and show nothing
	}
	rule = OnRunner(of.f.Runner, []Rule{rule})[0]
	return text + " This rule in the user's configuration would allow it: " + RuleText(rule)
}

// overConfig are the layers over the user's configuration.
var overConfig = []string{"inline", "profile", "arguments"}

// ruleHelps says whether a rule in the user's file would allow the target: not
// where a layer above it has a word to say, nor where something else asks than
// rules and the kind of the file.
func ruleHelps(v verdict, broad string) bool {
	last := ""
	if n := len(v.steps); n > 0 {
		last = v.steps[n-1].Name
	}
	above := slices.ContainsFunc(v.matched, func(m RuleMatch) bool {
		return slices.Contains(overConfig, m.Source) || m.Source == "always" && m.Decision != "allow"
	})
	return (last == "rules" || last == "files") && !above && (v.target.Domain != tool.DomainEdit || broad == "")
}

// onceOnly says that a yes can only be for this one time: what runs is not
// known from the text, or it leaves the sandbox.
func onceOnly(plan *tool.Plan, s *shell.Script) bool {
	if len(s.Uncertain) > 0 || s.Invalid != "" {
		return true
	}
	if startsUnknown(plan) {
		return true
	}
	for _, c := range s.Commands {
		if c.Dynamic {
			return true
		}
	}
	return false
}

// startsUnknown says that nobody can say what all a command starts.
func startsUnknown(plan *tool.Plan) bool {
	return slices.ContainsFunc(plan.Starts, func(f tool.StartedFile) bool { return f.Object == "" })
}

// readsOf are the sensitive files that a command names and was not denied.
func readsOf(verdicts []verdict) (reads []string) {
	for _, v := range verdicts {
		if v.command != nil || v.is == Deny || !fileDomain(v.target.Domain) || slices.Contains(reads, v.target.Object) {
			continue
		}
		if sensitiveSet.has(newObject(v.target.Object)) {
			reads = append(reads, v.target.Object)
		}
	}
	return reads
}

func riskOfPlan(plan *tool.Plan, s *shell.Script, v verdict) string {
	switch {
	case plan.Destructive, v.risk == "destructive", s != nil && s.Destroys:
		return "destructive"
	case v.target.Domain == tool.DomainBash && s != nil && (s.Network || plan.Needs.Has(tool.NeedNetwork)):
		return "network"
	case v.risk != "":
		return v.risk
	}
	return riskOf(v.target.Domain)
}
