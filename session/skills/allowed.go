package skills

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/frontmatter"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Allowed is what may run once a skill is loaded. It takes away and gives nothing: what is
// named here is judged like any other call.
type Allowed struct {
	Tools []string // by their names here
	// Rules are about commands: all but those that the skill names are denied. nil: every
	// command is as it was.
	Rules []control.Rule

	commands []string // patterns of those that the skill names
}

// Allows says that a tool is one of those.
func (a *Allowed) Allows(tool string) bool { return slices.Contains(a.Tools, tool) }

// aliases are the names that other programs give to tools of ours.
var aliases = map[string][]string{
	"edit": {"edit", "apply_patch"}, "multiedit": {"edit", "apply_patch"}, "write": {"write"}, "ls": {"ls"}, "list": {"ls"},
	"webfetch": {"web_fetch"}, "websearch": {"web_search"}, "agent": {"task"}, "shell": {"bash"},
	"bash": {bash, "job_output", "job_kill"},
}

const bash = "bash"

// entry is one item of the list: a name, and in parentheses what of it is meant.
var entry = lazy.Regexp(`[^\s,(]+(\([^)]*\)?)?`)

// allow takes the list of tools: a text with blanks or commas, or a list. What cannot be
// understood allows nothing.
func (s *Skill) allow(m frontmatter.Member) {
	if m.Empty {
		return
	}
	s.Allowed = &Allowed{Tools: []string{}}
	if m.Other {
		s.fail(m.Line, said.That("allowed-tools must be names of tools; as it is, no tool may run"))
		return
	}
	some, all := false, false // commands are meant: those that are named, or every one
	for _, item := range entry().FindAllString(strings.Join(append(m.List, m.Text), ","), -1) {
		name, of, partly := strings.Cut(item, "(")
		of = strings.TrimSpace(strings.TrimSuffix(of, ")"))
		names, known := aliases[strings.ToLower(name)]
		if !known && strings.HasPrefix(name, "mcp__") {
			names = []string{name}
		} else if !known {
			names = []string{strings.ToLower(name)}
		}
		if partly && names[0] != bash {
			s.fail(m.Line, said.That("only commands can be named more closely in allowed-tools, so %s may not run", control.Title(item, 80)))
			continue
		}
		if names[0] == bash && partly {
			patterns, problem := commandPatterns(of)
			if !problem.IsZero() {
				s.fail(m.Line, problem)
			}
			s.Allowed.commands, some = append(s.Allowed.commands, patterns...), true
		}
		all = all || names[0] == bash && !partly
		s.Allowed.Tools = append(s.Allowed.Tools, names...)
	}
	if some && !all {
		s.Allowed.Rules = rules(s.Allowed.commands)
	}
}

// commandPatterns are those of what is in the parentheses: `git status`, `git:*` or `git *`.
// Where that cannot be a pattern, it names no command.
func commandPatterns(of string) (patterns []string, problem said.Text) {
	head, prefix := strings.CutSuffix(of, ":*")
	switch {
	case head == "" || strings.HasPrefix(of, "regex:"):
		return nil, said.That("allowed-tools names commands that cannot be understood, so they may not run: %s", control.Title(of, 80))
	case prefix:
		return []string{head, head + " *"}, problem
	}
	return []string{of}, problem
}

// rules deny every command but those of the patterns.
func rules(patterns []string) []control.Rule {
	out := []control.Rule{{Domain: tool.DomainBash, Pattern: "*", Decision: "deny"}}
	for _, p := range patterns {
		out = append(out, control.Rule{Domain: tool.DomainBash, Pattern: p, Decision: "allow"})
	}
	return out
}
