package session

import (
	"encoding/json"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// authorization is whether a call may run, and who says so.
type authorization struct {
	allow    bool
	decision control.Decision
	by       string         // rule, default, mode, hard_limit, agent, client, code_action, …, cancel, nobody
	mode     *tool.Mode     // of a plan: what it is carried out in; nil: as it was
	answer   string         // a person's: once, session, always, reject
	status   history.Status // of the result when it may not run
	text     string         // of that result
	end      *stop          // the run ends behind this call
}

// decided is the event of the decision over a step. Where arguments were mended
// or changed by a hook before they were judged, or a person has changed them, it
// says what they are now.
func (l *caller) decided(j *invocation) history.ToolDecided {
	w := j.authorized
	d := history.ToolDecided{CallID: j.call.CallID, Decision: w.verdict(), Rule: w.decision.Rule.Pattern, Source: w.decision.Rule.Source, By: w.by, Answer: w.answer}
	if j.call.Raw != "" || j.hooked || j.edited {
		d.Input = l.blobs.offloadInput(l.root.redactor.RedactJSON(j.asCalled(), ""), maxInline)
	}
	return d
}

// asCalled are the arguments of the call as the model would have written them.
func (j *invocation) asCalled() json.RawMessage {
	if j.back != nil {
		return j.back(j.plan.Input)
	}
	return j.plan.Input
}

func (w authorization) verdict() string {
	if w.allow {
		return "allow"
	}
	return "deny"
}

// decide judges a plan and, where a rule says ask, asks. An answer about
// something that has changed meanwhile is an answer to another question: the
// call is planned, judged and asked about again.
func (l *caller) decide(r *run, j *invocation) authorization {
	d := l.authority.policy(r.agent).Decide(j.plan)
	switch {
	case d.Verdict == control.Allow:
		return authorization{allow: true, decision: d, by: d.By}
	case d.Verdict == control.Deny:
		return authorization{decision: d, by: d.By, status: "failed", text: d.Refusal}
	case !l.deps.Approver.CanAnswer():
		return authorization{decision: d, by: "nobody", status: "failed", text: d.Refusal}
	}
	return l.askAbout(r, j, d)
}

// askAbout asks a person about a planned call, and makes the answer the last word.
func (l *caller) askAbout(r *run, j *invocation, d control.Decision) authorization {
	m := &pendingApproval{l: l, r: r, j: j, now: d, since: time.Now()}
	answer := l.asker.ask(r, approvalRequest{
		ctx: j.ctx, callID: j.call.CallID, tool: j.call.Tool,
		build: m.build, about: m,
	})
	w := authorization{decision: m.now, by: answer.by, answer: answer.decision, mode: answer.mode}
	l.seenUnasked(m.j.plan, m.now, answer.decision, m.since)
	switch answer.decision {
	case "once", "session", "always":
		w.allow = true
	case "reject":
		w.status, w.text = "rejected", "The user rejected this operation."
		if answer.feedback != "" {
			w.text += "\n" + answer.feedback
		}
		if answer.interrupt {
			w.end = &stop{reason: history.StopCancelled, message: said.That("Stopped: you rejected a call and interrupted the run.")}
		}
	case "nobody": // whoever could have answered is gone
		w.answer, w.status, w.text = "", "failed", m.now.Refusal
	case "rule": // the rules changed while it was open, or there is nothing left to ask about
		w.answer = ""
		if m.gone != nil {
			w.by, w.status, w.text = "default", "failed", m.gone.Error()
			break
		}
		w.allow, w.by = m.now.Verdict == control.Allow, m.now.By
		w.status, w.text = "failed", m.now.Refusal
	default:
		w.answer, w.status = "", "cancelled"
	}
	return w
}

// audited writes a decision down, automatic ones too, and says what holds then.
// Where it cannot be written, full access may change nothing. In mode agent it
// goes on: there a rule or a person has said yes, and the session's own log says
// so; the person is told once a run.
func (l *caller) audited(r *run, j *invocation) authorization {
	e := audit.Entry{
		RunID: r.id, Mode: l.authority.facts(r.agent).Mode, Decision: j.authorized.verdict(),
		Domain: j.authorized.decision.Domain, Targets: objectsOf(j.authorized.decision.Targets), RulePattern: j.authorized.decision.Rule.Pattern,
		RuleSource: j.authorized.decision.Rule.Source, By: j.authorized.by, CallID: j.call.CallID, Input: l.root.redactor.RedactJSON(j.plan.Input, ""),
	}
	if e.By == "mode" { // as it was when it decided: a switch may have come since
		e.Mode = tool.ModeFullAccess
	}
	err := l.auditor.write(e)
	if err == nil {
		return j.authorized
	}
	if !r.unaudited {
		r.unaudited = true
		l.show(r.id, "notice", Notice{Severity: "error", Title: said.That("The audit cannot be written: %s", history.Clean(err.Error()))})
	}
	if e.Mode != tool.ModeFullAccess || j.plan.Effect == tool.Read || !j.authorized.allow {
		return j.authorized
	}
	return authorization{decision: j.authorized.decision, by: "mode", status: "failed", text: "the audit log cannot be written, so full access runs nothing that changes something: " + err.Error()}
}
