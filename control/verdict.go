package control

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
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
	reason  string
	matched []RuleMatch
	winner  *compiled // the rule behind reason, which is put into words only when shown
	hard    bool
	boxed   tool.Boxing // what keeps it, where that is already sure
	skipped bool        // a wrapper whose inner command is judged instead
	opens   bool        // a rule names the host of a URL
	around  string      // why it asks where rules allow it, because of what the whole call changes
	once    bool        // a grant would not be heard: only `once` may be offered
	risk    string
	steps   []Step

	changed  []ChangedStart
	wordless bool // nobody will ask for steps and matched
}

// step notes what a part of the chain did to the verdict: nothing, when it is as
// before. The part that judges first always counts.
func (v *verdict) step(name string) {
	if v.wordless {
		return
	}
	if n := len(v.steps); n > 0 && v.steps[n-1].Verdict == v.is && v.steps[n-1].Reason == v.reason {
		return
	}
	v.steps = append(v.steps, Step{name, v.is, v.reason})
}

// before says that of two equal verdicts this one is the reason for the whole: a hard
// limit, and a yes that counts on the sandbox.
func (v verdict) before(w verdict) bool {
	return v.hard && !w.hard || v.by == BySandbox && w.by != BySandbox
}

func riskOf(domain string) string {
	switch domain {
	case "read", "internal", "config":
		return "read"
	case "edit":
		return "write"
	case "web_fetch", "web_search":
		return "network"
	case "doom_loop", "limit":
		return "loop"
	default:
		return "execute"
	}
}

// ruleReason is one sentence about the rule that won.
func ruleReason(v *verdict, c *compiled) string {
	word := map[Verdict]string{Allow: "Allowed", Ask: "Asks", Deny: "Denied"}[v.is]
	what := nameOf(v.target)
	switch {
	case c.bad:
		return fmt.Sprintf("Asks: the %s rule %d for %s cannot be read, so %s is asked about.", c.source, c.index, c.rule.Domain, what)
	case c.source == BuiltIn && v.is == Ask:
		return needsApproval(v.target)
	case c.source == BuiltIn:
		return fmt.Sprintf("%s by default: %s %s.", word, v.target.Domain, what)
	}
	return fmt.Sprintf("%s by the %s rule %q for %s: %s.", word, c.source, c.rule.Pattern, c.rule.Domain, what)
}

// nameOf is what a target is called in a sentence.
func nameOf(t tool.Target) string { return Title(PlainName(t.Object), 200) }

// needsApproval is what a person is told where the built-in rules ask.
func needsApproval(t tool.Target) string {
	what := nameOf(t)
	switch t.Domain {
	case "bash":
		return "Commands need your approval."
	case "edit":
		return "Changes to " + what + " need your approval."
	case "read":
		return "Reading " + what + " needs your approval."
	case "web_fetch":
		return "Fetching " + what + " needs your approval."
	case "web_search":
		return "Searching the web needs your approval."
	}
	return what + " needs your approval."
}
