package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// narrowed is what skills leave of a run that has loaded them, its sub-agents included.
// nil narrows nothing.
type narrowed struct {
	skills []string
	tools  []string
	rules  [][]control.Rule // each is a ceiling
}

// with narrows further. What a skill names was allowed before, or stays as it was.
func (n *narrowed) with(s skills.Skill) *narrowed {
	if s.Allowed == nil {
		return n
	}
	next := &narrowed{skills: []string{s.Name}, tools: s.Allowed.Tools}
	if n != nil {
		next.skills, next.rules = append(slices.Clip(n.skills), s.Name), slices.Clip(n.rules)
		next.tools = slices.DeleteFunc(slices.Clone(n.tools), func(name string) bool { return !s.Allowed.Allows(name) })
	}
	if s.Allowed.Rules != nil {
		next.rules = append(next.rules, s.Allowed.Rules)
	}
	return next
}

// ceilings are the rules that apply beside those of the agent.
func (n *narrowed) ceilings() [][]control.Rule {
	if n == nil {
		return nil
	}
	return n.rules
}

// refuses says why a call may not run. What only acts on the session itself may, but for
// task, which sends somebody else.
func (n *narrowed) refuses(name string, p *tool.Plan) error {
	if n == nil || slices.Contains(n.tools, name) {
		return nil
	}
	within := func(t tool.Target) bool { return t.Domain == tool.DomainInternal }
	if name != taskName && !slices.ContainsFunc(p.Targets, func(t tool.Target) bool { return !within(t) }) {
		return nil
	}
	only := "none"
	if len(n.tools) > 0 {
		only = strings.Join(n.tools, ", ")
	}
	return fmt.Errorf("%s does not run: until this run ends, the skill %s allows only these tools: %s", name, strings.Join(n.skills, ", "), only)
}

// keptSkills is what a prompt says of skills. It stays as it is until the conversation is
// compacted: a provider keeps the beginning of a prompt that does not change.
type keptSkills struct {
	known       bool
	compactions int
	text        string
}

// list is what is said after so many compactions.
func (k *keptSkills) list(compactions int, folders func() []skills.Folder) string {
	if !k.known || k.compactions != compactions {
		*k = keptSkills{true, compactions, skills.Look(folders()).List()}
	}
	return k.text
}
