package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type rulesParams struct {
	Op   rulesOp     `json:"op"`
	Rule *ruleParams `json:"rule"`
	Name string      `json:"name"`
}

// ruleParams is a rule as a client names it: a new one, or one of the list.
type ruleParams struct {
	Domain    tool.Domain `json:"domain"`
	Pattern   string      `json:"pattern"`
	Decision  string      `json:"decision"`
	Workspace string      `json:"workspace"`
	Runner    string      `json:"runner"`
	Exact     bool        `json:"exact"`
	By        string      `json:"by"`
	Source    string      `json:"source"`
	Index     *int        `json:"index"`
}

func (p *ruleParams) rule() control.Rule {
	return control.Rule{Domain: p.Domain, Pattern: p.Pattern, Decision: p.Decision, Workspace: p.Workspace, Runner: p.Runner, Exact: p.Exact, By: p.By}
}

func (p *rulesParams) Check() error {
	switch p.Op {
	case "":
		return wire.Missing("op")
	case rulesList, rulesTemplates:
	case rulesAdd:
		if p.Rule == nil && p.Name == "" {
			return wire.Missing("rule")
		}
		if p.Rule != nil && p.Name != "" {
			return wire.InvalidParams("name", "is given beside rule; say which of the two is meant")
		}
	case rulesRemove:
		if p.Rule == nil {
			return wire.Missing("rule")
		}
		if p.Rule.Index != nil && *p.Rule.Index < 0 {
			return wire.InvalidParams("rule.index", "is negative")
		}
	default:
		return wire.InvalidParams("op", fmt.Sprintf("%q is neither list nor add nor remove nor templates", p.Op))
	}
	return nil
}

type rulesResult struct {
	Rules     []config.ListedRule `json:"rules"`
	Workspace string              `json:"workspace"` // of the rules that apply here alone
	Templates []ruleTemplate      `json:"templates,omitempty"`
}

type ruleTemplate struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Rules       []control.Rule `json:"rules"`
}

// rules lists and changes the rules of permission. Only a client can ask: it is
// no command, so no link or button in a document reaches it, and no tool of the
// model does. What it writes is the user's file, as an answer of `always` does;
// open questions are judged again by that.
func (s *settings) rules(_ context.Context, c *wire.Call, p rulesParams) (rulesResult, error) {
	c.Reserve() // what a change causes comes behind the answer
	switch p.Op {
	case rulesAdd:
		if err := s.addRules(p); err != nil {
			return rulesResult{}, err
		}
	case rulesRemove:
		if err := s.removeRule(p.Rule); err != nil {
			return rulesResult{}, err
		}
	default:
		s.conf.Reload() // what was just written by hand is listed, too
	}
	out := rulesResult{Rules: s.conf.Settings().ListRules(), Workspace: s.workspace.WorkspaceID()}
	if p.Op == rulesTemplates {
		for _, t := range config.Templates() {
			rules, _ := config.TemplateRules(t.Name, s.workspace.WorkspaceID())
			out.Templates = append(out.Templates, ruleTemplate{t.Name, t.Description, rules})
		}
	}
	return out, nil
}

func (s *settings) addRules(p rulesParams) error {
	var rules []control.Rule
	if p.Name != "" {
		known := false
		if rules, known = config.TemplateRules(p.Name, s.workspace.WorkspaceID()); !known {
			return wire.InvalidParams("name", fmt.Sprintf("there is no template %q", p.Name))
		}
	} else {
		rules = []control.Rule{p.Rule.rule()}
	}
	if err := s.conf.AddRules(rules...); err != nil {
		return badRule(err)
	}
	s.auditWritten(rulesAdd, rules)
	return nil
}

func (s *settings) removeRule(p *ruleParams) error {
	switch p.Source {
	case "", "config", "always":
	default:
		return invalidConfig("rule.source", fmt.Sprintf("a rule of %q is not in the user's configuration and cannot be removed", p.Source))
	}
	index := -1
	if p.Index != nil {
		index = *p.Index
	}
	if _, err := s.conf.RemoveRule(p.rule(), index); err != nil {
		return badRule(err)
	}
	s.auditWritten(rulesRemove, []control.Rule{p.rule()})
	return nil
}

// rulesKey chains changes of the rules: each sees what the one before it wrote.
func rulesKey(json.RawMessage) string { return "rules" }

// badRule is what a client is told about a rule that cannot be written.
func badRule(err error) error {
	if e, ok := errors.AsType[*control.RuleError](err); ok {
		path := "rule"
		if e.Member != path {
			path += "." + e.Member
		}
		return invalidConfig(path, e.Reason)
	}
	return invalidConfig("permission.rules", err.Error())
}

// auditWritten writes down that a client changed rules; what became of the rules
// in force is written by anyone who sees the configuration change.
func (s *settings) auditWritten(op rulesOp, rules []control.Rule) {
	for _, r := range rules {
		e := audit.Entry{
			Decision: "rule", Domain: r.Domain, Targets: []string{string(op) + " " + r.Decision},
			RulePattern: r.Pattern, RuleSource: "config", By: "client",
		}
		if r.By != "" {
			e.RuleSource = r.By
		}
		s.audit.write(e)
	}
}
