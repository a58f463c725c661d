package session

import (
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
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

// decided is the event of the decision over a step. Where arguments were mended
// or changed by a hook before they were judged, or a person has changed them, it
// says what they are now.
func (l *caller) decided(j *step) history.ToolDecided {
	w := j.word
	d := history.ToolDecided{CallID: j.call.CallID, Decision: w.verdict(), Rule: w.decision.Rule.Pattern, Source: w.decision.Rule.Source, By: w.by, Answer: w.answer}
	if j.call.Raw != "" || j.hooked || j.edited {
		d.Input = l.blobs.stashInput(l.root.book.HideJSON(j.plan.Input, ""), maxInline)
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
func (l *caller) decide(r *run, j *step) word {
	d := l.authority.policy(r.agent).Decide(j.plan)
	switch {
	case d.Verdict == control.Allow:
		return word{allow: true, decision: d, by: d.By}
	case d.Verdict == control.Deny:
		return word{decision: d, by: d.By, status: "failed", text: d.Refusal}
	case !l.deps.Approver.CanAnswer():
		return word{decision: d, by: "nobody", status: "failed", text: d.Refusal}
	}
	return l.askAbout(r, j, d)
}

// askAbout asks a person about a planned call, and makes the answer the last word.
func (l *caller) askAbout(r *run, j *step, d control.Decision) word {
	m := &matter{l: l, r: r, j: j, now: d, since: time.Now()}
	answer := l.asker.ask(r, question{
		ctx: j.ctx, callID: j.call.CallID, tool: j.call.Tool,
		build: m.build, about: m,
	})
	w := word{decision: m.now, by: answer.by, answer: answer.decision}
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
			w.end = &stop{reason: "cancelled", message: said.That("Stopped: you rejected a call and interrupted the run.")}
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
func (l *caller) audited(r *run, j *step) word {
	e := audit.Entry{
		RunID: r.id, Mode: l.authority.facts(r.agent).Mode, Decision: j.word.verdict(),
		Domain: j.word.decision.Domain, Targets: objectsOf(j.word.decision.Targets), RulePattern: j.word.decision.Rule.Pattern,
		RuleSource: j.word.decision.Rule.Source, By: j.word.by, CallID: j.call.CallID, Input: l.root.book.HideJSON(j.plan.Input, ""),
	}
	if e.By == "mode" { // as it was when it decided: a switch may have come since
		e.Mode = "full_access"
	}
	err := l.auditor.write(e)
	if err == nil {
		return j.word
	}
	if !r.unaudited {
		r.unaudited = true
		l.show(r.id, "notice", Notice{Severity: "error", Title: said.That("The audit cannot be written: %s", history.Clean(err.Error()))})
	}
	if e.Mode != "full_access" || j.plan.Effect == tool.Read || !j.word.allow {
		return j.word
	}
	return word{decision: j.word.decision, by: "mode", status: "failed", text: "the audit log cannot be written, so full access runs nothing that changes something: " + err.Error()}
}
