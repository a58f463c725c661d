package control

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// policy judges the plans of one session at one moment. The steps are taken in the
// following order: hard limits (script.go, own.go), targets, rules, sensitive
// pass, trust and taint (distrust.go), what is wrong with the call as a whole,
// mode, ceiling (ceiling.go, bounds.go), sandbox (unasked.go), strictest (verdict.go).
type policy struct {
	f        Facts
	rules    []*RuleSet  // built-in first
	ceilings []*RuleSet  // of the agent; each holds
	broad    string      // a root so wide that every edit asks, "" when none is
	box      tool.Boxing // what a command counts on that nobody is asked about
	wordless bool        // only the verdict is wanted: nothing is noted on the way
}

func newPolicy(f Facts) *policy {
	p := &policy{f: f, broad: broadRoot(f), box: tool.Boxed}
	rules := f.Rules
	if rules == nil {
		rules = Compile(f.Layers)
	}
	if !rules.hasBuiltIn() {
		p.rules = append(p.rules, builtIn())
	}
	p.rules = append(p.rules, rules)
	if len(f.Grants) > 0 {
		p.rules = append(p.rules, Compile([]Layer{{Source: "session", Rules: f.Grants}}))
	}
	ceilings := append([][]Rule{f.Ceiling}, f.Further...)
	if RunsReadOnly(ceilings...) {
		p.box = tool.BoxedReadOnly
	}
	for _, ceiling := range ceilings {
		if ceiling != nil {
			p.ceilings = append(p.ceilings, Compile([]Layer{{Source: "agent:" + f.Agent, Rules: ceiling}}))
		}
	}
	return p
}

// broadRoot finds a root that is "/", the home directory or around the
// sidecar's home.
func broadRoot(f Facts) string {
	for _, root := range f.Roots {
		root = path.Clean(root)
		if root == "/" || f.UserHome != "" && root == path.Clean(f.UserHome) || f.Home != "" && shell.Inside(path.Clean(f.Home), root) {
			return root
		}
	}
	return ""
}

// Decide judges every target and returns the strictest verdict with everything
// a person, the model and the audit need to know about it.
func (p *policy) Decide(plan *tool.Plan) Decision {
	if plan == nil {
		return Decision{By: "default", Reason: "There is nothing to judge.", Refusal: "Error: permission denied: there is nothing to judge."}
	}
	var sc *shell.Script
	verdicts := make([]verdict, 0, len(plan.Targets)+4)
	for _, t := range plan.Targets {
		if t.Domain == "bash" && plan.Command != "" {
			if sc == nil {
				sc, verdicts = p.wholeCommand(plan, verdicts)
			}
			continue
		}
		verdicts = append(verdicts, p.target(plan, t, nil, false))
	}
	if plan.Command != "" && sc == nil {
		// A command whose tool forgot its target is judged all the same.
		sc, verdicts = p.wholeCommand(plan, verdicts)
	}
	d := p.combine(plan, sc, p.inSandbox(plan, sc, p.atLast(plan, verdicts)))
	if d.By == BySandbox {
		d.Reads, d.Boxed = nil, p.box // the sandbox stays closed as it is
	}
	return d
}

// atLast adds to the verdicts of the targets what does not depend on one of them.
func (p *policy) atLast(plan *tool.Plan, verdicts []verdict) []verdict {
	verdicts = p.wholePlan(plan, verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		v.step("call")
		p.mode(plan, v)
		v.step("mode")
		p.underCeiling(v)
		p.underBounds(plan, v)
		v.step("agent")
	}
	return verdicts
}

// Readable tells of an object whether it may be read under f without asking
// anybody: what Decide says about a read of it, without the words. A search asks
// about tens of thousands of files. It may be called from several goroutines.
//
// base is the directory that is searched, "" for none. Where it had to be asked
// about itself, somebody said yes, or the search would not run. Then what lies below
// it and is asked about by the same rule is covered, unless it may hold secrets.
func Readable(f Facts, base string) func(object string) bool {
	p := newPolicy(f)
	p.wordless = true
	judged := func(object string) (*tool.Plan, verdict) {
		t := tool.Target{Domain: "read", Object: object}
		plan := &tool.Plan{Tool: "read", Effect: tool.Read, Targets: []tool.Target{t}}
		return plan, p.target(plan, t, nil, false)
	}
	var asked *compiled
	if base != "" {
		if _, v := judged(base); v.is == Ask {
			asked = v.winner
		}
	}
	below := strings.TrimSuffix(base, "/") + "/"
	return func(object string) bool {
		plan, v := judged(object)
		if asked != nil && v.is == Ask && v.winner == asked && strings.HasPrefix(object, below) && !p.listed(sensitiveSet, objectOf(v.target, nil)) {
			v.is = Allow
		}
		verdicts := p.atLast(plan, []verdict{v})
		return !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.is != Allow })
	}
}

// target judges one target by everything but mode and ceiling.
func (p *policy) target(plan *tool.Plan, t tool.Target, c *shell.Command, network bool) verdict {
	o := objectOf(t, c)
	if c != nil && len(plan.Starts) > 0 {
		o.starts = &starting{&p.f.Accepted, c.Text, plan.Starts}
	}
	return p.judgeObject(plan, t, o, c, network)
}

// judgeObject is target for an object of which more is known.
func (p *policy) judgeObject(plan *tool.Plan, t tool.Target, o object, c *shell.Command, network bool) verdict {
	v := verdict{target: t, command: c, by: "default", risk: riskOf(t.Domain), wordless: p.wordless}
	if !domains[t.Domain] {
		v.reason = "Denied: there is no permission domain " + t.Domain + "."
		return v
	}
	o.also = otherName(t, plan.Tool)
	v.also = o.also
	if t.Domain == "internal" {
		v.is, v.reason = Allow, "Allowed: it is part of the agent itself."
		v.step("own")
		return v
	}
	if fileDomain(t.Domain) {
		if t.Domain == "read" && p.f.isOwn(o) {
			v.is, v.reason = Allow, "Allowed: it belongs to this session."
			v.step("own")
			return v
		}
		if p.f.NoMemory && closedMemory(t.Domain, o) {
			v.reason = "Denied: " + nameOf(t) + " is memory, of which sessions of a group only read the notes of days."
			v.step("files")
			return v
		}
		if p.f.inHome(o) {
			v.by, v.hard = "hard_limit", true
			v.reason = "the sidecar's own directory " + nameOf(t)
			v.step("hard_limit")
			return v
		}
	}
	winner := p.byRules(&v, o)
	v.step("rules")
	if winner != nil && winner.source == BuiltIn && c != nil && c.Wrapper && len(c.Reaching) == 0 {
		v.skipped, v.is = true, Allow
		v.reason = "Judged by the command it starts."
		v.step("shell")
		return v
	}
	p.secondPass(&v, plan, o, winner)
	v.step("files")
	p.distrust(&v, plan, o, winner, network)
	v.step("trust")
	return v
}

// byRules lets the layers decide.
func (p *policy) byRules(v *verdict, o object) *compiled {
	out := judgeNames(p.rules, Deny, v.target.Domain, o, p.f.Workspace)
	v.opens = v.target.Domain == "web_fetch" && slices.ContainsFunc(out.matched, func(m match) bool { return m.passed == "" && opensHost(m.rule, o) })
	if !p.wordless {
		v.matched = make([]RuleMatch, 0, len(out.matched))
		for i := range out.matched {
			v.matched = append(v.matched, out.describe(i, v.target.Object))
		}
	}
	if out.winner == nil {
		v.reason = "Denied: no rule covers " + nameOf(v.target) + "."
		return nil
	}
	v.is, v.rule = out.verdict, refOf(out.winner)
	if out.winner.source != BuiltIn {
		v.by = "rule"
	}
	v.winner = out.winner
	if v.is == Ask && out.winner.source == BuiltIn && o.starts != nil {
		for _, m := range out.matched {
			if why := o.starts.unaccepted(m.rule); why != "" && m.passed == why {
				v.reason = "Asks: " + why + "."
				v.changed = o.starts.changed(m.rule)
			}
		}
	}
	if onlyAsks(v.target.Domain) && v.is != Ask {
		v.is, v.by, v.reason = Ask, "default", "A question of "+v.target.Domain+" is always asked."
	}
	return out.winner
}

// secondPass asks about sensitive and protected files and about a root that is
// too wide, unless the rule that allows names that kind of file. It asks in any case
// about what the kernel shows to each process differently.
func (p *policy) secondPass(v *verdict, plan *tool.Plan, o object, winner *compiled) {
	if fileDomain(v.target.Domain) && o.scheme == "fs" && v.is != Deny && shell.Magic("/"+o.rest) {
		v.once = true
		if v.is == Allow {
			v.is, v.by, v.reason = Ask, "default", "Asks: "+nameOf(v.target)+" is something else for each process, and no rule can know what."
		}
		return
	}
	if v.is != Allow || winner == nil || !fileDomain(v.target.Domain) {
		return
	}
	sensitive := p.listed(sensitiveSet, o)
	switch {
	case sensitive && !sensitiveSet.names(winner, o, true):
		v.is, v.by = Ask, "default"
		v.reason = "Asks: " + nameOf(v.target) + " may hold secrets and no rule names it."
	case v.target.Domain == "edit" && !sensitive && p.guardedEdit(plan, o) && !namesEdit(winner, o) && !isMemory(plan, o) && (p.listed(protectedSet, o) || !p.f.isOwn(o)):
		v.is, v.by = Ask, "default"
		v.reason = "Asks: " + nameOf(v.target) + " is a file that other programs run or obey."
		if !protectedSet.has(o) {
			v.reason = "Asks: " + nameOf(v.target) + " has a name that begins with a dot, and other programs may obey it."
		}
	case v.target.Domain == "edit" && p.broad != "":
		v.is, v.by = Ask, "default"
		v.reason = "Asks: the workspace " + p.broad + " is so wide that every edit is asked about."
	}
}

// wholePlan asks about what is wrong with the call as a whole.
func (p *policy) wholePlan(plan *tool.Plan, verdicts []verdict) []verdict {
	internal := len(verdicts) > 0 && !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.target.Domain != "internal" })
	switch {
	case len(verdicts) == 0:
		verdicts = append(verdicts, verdict{by: "default", reason: "Denied: the call does not say what it touches."})
	case plan.Effect == tool.Unknown && !internal:
		t := verdicts[0].target
		verdicts = append(verdicts, verdict{target: t, by: "default", risk: riskOf(t.Domain), reason: "Denied: the tool does not say what it can do."})
	}
	p.sharedNeeds(verdicts)
	p.repositories(verdicts)
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
func (p *policy) mode(plan *tool.Plan, v *verdict) {
	if v.is != Ask || p.f.Mode != "full_access" || !p.f.Trusted || p.f.Unread != "" || onlyAsks(v.target.Domain) {
		return
	}
	if plan.Needs.Has(tool.NeedUnconfined) && v.target.Domain == "bash" {
		v.is, v.by, v.reason = Deny, "mode", "Denied: leaving the sandbox is not offered in full access."
		return
	}
	v.is, v.by, v.reason = Allow, "mode", "Allowed: the session has full access."
}
