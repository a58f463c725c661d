package control

import (
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// verdict is what one target comes to.
type verdict struct {
	target  tool.Target
	command *shell.Command // bash: the simple command
	also    string         // mcp: object.also
	is      Verdict
	by      string
	rule    RuleRef
	reason  said.Text
	matched []RuleMatch
	winner  *compiled // the rule behind reason, which is put into words only when shown
	hard    bool
	unread  bool            // the text could not be read, so that no rule can allow it
	sandbox tool.Sandboxing // what keeps it, where that is already sure
	skipped bool            // a wrapper whose inner command is judged instead
	opens   bool            // a rule names the host of a URL
	around  said.Text       // why it asks where rules allow it, because of what the whole call changes
	once    bool            // a grant would not be heard: only `once` may be offered
	risk    string
	steps   []Step

	changed     []ChangedStart
	verdictOnly bool // nobody will ask for steps and matched
}

// step notes what a part of the chain did to the verdict: nothing, when it is as
// before. The part that judges first always counts.
func (v *verdict) step(name string) {
	if v.verdictOnly {
		return
	}
	if n := len(v.steps); n > 0 && v.steps[n-1].Verdict == v.is && v.steps[n-1].Reason.Same(v.reason) {
		return
	}
	v.steps = append(v.steps, Step{name, v.is, v.reason})
}

// before says that of two equal verdicts this one is the reason for the whole: a hard
// limit, and a yes that counts on the sandbox.
func (v verdict) before(w verdict) bool {
	return v.hard && !w.hard || v.by == BySandbox && w.by != BySandbox
}

func riskOf(domain tool.Domain) string {
	switch domain {
	case tool.DomainRead, tool.DomainInternal, tool.DomainConfig, tool.DomainPlan:
		return "read"
	case tool.DomainEdit:
		return "write"
	case tool.DomainWebFetch, tool.DomainWebSearch:
		return "network"
	case tool.DomainDoomLoop, tool.DomainLimit:
		return "loop"
	default:
		return "execute"
	}
}

// ruleReason is one sentence about the rule that won.
func ruleReason(v *verdict, c *compiled) said.Text {
	what := nameOf(v.target)
	builtIn := c.source == BuiltIn
	switch {
	case c.bad:
		return asks(said.That("the %s rule %d for %s cannot be read, so %s is asked about", c.source, c.index, c.rule.Domain, what))
	case builtIn && v.is == Ask:
		return needsApproval(v.target)
	case builtIn && v.is == Allow:
		return said.That("Allowed by default: %s %s.", v.target.Domain, what)
	case builtIn:
		return said.That("Denied by default: %s %s.", v.target.Domain, what)
	case v.is == Ask:
		return said.That("Asks by the %s rule %q for %s: %s.", c.source, c.rule.Pattern, c.rule.Domain, what)
	case v.is == Allow:
		return said.That("Allowed by the %s rule %q for %s: %s.", c.source, c.rule.Pattern, c.rule.Domain, what)
	}
	return said.That("Denied by the %s rule %q for %s: %s.", c.source, c.rule.Pattern, c.rule.Domain, what)
}

// asks, allowed and denied are sentences for why a target gets its verdict. shortly gives
// back the why.
func asks(why ...said.Text) said.Text   { return said.That("Asks: %s.", said.List(why)) }
func allowed(why said.Text) said.Text   { return said.That("Allowed: %s.", said.List{why}) }
func denied(why said.Text) said.Text    { return said.That("Denied: %s.", said.List{why}) }
func shellAsks(why said.List) said.Text { return said.That("The shell text asks: %s.", why) }

// shortly is a sentence without the word that says the verdict, which is shown beside it.
func shortly(reason said.Text) said.List {
	if len(reason.Args) == 1 {
		if why, is := reason.Args[0].(said.List); is {
			return why
		}
	}
	return said.List{reason}
}

// nameOf is what a target is called in a sentence.
func nameOf(t tool.Target) string { return Title(PlainName(t.Object), 200) }

// needsApproval is what a person is told where the built-in rules ask.
func needsApproval(t tool.Target) said.Text {
	what := nameOf(t)
	switch t.Domain {
	case tool.DomainBash:
		return said.That("Commands need your approval.")
	case tool.DomainEdit:
		return said.That("Changes to %s need your approval.", what)
	case tool.DomainRead:
		return said.That("Reading %s needs your approval.", what)
	case tool.DomainWebFetch:
		return said.That("Fetching %s needs your approval.", what)
	case tool.DomainWebSearch:
		return said.That("Searching the web needs your approval.")
	}
	return said.That("%s needs your approval.", what)
}
