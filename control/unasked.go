package control

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

var (
	inSandboxReason = allowed(said.That("it runs in the sandbox, where only the workspace and its own caches are in reach"))
	readOnlyReason  = allowed(said.That("it runs in the sandbox, where it can only read the workspace and change only its own caches"))
)

// sandboxDomains are the domains of rules that a command in the sandbox can meet.
var sandboxDomains = []tool.Domain{tool.DomainBash, tool.DomainRead, tool.DomainEdit}

// sandboxed says which commands nobody is asked about, because the sandbox keeps from them
// whatever rules are about.
type sandboxed struct {
	f        *Facts
	rules    []*RuleSet
	broad    string // a root so wide that every edit asks, "" when none is
	ceiling  *ceiling
	countsOn tool.Sandboxing // what such a command counts on
}

// inSandbox allows a command that rules would ask about, or deny because of what it
// names outside, where the sandbox keeps all of that from it. What rules allow already
// stays allowed by them, and does not count on the sandbox. Of an agent that changes
// nothing every command does: its ceiling denies each, whatever rules allow.
func (b *sandboxed) inSandbox(plan *tool.Plan, s *shell.Script, verdicts []verdict) []verdict {
	open := func(v verdict) bool { return v.is != Allow && !v.skipped }
	if !slices.ContainsFunc(verdicts, open) || !b.unasked(plan, s, verdicts) {
		return verdicts
	}
	reason := inSandboxReason
	if b.countsOn == tool.SandboxedReadOnly {
		reason = readOnlyReason
	}
	for i := range verdicts {
		if v := &verdicts[i]; open(*v) {
			v.is, v.by, v.rule, v.winner, v.once = Allow, BySandbox, RuleRef{}, nil, false
			v.reason, v.changed = reason, nil
			v.step("sandbox")
		}
	}
	return verdicts
}

// unasked says that nobody is asked about a command. Each line of it is needed by
// itself. What the text reads and writes is none of them: the sandbox refuses what is
// not in reach.
func (b *sandboxed) unasked(plan *tool.Plan, s *shell.Script, verdicts []verdict) bool {
	f := b.f
	switch {
	case plan.Tool != "bash" || s == nil: // no command of the sandbox
	case !f.Sandbox.Unasked || !f.Keeps(): // nobody wants it, or it cannot be here
	case f.Mode != tool.ModeAgent: // somebody else has the word
	case b.broad != "": // what it may change is too much
	case f.NoMemory: // the sandbox does not close what the session may not read
	case s.Invalid != "" || s.HardLimit != "" || s.Illegible: // nobody could say what it is
	case wantsMore(plan, s): // it is not for the sandbox as it is
	case plan.Effect == tool.Unknown || !plan.Why.IsZero(): // the tool wants a person
	case slices.ContainsFunc(verdicts, func(v verdict) bool { return b.objects(plan, v) }): // a rule of somebody's is about it
	case b.somebodyLimits() && !wholeText(s): // such a rule might be about what the text does not say
	default:
		return true
	}
	return false
}

// wantsMore says that a command declares or implies that it needs something beyond its
// sandbox: then a person is asked.
func wantsMore(plan *tool.Plan, s *shell.Script) bool {
	return len(plan.Needs) > 0 || len(plan.Reads) > 0 || s.Network || s.Git
}

// objects says that something about one target of a command counts although the sandbox
// keeps it: a hard limit, a rule that asks or denies and was written or answered by
// somebody, whatever rule is behind it, and what the agent is held to.
func (b *sandboxed) objects(plan *tool.Plan, v verdict) bool {
	if v.hard || v.by == "hard_limit" || b.ruledAgainst(plan, v) {
		return true
	}
	if !v.skipped && v.is == Deny && v.by != "agent" && (v.winner == nil || v.winner.source != BuiltIn) {
		return true // no rule: the call is not what it should be
	}
	kept := verdict{target: v.target, command: v.command, is: Allow, by: BySandbox, sandbox: b.countsOn, skipped: v.skipped, verdictOnly: true}
	b.ceiling.apply(&kept)
	underBounds(b.f, plan, &kept)
	return kept.is != Allow
}

// ruledAgainst says that a rule which asks or denies and is not built in is about the
// target.
func (b *sandboxed) ruledAgainst(plan *tool.Plan, v verdict) bool {
	o := objectOf(v.target, v.command)
	for _, set := range b.rules {
		if set == nil {
			continue
		}
		for i := range set.byDomain[v.target.Domain] {
			c := &set.byDomain[v.target.Domain][i]
			if covers, _ := c.covers(o); covers && b.limits(c) {
				return true
			}
		}
	}
	return false
}

// limits says that a rule here asks or denies and was written or answered by somebody.
func (b *sandboxed) limits(c *compiled) bool {
	applies, _ := c.applies(b.f.Scope)
	return c.source != BuiltIn && (c.verdict < Allow || c.bad) && applies
}

// somebodyLimits says that the text of a command has to be known although the sandbox
// keeps it: there are rules that ask or deny for commands or files, or the agent is held
// to something.
func (b *sandboxed) somebodyLimits() bool {
	if len(b.f.Bounds.Within) > 0 || slices.ContainsFunc(b.ceiling.sets, func(c *RuleSet) bool { return !c.onlyReadOnly() }) {
		return true
	}
	return slices.ContainsFunc(b.rules, func(set *RuleSet) bool {
		if set == nil {
			return false
		}
		for _, domain := range sandboxDomains {
			for i := range set.byDomain[domain] {
				if b.limits(&set.byDomain[domain][i]) {
					return true
				}
			}
		}
		return false
	})
}

// onlyReadOnly says that a ceiling limits commands and files in one way, by making the
// workspace read-only. The sandbox does that by itself, whatever the text of a command
// says. Of a ceiling without such rules it is not true: it may limit something else.
func (s *RuleSet) onlyReadOnly() bool {
	some := false
	for _, domain := range sandboxDomains {
		for i := range s.byDomain[domain] {
			if !s.byDomain[domain][i].rule.UnlessReadOnly {
				return false
			}
			some = true
		}
	}
	return some
}

// wholeText says that everything that the text itself runs and reads is named in it.
func wholeText(s *shell.Script) bool {
	return len(s.Uncertain) == 0 && !slices.ContainsFunc(s.Commands, func(c *shell.Command) bool {
		return c.Dynamic || c.ReadsTree || c.Prints != nil
	})
}
