package session

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
		l.show(r.id, "notice", Notice{Severity: "error", Title: "The audit cannot be written: " + history.Clean(err.Error())})
	}
	if e.Mode != "full_access" || j.plan.Effect == tool.Read || !j.word.allow {
		return j.word
	}
	return word{decision: j.word.decision, by: "mode", status: "failed", text: "the audit log cannot be written, so full access runs nothing that changes something: " + err.Error()}
}

// auditRules writes down each rule that an answer made: from "always" it lies in
// the user's configuration, from "session" in the log of this session.
func (k *asker) auditRules(r *run, callID, source, by string, rules []control.Rule) {
	for _, rule := range rules {
		_ = k.auditor.write(audit.Entry{ // has been reported; the rule itself is on disk
			RunID: r.id, Mode: k.authority.facts(r.agent).Mode, Decision: "rule", Domain: rule.Domain,
			RulePattern: rule.Pattern, RuleSource: source, By: by, CallID: callID,
		})
	}
}

// auditor writes down what was decided in a session.
type auditor struct {
	*watchers
	deps *Deps
}

// mode writes down that the mode is another one now. Full access that
// cannot be written down is not given.
func (u *auditor) mode(mode string) error {
	return u.write(audit.Entry{Mode: mode, Decision: "mode", By: "client"})
}

func (u *auditor) write(e audit.Entry) error {
	e.SessionID, e.AgentPath = u.root.id, u.origin.AgentPath
	_, err := u.deps.Audits.Audit(e.SessionID).Append(placeholder.Hidden(u.root.book, e))
	if err != nil {
		u.deps.Log.Error().Err(err).Msg("audit cannot be written")
	}
	return err
}
