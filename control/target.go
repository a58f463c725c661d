package control

import (
	"path"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// judge says what comes of one target by everything but mode, ceiling and sandbox.
type judge struct {
	f           Facts
	rules       []*RuleSet // built-in first
	broad       string     // a root so wide that every edit asks, "" when none is
	verdictOnly bool       // only the verdict is wanted: nothing is noted on the way
}

func newJudge(f Facts) judge {
	j := judge{f: f, broad: broadRoot(f)}
	rules := f.Rules
	if rules == nil {
		rules = Compile(f.Layers)
	}
	if !rules.hasBuiltIn() {
		j.rules = append(j.rules, builtIn())
	}
	j.rules = append(j.rules, rules)
	if len(f.Grants) > 0 {
		j.rules = append(j.rules, Compile([]Layer{{Source: "session", Rules: f.Grants}}))
	}
	return j
}

// broadRoot finds a root that is "/", the home directory or around the
// sidecar's home.
func broadRoot(f Facts) string {
	for _, root := range f.Roots {
		root = path.Clean(root)
		if root == "/" || f.UserHome != "" && root == path.Clean(f.UserHome) || f.Home != "" && paths.Inside(path.Clean(f.Home), root) {
			return root
		}
	}
	return ""
}

// target judges one target; c is the simple command that it stands for, nil for none.
func (j *judge) target(plan *tool.Plan, t tool.Target, c *shell.Command, network bool) verdict {
	o := objectOf(t, c)
	if c != nil && len(plan.Starts) > 0 {
		o.starts = &starting{&j.f.Accepted, c.Text, plan.Starts}
	}
	return j.judgeObject(plan, t, o, c, network)
}

// judgeObject is target for an object of which more is known.
func (j *judge) judgeObject(plan *tool.Plan, t tool.Target, o object, c *shell.Command, network bool) verdict {
	skill := t.Domain == tool.DomainRead && j.f.isSkill(o)
	v := verdict{target: t, command: c, by: "default", risk: riskOf(t.Domain), verdictOnly: j.verdictOnly}
	if !domains[t.Domain] {
		v.reason = denied(said.That("there is no permission domain %s", t.Domain))
		return v
	}
	o.also = otherName(t, plan.Tool)
	v.also = o.also
	if t.Domain == tool.DomainInternal {
		v.is, v.reason = Allow, allowed(said.That("it is part of the agent itself"))
		v.step("own")
		return v
	}
	if t.Domain == tool.DomainPlan {
		v.is, v.once, v.reason = Ask, true, said.That("Once you accept it, the agent carries it out.")
		v.step("own")
		return v
	}
	if fileDomain(t.Domain) {
		if t.Domain == tool.DomainRead && j.f.isOwn(o) {
			v.is, v.reason = Allow, allowed(said.That("it belongs to this session"))
			v.step("own")
			return v
		}
		if j.f.NoMemory && closedMemory(t.Domain, o) {
			v.reason = denied(said.That("%s is memory, of which sessions of a group only read the notes of days", nameOf(t)))
			v.step("files")
			return v
		}
		if j.f.inHome(o) && !skill {
			v.by, v.hard = "hard_limit", true
			v.reason = said.That("the sidecar's own directory %s", nameOf(t))
			v.step("hard_limit")
			return v
		}
	}
	winner := j.byRules(&v, o)
	v.step("rules")
	if skill && (winner == nil || winner.source == BuiltIn) {
		v.is, v.by, v.reason = Allow, "default", allowed(said.That("it belongs to a skill of yours"))
		v.step("own")
		return v
	}
	if winner != nil && winner.source == BuiltIn && c != nil && c.Wrapper && len(c.Reaching) == 0 {
		v.skipped, v.is = true, Allow
		v.reason = said.That("Judged by the command it starts.")
		v.step("shell")
		return v
	}
	j.secondPass(&v, plan, o, winner)
	v.step("files")
	j.distrust(&v, plan, o, winner, network)
	v.step("trust")
	return v
}

// byRules lets the layers decide.
func (j *judge) byRules(v *verdict, o object) *compiled {
	out := judgeNames(j.rules, Deny, v.target.Domain, o, j.f.Scope)
	v.opens = v.target.Domain == tool.DomainWebFetch && slices.ContainsFunc(out.matched, func(m match) bool { return m.passed == "" && opensHost(m.rule, o) })
	if !j.verdictOnly {
		v.matched = make([]RuleMatch, 0, len(out.matched))
		for i := range out.matched {
			v.matched = append(v.matched, out.describe(i, v.target.Object))
		}
	}
	if out.winner == nil {
		v.reason = denied(said.That("no rule covers %s", nameOf(v.target)))
		return nil
	}
	v.is, v.rule = out.verdict, refOf(out.winner)
	if out.winner.source != BuiltIn {
		v.by = "rule"
	}
	v.winner = out.winner
	if v.is == Ask && out.winner.source == BuiltIn && o.starts != nil {
		for _, m := range out.matched {
			if why := o.starts.unaccepted(m.rule); !why.IsZero() && m.passed == why.String() {
				v.reason = asks(why)
				v.changed = o.starts.changed(m.rule)
			}
		}
	}
	if onlyAsks(v.target.Domain) && v.is != Ask {
		v.is, v.by, v.reason = Ask, "default", said.That("A question of %s is always asked.", v.target.Domain)
	}
	return out.winner
}

// secondPass asks about sensitive and protected files and about a root that is
// too wide, unless the rule that allows names that kind of file. It asks in any case
// about what the kernel shows to each process differently.
func (j *judge) secondPass(v *verdict, plan *tool.Plan, o object, winner *compiled) {
	if fileDomain(v.target.Domain) && o.scheme == "fs" && v.is != Deny && paths.Magic("/"+o.rest) {
		v.once = true
		if v.is == Allow {
			v.is, v.by, v.reason = Ask, "default", asks(said.That("%s is something else for each process, and no rule can know what", nameOf(v.target)))
		}
		return
	}
	if v.is != Allow || winner == nil || !fileDomain(v.target.Domain) {
		return
	}
	sensitive := isListed(j.f.Resolver, sensitiveSet, o)
	switch {
	case sensitive && !sensitiveSet.names(winner, o, true):
		v.is, v.by = Ask, "default"
		v.reason = asks(said.That("%s may hold secrets and no rule names it", nameOf(v.target)))
	case v.target.Domain == tool.DomainEdit && !sensitive && guardedEdit(j.f.Resolver, plan, o) && !namesEdit(winner, o) && !isMemory(plan, o) && (isListed(j.f.Resolver, protectedSet, o) || !j.f.isOwn(o)):
		v.is, v.by = Ask, "default"
		v.reason = asks(said.That("%s is a file that other programs run or obey", nameOf(v.target)))
		if !protectedSet.has(o) {
			v.reason = asks(said.That("%s has a name that begins with a dot, and other programs may obey it", nameOf(v.target)))
		}
	case v.target.Domain == tool.DomainEdit && j.broad != "":
		v.is, v.by = Ask, "default"
		v.reason = asks(said.That("the workspace %s is so wide that every edit is asked about", j.broad))
	}
}
