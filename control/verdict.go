package control

import (
	"fmt"
	"slices"
	"strings"

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

// combine makes one Decision of all verdicts: the strictest decides, the first
// of equals.
func (p *policy) combine(plan *tool.Plan, s *shell.Script, verdicts []verdict) Decision {
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
	if v.reason == "" && v.winner != nil {
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
		d.Reason = "Blocked, whatever the rules say: " + v.reason + "."
		d.Refusal = "Error: dangerous command blocked: " + v.reason
		return d
	}
	if d.Verdict < Allow {
		d.Refusal = p.refusal(plan, v)
	}
	d.OnceOnly = d.OnceOnly || slices.ContainsFunc(verdicts, func(v verdict) bool { return !v.skipped && (v.once || asksAnyway(plan, &v) != "") })
	if d.Verdict == Ask && !d.OnceOnly {
		d.Always = p.offers(plan, verdicts)
	}
	return d
}

// onceOnly says that a yes can only be for this one time: what runs is not
// known from the text, or it leaves the sandbox.
func onceOnly(plan *tool.Plan, s *shell.Script) bool {
	if len(s.Doubts) > 0 || s.Refused != "" {
		return true
	}
	if startsUnknown(plan) {
		return true
	}
	for _, c := range s.Commands {
		if c.OpenEnded {
			return true
		}
	}
	return false
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

func riskOfPlan(plan *tool.Plan, s *shell.Script, v verdict) string {
	switch {
	case plan.Destructive, v.risk == "destructive", s != nil && s.Destroys:
		return "destructive"
	case v.target.Domain == "bash" && s != nil && (s.Network || plan.Needs.Has(tool.NeedNetwork)):
		return "network"
	case v.risk != "":
		return v.risk
	}
	return riskOf(v.target.Domain)
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

// refusal is what the model reads when the answer is no, or when nobody can be
// asked. It names the rule that would allow the call.
func (p *policy) refusal(plan *tool.Plan, v verdict) string {
	reason := strings.TrimSuffix(v.reason, ".")
	if v.reason == needsApproval(v.target) { // said to a person; the model is told what it was that asks
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
	case strings.HasPrefix(v.reason, "The shell text"), strings.HasPrefix(v.reason, "Refused"):
		return text + " No rule can allow it; write a plainer command."
	case v.is == Deny && v.rule.Source != BuiltIn:
		return text // somebody wrote down that it may not be; that is no place to teach the way around
	case p.f.Unread != "":
		return text + " The user's configuration has to be fixed first."
	case !p.f.Trusted && v.target.Domain != "read":
		return text + " The user has not trusted this workspace."
	case !ruleHelps(v, p.broad):
		return text
	}
	rule := Rule{Domain: v.target.Domain, Pattern: v.target.Object, Decision: "allow"}
	rule.Exact = v.target.Domain == "bash" || strings.ContainsAny(v.target.Object, `*?[{\`) || strings.HasSuffix(v.target.Object, "/")
	if plan.Below && p.mayOpenBelow(v.target) {
		rule.Pattern = allBelow(rule.Pattern) // the directory alone would be searched and show nothing
	}
	return text + " This rule in the user's configuration would allow it: " + RuleText(rule)
}

// ruleHelps says whether a rule in the user's file would allow the target: not
// where a layer above it has a word to say, nor where something else asks than
// rules and the kind of the file.
func ruleHelps(v verdict, broad string) bool {
	last := ""
	if n := len(v.steps); n > 0 {
		last = v.steps[n-1].Name
	}
	above := slices.ContainsFunc(v.matched, func(m RuleMatch) bool {
		return m.Source == "inline" || m.Source == "always" && m.Decision != "allow"
	})
	return (last == "rules" || last == "files") && !above && (v.target.Domain != "edit" || broad == "")
}

func RuleText(r Rule) string {
	raw, err := tool.CompactJSON(r)
	if err != nil {
		return r.Pattern
	}
	return string(raw)
}

func refOf(c *compiled) RuleRef {
	return RuleRef{Pattern: c.rule.Pattern, Source: c.source, Index: c.index}
}
