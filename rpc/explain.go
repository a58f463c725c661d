package rpc

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type explainParams struct {
	SessionID string          `json:"sessionId"`
	Agent     string          `json:"agent"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input"`
}

func (p *explainParams) Check() error { return needs("tool", p.Tool) }

type explainResult struct {
	Decision string              `json:"decision"`
	By       string              `json:"by"`
	Rule     string              `json:"rule"`
	Source   string              `json:"source"`
	Reason   string              `json:"reason"`
	Title    string              `json:"title"`
	Domain   tool.Domain         `json:"domain"`
	Risk     string              `json:"risk"`
	Targets  []string            `json:"targets"`
	Matched  []control.RuleMatch `json:"matched"`
	Judged   []judgement         `json:"judged"`
	Always   []control.Offer     `json:"always"`
	Agent    string              `json:"agent"`
	Mode     tool.Mode           `json:"mode"`
	Trusted  bool                `json:"trusted"`
	Tainted  bool                `json:"tainted"`
	Refusal  string              `json:"refusal,omitempty"`
}

// judgement is one target on its way to its verdict.
type judgement struct {
	Domain   tool.Domain     `json:"domain"`
	Target   string          `json:"target"`
	Depth    int             `json:"depth,omitempty"`
	Decision string          `json:"decision"`
	By       string          `json:"by"`
	Rule     string          `json:"rule"`
	Source   string          `json:"source"`
	Decides  bool            `json:"decides"`
	Steps    []judgementStep `json:"steps"`
}

type judgementStep struct {
	Step     string `json:"step"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// explain says what would be decided now about a call, and why; nothing runs
// and nothing is written.
func (s *sessions) explain(_ context.Context, _ *wire.Call, p explainParams) (explainResult, error) {
	e, err := s.store.Explain(p.SessionID, session.CallToExplain{Agent: p.Agent, Tool: p.Tool, Input: p.Input})
	if err != nil {
		return explainResult{}, err
	}
	return explained(s.client.Locale, e), nil
}

func explained(lang string, e session.Explanation) explainResult {
	d := e.Decision
	out := explainResult{
		Decision: d.Verdict.String(), By: d.By, Rule: d.Rule.Pattern, Source: d.Rule.Source, Reason: locale.Say(lang, d.Reason), Title: e.Title,
		Domain: d.Domain, Risk: d.Risk, Targets: []string{}, Matched: nonNil(d.Matched), Judged: []judgement{}, Always: nonNil(d.Always),
		Agent: e.Agent, Mode: e.Mode, Trusted: e.Trusted, Tainted: e.Tainted, Refusal: d.Refusal,
	}
	for _, t := range d.Targets {
		out.Targets = append(out.Targets, t.Object)
	}
	for _, j := range d.Judged {
		said := judgement{
			Domain: j.Target.Domain, Target: j.Target.Object, Depth: j.Depth, Decision: j.Verdict.String(), By: j.By,
			Rule: j.Rule.Pattern, Source: j.Rule.Source, Decides: j.Decides, Steps: []judgementStep{},
		}
		for _, step := range j.Steps {
			said.Steps = append(said.Steps, judgementStep{step.Name, step.Verdict.String(), locale.Say(lang, step.Reason)})
		}
		out.Judged = append(out.Judged, said)
	}
	return out
}
