package control

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// outcome is what the rules say about one object.
type outcome struct {
	verdict Verdict
	winner  *compiled // nil: nothing matched
	matched []match
}

// match is a rule that covers an object. passed is why it could not win where
// it is, "" when only a later rule took the word from it.
type match struct {
	rule   *compiled
	passed string
}

// judgeName holds o against every rule of the domain in order: the last match wins,
// except that a rule stored by an answer never beats an explicit deny, and that
// a bad rule and a rule that may only narrow never loosen. The sets are read
// one after the other, as if they were one; none is what holds where no rule
// matches.
func judgeName(sets []*RuleSet, none Verdict, domain tool.Domain, o object, at Scope) outcome {
	out := outcome{verdict: none}
	for _, s := range sets {
		if s == nil {
			continue
		}
		rules := s.byDomain[domain]
		for i := range rules {
			c := &rules[i]
			covers, but := c.covers(o)
			if !covers && but == "" {
				continue
			}
			if covers {
				covers, but = c.applies(at)
			}
			m := match{rule: c, passed: but}
			switch {
			case !covers:
			case c.bad && out.verdict <= Ask:
				m.passed = said.That("it cannot be read, so it only asks, and an earlier rule is as strict").Form
			case c.narrows && c.verdict > out.verdict:
				m.passed = said.That("nobody has approved this configuration, so it can only narrow").Form
			case c.answered() && out.winner != nil && out.verdict == Deny && out.winner.source != BuiltIn:
				m.passed = said.That("a stored yes never beats an explicit deny").Form
			default:
				out.verdict, out.winner = c.verdict, c
			}
			out.matched = append(out.matched, m)
		}
	}
	return out
}

// judgeNames is judgeName for an object that may have two names. What is said of both is
// said once; of two rules that each know one of the names the stricter decides.
func judgeNames(sets []*RuleSet, none Verdict, domain tool.Domain, o object, at Scope) outcome {
	out := judgeName(sets, none, domain, o, at)
	if o.also == "" {
		return out
	}
	also := newObject(o.also)
	other := judgeName(sets, none, domain, also, at)
	knows := func(w *compiled, o object) bool {
		yes, _ := w.covers(o)
		return yes
	}
	switch {
	case other.winner == nil || knows(other.winner, o):
		return out
	case out.winner == nil || knows(out.winner, also), other.verdict < out.verdict:
		return other
	}
	return out
}

// otherName is the object of a tool of an MCP server under the name that a model has for
// it, "" where that is the same: rules may have been written with either.
func otherName(t tool.Target, called string) string {
	server, own, ok := strings.Cut(strings.TrimPrefix(t.Object, "mcp:"), "/")
	called, is := strings.CutPrefix(called, tool.MCPPrefix)
	_, called, named := strings.Cut(called, "__") // no server's name has "_" there
	if t.Domain != tool.DomainMCP || !ok || !is || !named || called == own {
		return ""
	}
	return "mcp:" + server + "/" + called
}

// describe is match i of an outcome as a person and the protocol see it.
func (out *outcome) describe(i int, target string) RuleMatch {
	m := out.matched[i]
	r := RuleMatch{
		Domain: m.rule.rule.Domain, Pattern: m.rule.rule.Pattern, Decision: m.rule.verdict.String(),
		Source: m.rule.source, Index: m.rule.index, Target: target,
	}
	switch {
	case m.rule == out.winner:
		r.Won = true
	case m.passed != "":
		r.Lost = m.passed
	default:
		r.Lost = said.That("a later rule decides").Form
	}
	return r
}
