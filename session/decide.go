package session

import (
	"context"
	"errors"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// word is the last word over a call: may it run, and who says so.
type word struct {
	allow    bool
	decision control.Decision
	by       string // rule, default, mode, hard_limit, agent, client, code_action, …, cancel, nobody
	answer   string // a person's: once, session, always, reject
	status   string // of the result when it may not run
	text     string // of that result
	end      *stop  // the run ends behind this call
}

// decided is the event of the decision over a step. Where arguments were mended,
// or changed by a hook, before they were judged, it says what they are now.
func (s *Session) decided(j *step) ToolDecided {
	w := j.word
	d := ToolDecided{CallID: j.call.CallID, Decision: w.verdict(), Rule: w.decision.Rule.Pattern, Source: w.decision.Rule.Source, By: w.by, Answer: w.answer}
	if j.call.Raw != "" || j.hooked {
		d.Input = s.stashInput(j.plan.Input, maxInline)
	}
	return d
}

func (w word) verdict() string {
	if w.allow {
		return "allow"
	}
	return "deny"
}

// decide judges a plan and, where a rule says ask, asks. An answer about
// something that has changed meanwhile is an answer to another question: the
// call is planned, judged and asked about again.
func (s *Session) decide(r *run, j *step) word {
	d := s.policy(r).Decide(j.plan)
	switch {
	case d.Verdict == control.Allow:
		return word{allow: true, decision: d, by: d.By}
	case d.Verdict == control.Deny:
		return word{decision: d, by: d.By, status: "failed", text: d.Refusal}
	case !s.deps.Approver.CanAnswer():
		return word{decision: d, by: "nobody", status: "failed", text: d.Refusal}
	}
	return s.askAbout(r, j, d)
}

// policy is what holds for this session now. A sub-agent's call must pass its
// parents' as well (control §9).
func (s *Session) policy(r *run) control.Policy {
	policies := []control.Policy{control.NewPolicy(s.facts(r.agent))}
	for p := s.parent; p != nil; p = p.parent {
		policies = append(policies, control.NewPolicy(p.facts(p.liveAgent())))
	}
	return control.Strictest(policies...)
}

// askAbout asks a person about a planned call.
func (s *Session) askAbout(r *run, j *step, d control.Decision) word {
	var shown control.Decision // what the person sees: it is what an answer is about
	var gone error             // why the call cannot be done any more
	q := question{
		ctx: j.ctx, callID: j.call.CallID, tool: j.call.Tool,
		build: func() Approval {
			shown = d
			return s.approvalOf(r, j.plan, d)
		},
		// What a person said yes to must still be what would run: the same
		// files, and in a command the same meaning of its words.
		fresh: func() error {
			again, err := j.tool.Plan(j.plan.Input)
			if err != nil {
				gone = err
				return err
			}
			d = s.policy(r).Decide(again)
			if again.Digest != j.plan.Digest || d.Verdict == control.Deny || !slices.Equal(d.Targets, shown.Targets) {
				j.plan = again
				return errors.New("changed since it was asked about")
			}
			return nil
		},
		again: func() control.Verdict {
			if gone != nil {
				return control.Deny
			}
			d = s.policy(r).Decide(j.plan)
			return d.Verdict
		},
		grants: func() []control.Rule { return grantsOf(shown) },
	}
	answer := s.ask(r, q)
	w := word{decision: d, by: answer.by, answer: answer.decision}
	switch answer.decision {
	case "once", "session", "always":
		w.allow = true
	case "reject":
		w.status, w.text = "rejected", "The user rejected this operation."
		if answer.feedback != "" {
			w.text += "\n" + answer.feedback
		}
		if answer.interrupt {
			w.end = &stop{reason: "cancelled", message: "Stopped: you rejected a call and interrupted the run."}
		}
	case "rule": // the rules changed while it was open, or there is nothing left to ask about
		w.answer = ""
		if gone != nil {
			w.by, w.status, w.text = "default", "failed", gone.Error()
			break
		}
		w.allow, w.by = d.Verdict == control.Allow, d.By
		w.status, w.text = "failed", d.Refusal
	default:
		w.answer, w.status = "", "cancelled"
	}
	return w
}

// grantsOf are the exact targets that an answer of `session` covers.
func grantsOf(d control.Decision) []control.Rule {
	var rules []control.Rule
	for _, t := range d.Targets {
		rule := control.Rule{Domain: t.Domain, Pattern: t.Object, Decision: "allow", Exact: true}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// approvalOf is the question about a plan.
func (s *Session) approvalOf(r *run, p *tool.Plan, d control.Decision) Approval {
	a := Approval{
		Title: control.Title(p.Title, 200), Reason: d.Reason, Risk: d.Risk, Domain: d.Domain, Targets: objectsOf(d.Targets),
		Tool: p.Tool, Input: s.stashInput(p.Input, maxInline), Rule: d.Rule, Always: nonNil(d.Always), Digest: p.Digest,
	}
	a.Preview = s.previewOf(r.ctx, p, d)
	a.Decisions = []string{"once"}
	if !d.OnceOnly {
		a.Decisions = append(a.Decisions, "session")
	}
	if len(d.Always) > 0 {
		a.Decisions = append(a.Decisions, "always")
	}
	a.Decisions = append(a.Decisions, "reject")
	return a
}

func objectsOf(targets []tool.Target) []string {
	out := []string{}
	for _, t := range targets {
		if !slices.Contains(out, t.Object) {
			out = append(out, t.Object)
		}
	}
	return out
}

// maxPreview is how much of a preview an event carries, in bytes.
const maxPreview = 64 << 10

func (s *Session) previewOf(ctx context.Context, p *tool.Plan, d control.Decision) *ApprovalPreview {
	if p.Preview == nil {
		return nil
	}
	shown, err := p.Preview(ctx)
	if err != nil {
		return &ApprovalPreview{Kind: "text", Text: "no preview: " + err.Error()}
	}
	out := &ApprovalPreview{Kind: shown.Kind, Text: clean(shown.Text)}
	for _, place := range shown.Places {
		out.Places = append(out.Places, Place{place.URI, place.Start, place.End})
	}
	if shown.Kind == "command" {
		out.Text = control.CommandTree(d.Commands, out.Text)
	}
	if len(out.Text) > maxPreview {
		if ref, _, err := s.keep("preview", "preview", out.Text); err == nil {
			out.ArtifactID = ref.ArtifactID
		}
		out.Text = cutText(out.Text, maxPreview)
	}
	return out
}
