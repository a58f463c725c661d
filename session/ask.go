package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// approvalRequest is something that a person has to decide.
type approvalRequest struct {
	ctx    context.Context // ends with the run, or the call
	callID string
	tool   string
	build  func() history.Approval // the question as it is now
	about  *pendingApproval        // the call that it is about; nil: rules have no say, and nothing of it can change
}

// refuses says why an answer is none: it is not offered, or it brings arguments
// that cannot run. The question stays as it is.
func (q approvalRequest) refuses(a history.Approval, answer Answer) error {
	switch {
	case !slices.Contains(a.Decisions, answer.Decision):
		return fmt.Errorf("%q is not offered; offered: %v", answer.Decision, a.Decisions)
	case len(answer.EditedInput) == 0:
		return nil
	case !a.Editable || answer.Decision != "once":
		return errors.New("only an answer of once can change the input, and only of a call")
	}
	return q.about.mayRun(answer.EditedInput)
}

// fits says whether a yes is about what would run: the question that the person
// looked at, what it was asked about, and their own arguments where they gave any.
func (q approvalRequest) fits(a history.Approval, answer Answer) bool {
	switch {
	case q.about != nil && q.about.fresh() != nil:
		return false
	case answer.Digest != "" && answer.Digest != a.Digest:
		return false
	case len(answer.EditedInput) > 0:
		return q.about.edit(answer.EditedInput)
	}
	return true
}

// Waiting stops the clocks of the run that is worked on while a person thinks about what
// one of its calls asks them, and shows that. It implements questions.Session.
func (k *asker) Waiting(callID string) (done func()) {
	r := k.session.current()
	if r == nil {
		return func() {}
	}
	resume := k.pause(r)
	k.show(r.id, "run.state", RunState{State: "waiting_approval", Iteration: r.iteration})
	return func() {
		resume()
		if r.ctx.Err() == nil {
			k.show(r.id, "run.state", RunState{State: "tool_calling", Detail: questions.Name, Iteration: r.iteration})
		}
	}
}

// Hidden is a text of the model or of a person without its secrets. It implements
// questions.Session.
func (k *asker) Hidden(text string) string { return k.root.redactor.RedactAgain(text) }

// reply is what came of a question: a person's decision, "rule" where the rules
// have answered meanwhile, "nobody" where nobody is left to ask, or "cancelled".
type reply struct {
	decision  string
	by        string
	feedback  string
	interrupt bool
	mode      *tool.Mode // of a plan: what it is carried out in
}

// maxFeedback is how much of a person's words beside a no is kept, in bytes: it
// is in a line of the log, and the model reads it.
const maxFeedback = 16 << 10

// asker asks a person.
type asker struct {
	*watchers
	deps      *Deps
	authority *authority
	auditor   *auditor
}

// ask puts a question on every surface until somebody gives an explicit answer,
// a changed rule answers it, or the run is cancelled. Silence, dismissal and
// unknown words leave it open. The run's clocks stand still.
func (k *asker) ask(r *run, q approvalRequest) reply {
	defer k.pause(r)()
	k.show(r.id, "run.state", RunState{State: "waiting_approval", Iteration: r.iteration})
	if q.callID != "" {
		defer func() {
			if r.ctx.Err() == nil {
				k.show(r.id, "run.state", RunState{State: "tool_calling", Detail: q.tool, Iteration: r.iteration})
			}
		}()
	}
	var settleStale func(Outcome)
	for {
		a, err := k.putQuestion(r, q)
		if settleStale != nil {
			settleStale(Outcome{Status: "stale", Approval: &a})
			settleStale = nil
		}
		if err != nil {
			return k.resolve(r, a, history.ApprovalResolved{Decision: "cancelled", By: "cancel"}, reply{decision: "cancelled", by: "cancel"})
		}
		answer, why := k.listen(a, q)
		switch {
		case why == "cancel":
			return k.resolve(r, a, history.ApprovalResolved{Decision: "cancelled", By: "cancel"}, reply{decision: "cancelled", by: "cancel"})
		case why == "rule", why == "nobody":
			return k.resolve(r, a, history.ApprovalResolved{Decision: "superseded", By: "rule"}, reply{decision: why, by: why})
		case answer.Decision == "reject":
			feedback := cutText(history.Clean(answer.Feedback), maxFeedback)
			out := k.resolve(r, a, history.ApprovalResolved{Decision: "reject", By: answer.By, Feedback: feedback}, reply{decision: "reject", by: answer.By, feedback: feedback, interrupt: answer.Interrupt})
			answer.settle(Outcome{Status: "applied"})
			return out
		case !q.fits(a, answer):
			k.resolve(r, a, history.ApprovalResolved{Decision: "superseded", By: "stale"}, reply{})
			if q.about != nil && q.about.again() != control.Ask {
				answer.settle(Outcome{Status: "stale"})
				return reply{decision: "rule", by: "rule"}
			}
			settleStale = answer.settle
			continue
		default:
			return k.grant(r, a, q, answer)
		}
	}
}

// grant carries out a yes: `session` is remembered in the log, `always` in the
// user's configuration. A rule that cannot be stored allows this once.
func (k *asker) grant(r *run, a history.Approval, q approvalRequest, answer Answer) reply {
	resolved := history.ApprovalResolved{Decision: answer.Decision, By: answer.By}
	switch {
	case answer.Decision == "session" && q.about != nil:
		resolved.Grants = q.about.grants()
		_ = k.accept(q, "session", resolved.Grants) // where it cannot be kept, the command is asked about again
		k.auditRules(r, q.callID, "session", answer.By, resolved.Grants)
	case answer.Decision == "always" && len(a.Always) > 0:
		offer := a.Always[0]
		if k := slices.IndexFunc(a.Always, func(o control.Offer) bool { return o.ID == answer.OfferID }); k >= 0 {
			offer = a.Always[k]
		}
		err := k.accept(q, "always", offer.Stored())
		if err == nil {
			err = k.deps.Config.AddAlways(offer.Stored()...)
		}
		if err != nil {
			k.show(r.id, "notice", Notice{Severity: "error", Title: said.That("The rule could not be stored, so this call is allowed once: %s", err.Error())})
			resolved.Decision = "once"
			break
		}
		resolved.Rule = &offer.Rule
		k.auditRules(r, q.callID, "always", answer.By, offer.Stored())
	}
	if answer.Mode != "" && a.Domain == tool.DomainPlan {
		resolved.Mode = &answer.Mode
	}
	out := k.resolve(r, a, resolved, reply{decision: resolved.Decision, by: answer.By, mode: resolved.Mode})
	answer.settle(Outcome{Status: "applied", Rule: resolved.Rule})
	return out
}

// putQuestion records the question on the root, where people see it.
func (k *asker) putQuestion(r *run, q approvalRequest) (history.Approval, error) {
	a := q.build()
	root := k.root
	x := root.journal.Begin()
	defer x.End()
	a.SessionID, a.RunID, a.CallID, a.AgentPath = root.id, root.runOf(k.session, r), q.callID, nonNil(k.watchers.origin.AgentPath)
	a.Seq, a.CreatedAt = x.State.Seq+1, history.Stamp(time.Now())
	a.ApprovalID = fmt.Sprintf("%s-a%d", root.id, a.Seq)
	a = placeholder.Redacted(k.root.redactor, a)
	nameDocuments(a)
	logged := a
	if a.Preview != nil {
		logged.Preview = withoutTexts(*a.Preview)
	}
	return a, x.Append(root.runOf(k.session, r), logged)
}

// listen waits for the first word that ends the question.
func (k *asker) listen(a history.Approval, q approvalRequest) (answer Answer, why string) {
	ctx, withdraw := context.WithCancel(q.ctx)
	defer withdraw()
	answers := k.deps.Approver.Approve(ctx, a)
	for {
		touched, stored := k.root.touched(), k.deps.Config.Changed()
		if q.about != nil && q.about.again() != control.Ask {
			return Answer{}, "rule"
		}
		select {
		case <-ctx.Done():
			return Answer{}, "cancel"
		case <-touched:
		case <-stored:
		case answer, open := <-answers:
			if !open {
				answers = nil // nobody is left to ask; the question stays
				continue
			}
			switch refused := q.refuses(a, answer); {
			case ctx.Err() != nil: // a yes that comes with a cancel is too late
				answer.settle(Outcome{Status: "already_resolved"})
				return Answer{}, "cancel"
			case refused == nil:
				return answer, ""
			case answer.Decision == "" && !k.deps.Approver.CanAnswer():
				return Answer{}, "nobody"
			default:
				answer.settle(Outcome{Status: "not_found", Refused: refused})
			}
		}
	}
}

// resolve records what became of a question and lets other open ones look
// again at the rules.
func (k *asker) resolve(r *run, a history.Approval, body history.ApprovalResolved, out reply) reply {
	body.ApprovalID, body.CallID = a.ApprovalID, a.CallID
	root := k.root
	x := root.journal.Begin()
	defer x.End()
	_ = x.Append(root.runOf(k.session, r), body) // a log that cannot be written has been reported
	if len(body.Grants) > 0 {
		root.said.touch()
	}
	return out
}

// pause stops the clocks of the run and of every run above it while a person
// thinks.
func (k *asker) pause(r *run) (resume func()) {
	clocks := []*clock{r.clock}
	for above := k.session.above; above != nil; above = above.above {
		if live := above.current(); live != nil {
			clocks = append(clocks, live.clock)
		}
	}
	for _, c := range clocks {
		c.pause()
	}
	return func() {
		for _, c := range clocks {
			c.resume()
		}
	}
}

// auditRules writes down each rule that an answer made: from "always" it is in
// the user's configuration, from "session" in the log of this session.
func (k *asker) auditRules(r *run, callID, source, by string, rules []control.Rule) {
	for _, rule := range rules {
		_ = k.auditor.write(audit.Entry{ // has been reported; the rule itself is on disk
			RunID: r.id, Mode: k.authority.facts(r.agent).Mode, Decision: "rule", Domain: rule.Domain,
			RulePattern: rule.Pattern, RuleSource: source, By: by, CallID: callID,
		})
	}
}

// accept remembers what a command would start that a person said yes to for longer than
// once.
func (k *asker) accept(q approvalRequest, decision string, rules []control.Rule) error {
	if q.about == nil {
		return nil
	}
	var names []control.AcceptedRule
	for _, r := range rules {
		if r.Domain != tool.DomainBash {
			continue
		}
		name := control.Always(r.Pattern)
		if decision == "session" {
			name = control.Granted(k.root.id, r.Pattern)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	return k.deps.Accepted.Accept(names, q.about.j.plan.Starts)
}

// nameDocuments gives the documents of a question their URIs, now that it has a name.
func nameDocuments(a history.Approval) {
	if a.Preview == nil {
		return
	}
	for i, d := range a.Preview.Documents {
		a.Preview.Documents[i].Before = history.DocumentURI(history.DiffScheme, a.ApprovalID, "before", d.Path)
		a.Preview.Documents[i].After = history.DocumentURI(history.DiffScheme, a.ApprovalID, "after", d.Path)
	}
}

// withoutTexts is a preview as the log has it, and what is folded from that.
func withoutTexts(p history.ApprovalPreview) *history.ApprovalPreview {
	p.Whole, p.Documents = "", slices.Clone(p.Documents)
	for i := range p.Documents {
		p.Documents[i].BeforeText, p.Documents[i].AfterText = "", ""
	}
	return &p
}

// plainQuestion is one that is about no object: its digest covers its title, so
// that a client cannot answer yesterday's.
func plainQuestion(domain tool.Domain, title, reason said.Text) history.Approval {
	asked := control.Title(title.String(), 200)
	digest := sha256.Sum256(fmt.Appendf(nil, "%d:%s%d:%s", len(domain), domain, len(asked), asked))
	return history.Approval{
		Title: title, Reason: reason, Risk: "loop", Domain: domain, Targets: []string{}, Input: []byte("{}"),
		Rule: control.RuleRef{Pattern: "*", Source: "built-in"}, Always: []control.Offer{},
		Decisions: []string{"once", "always", "reject"}, Answerable: history.Answerable{Digest: hex.EncodeToString(digest[:])},
	}
}

// How much an event carries of what a person is shown, in bytes and characters.
const (
	maxPreview = 64 << 10
	maxReason  = 600
)

func objectsOf(targets []tool.Target) []string {
	out := []string{}
	for _, t := range targets {
		if !slices.Contains(out, t.Object) {
			out = append(out, t.Object)
		}
	}
	return out
}
