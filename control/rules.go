package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
	byDomain map[tool.Domain][]compiled
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
	s := &RuleSet{byDomain: map[tool.Domain][]compiled{}}
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
			but = o.starts.unaccepted(c).String()
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
	case c.pattern.exact != "" && cmd.RelativeProgram:
		return "the program is named from another directory"
	case c.pattern.exact != "":
		return ""
	case cmd.ReadsTree && (cmd.Search == nil || !c.written()):
		return "the command reads whole directories, where sensitive files may be"
	case c.pattern.any:
		return ""
	}
	for _, option := range cmd.Reaching {
		if !containsWord(c.rule.Pattern, option) {
			return "a wildcard does not cover " + option + ", which can start programs or leave the directory"
		}
	}
	if !c.written() || cmd.ReadsListed() && !cmd.ReadsTree {
		for _, word := range cmd.Unlisted {
			if !containsWord(c.rule.Pattern, word) {
				return "a wildcard does not cover " + Title(word, 60) + ", which is not known to be harmless there"
			}
		}
	}
	if cmd.Dynamic {
		return "a wildcard does not cover words that are only known when the command runs"
	}
	return ""
}

// containsWord says that a pattern contains an option as a word of its own.
func containsWord(pattern, option string) bool {
	return slices.ContainsFunc(strings.Fields(pattern), func(w string) bool {
		return strings.TrimRight(w, "*") == option || strings.HasPrefix(w, option+"=")
	})
}

func refOf(c *compiled) RuleRef {
	return RuleRef{Pattern: c.rule.Pattern, Source: c.source, Index: c.index}
}
