package control

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// domains are the permission domains. A target of
// any other domain is denied.
var domains = map[string]bool{
	"read": true, "edit": true, "bash": true, "web_fetch": true, "web_search": true,
	"mcp": true, "tool": true, "internal": true,
	"doom_loop": true, "limit": true, "config": true,
}

// Domains are the permission domains, sorted.
func Domains() []string { return slices.Sorted(maps.Keys(domains)) }

// onlyAsks are the domains no rule and no mode can answer.
func onlyAsks(domain string) bool {
	return domain == "doom_loop" || domain == "limit" || domain == "config"
}

// Problem is a rule that could not be used as written. Such a rule still counts
// as `ask` for every object of its domain; one with an unknown domain counts for
// nothing.
type Problem struct {
	Source  string
	Index   int
	Rule    Rule
	Message string
}

// RuleSet is layers of rules, compiled once and read by many decisions. It is
// immutable and safe for concurrent use; nil is an empty set.
type RuleSet struct {
	byDomain map[string][]compiled
	problems []Problem
}

type compiled struct {
	rule    Rule
	source  string
	index   int
	pattern pattern
	verdict Verdict
	bad     bool // matches everything of its domain, as ask, and never loosens
	narrows bool // of a layer that may only narrow: never loosens
}

// Compile prepares layers, first to last. It never fails: what cannot be used
// is in Problems.
func Compile(layers []Layer) *RuleSet {
	s := &RuleSet{byDomain: map[string][]compiled{}}
	for _, layer := range layers {
		for i, r := range layer.Rules {
			s.add(layer, i, r)
		}
	}
	return s
}

func (s *RuleSet) add(layer Layer, index int, r Rule) {
	problem := func(format string, args ...any) {
		s.problems = append(s.problems, Problem{layer.Source, index, r, fmt.Sprintf(format, args...)})
	}
	if r == (Rule{}) {
		return // a slot that keeps the indexes of a layer
	}
	if !domains[r.Domain] {
		problem("unknown domain %q", r.Domain)
		return
	}
	c := compiled{rule: r, source: layer.Source, index: index, verdict: Ask, narrows: layer.Narrows}
	p, err := compilePattern(r)
	switch {
	case err != nil:
		problem("%v: the rule counts as ask for everything in %s", err, r.Domain)
		c.bad = true
	case r.Decision == "allow":
		c.verdict = Allow
	case r.Decision == "deny":
		c.verdict = Deny
	case r.Decision != "ask":
		problem("unknown decision %q: the rule counts as ask for everything in %s", r.Decision, r.Domain)
		c.bad = true
	}
	c.pattern = p
	s.byDomain[r.Domain] = append(s.byDomain[r.Domain], c)
}

// Problems lists the rules that could not be used as written.
func (s *RuleSet) Problems() []Problem {
	if s == nil {
		return nil
	}
	return slices.Clone(s.problems)
}

// outcome is what the rules say about one object.
type outcome struct {
	verdict Verdict
	winner  *compiled // nil: nothing matched
	matched []match
}

// match is a rule that covers an object. passed is why it could not win where
// it stands, "" when only a later rule took the word from it.
type match struct {
	rule   *compiled
	passed string
}

// judgeNames is judge for an object that may have two names. What is said of both is
// said once; of two rules that each know one of the names the stricter decides.
func judgeNames(sets []*RuleSet, none Verdict, domain string, o object, workspace string) outcome {
	out := judge(sets, none, domain, o, workspace)
	if o.also == "" {
		return out
	}
	also := newObject(o.also)
	other := judge(sets, none, domain, also, workspace)
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
	if t.Domain != "mcp" || !ok || !is || !named || called == own {
		return ""
	}
	return "mcp:" + server + "/" + called
}

// judge holds o against every rule of the domain in order: the last match wins,
// except that a rule stored by an answer never beats an explicit deny, and that
// a bad rule and a rule that may only narrow never loosen. The sets are read
// one after the other, as if they were one; none is what holds where no rule
// matches.
func judge(sets []*RuleSet, none Verdict, domain string, o object, workspace string) outcome {
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
			if covers && c.rule.Workspace != "" && c.rule.Workspace != workspace {
				covers, but = false, "it applies only in the workspace "+c.rule.Workspace
			}
			m := match{rule: c, passed: but}
			switch {
			case !covers:
			case c.bad && out.verdict <= Ask:
				m.passed = "it cannot be read, so it only asks, and an earlier rule is as strict"
			case c.narrows && c.verdict > out.verdict:
				m.passed = "nobody has approved this configuration, so it can only narrow"
			case c.answered() && out.winner != nil && out.verdict == Deny && out.winner.source != BuiltIn:
				m.passed = "a stored yes never beats an explicit deny"
			default:
				out.verdict, out.winner = c.verdict, c
			}
			out.matched = append(out.matched, m)
		}
	}
	return out
}

func (s *RuleSet) hasBuiltIn() bool {
	rules := s.byDomain["internal"]
	return len(rules) > 0 && rules[0].source == BuiltIn
}

// answered says that the rule came from a person's answer to a question.
func (c *compiled) answered() bool { return c.source == "always" || c.source == "session" }

// written says that a person wrote the rule: it is no answer, and none that was stored.
func (c *compiled) written() bool { return !c.answered() && c.rule.By != "always" }

// covers says whether the rule is about o. but is why an allow that reads as if
// it were is not, for people who ask.
func (c *compiled) covers(o object) (yes bool, but string) {
	switch {
	case c.bad:
		return true, ""
	case c.verdict < Allow:
		return c.pattern.match(o, true), ""
	case !c.pattern.match(o, false):
		if o.scheme == "fs" && c.pattern.match(o, true) {
			return false, "an allow reaches outside the workspace only with fs:/"
		}
		return false, ""
	case o.shell != nil:
		if but = c.exceeded(o.shell); but == "" && o.starts != nil {
			but = o.starts.unaccepted(c)
		}
	}
	return but == "", but
}

// exceeded says why an allow does not reach this command, "" when it does. A
// rule with a wildcard says yes to words nobody has seen, so it never covers
// options that start other programs or leave the directory unless it names
// them, nor words that are only known when the command runs. "*" alone means it.
// Whole directories are covered only by a rule that a person wrote, where their words
// say which.
func (c *compiled) exceeded(cmd *shell.Command) string {
	switch {
	case c.pattern.exact != "" && cmd.Moved:
		return "the program is named from another directory"
	case c.pattern.exact != "":
		return ""
	case cmd.Sweeps && (cmd.Search == nil || !c.written()):
		return "the command reads whole directories, where sensitive files may be"
	case c.pattern.any:
		return ""
	}
	for _, option := range cmd.Reaching {
		if !containsWord(c.rule.Pattern, option) {
			return "a wildcard does not cover " + option + ", which can start programs or leave the directory"
		}
	}
	if !c.written() || cmd.ReadsListed() && !cmd.Sweeps {
		for _, word := range cmd.Unlisted {
			if !containsWord(c.rule.Pattern, word) {
				return "a wildcard does not cover " + Title(word, 60) + ", which is not known to be harmless there"
			}
		}
	}
	if cmd.OpenEnded {
		return "a wildcard does not cover words that are only known when the command runs"
	}
	return ""
}

// containsWord says that a pattern holds an option as a word of its own.
func containsWord(pattern, option string) bool {
	return slices.ContainsFunc(strings.Fields(pattern), func(w string) bool {
		return strings.TrimRight(w, "*") == option || strings.HasPrefix(w, option+"=")
	})
}
