package surface

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// Menu is what a person can choose from: code actions and code lenses.
type Menu struct {
	*Screen
	approvals   *Approvals
	annotations *annotations
	places      *places
	models      *modelChoice
	questions   *Questions
	elsewhere   Elsewhere
}

// CodeActions offers the answers to every open question, on any document of the
// workspace, when a person asks. It is always a command, never an edit, never
// preferred. It looks at nothing but memory: editors ask all the time.
func (m *Menu) CodeActions(p protocol.CodeActionParams) []protocol.CommandOrCodeAction {
	actions := []protocol.CommandOrCodeAction{}
	if !m.places.inWorkspace(string(p.TextDocument.URI)) {
		return actions
	}
	m.annotations.seen(string(p.TextDocument.URI), int(p.Range.Start.Line))
	var choices []choice
	for _, q := range m.askedFor(p.Context) {
		if wanted(QuickFix, p.Context.Only) && !invoked(p.Context) && len(p.Context.Only) > 0 {
			choices = append(choices, m.fix(q))
			continue
		}
		choices = append(choices, m.choices(q)...)
	}
	if invoked(p.Context) {
		choices = append(choices, m.runChoices(p)...)
	}
	for _, c := range choices {
		if wanted(c.kind, p.Context.Only) {
			actions = append(actions, m.asAction(c))
		}
	}
	return actions
}

// QuickFix is what an editor asks for that shows one of our diagnostics.
const QuickFix = "quickfix"

// fix is what is offered as the fix of a diagnostic: to look at the question. An answer
// never is, for editors run fixes by themselves, too, as when a file is saved.
func (m *Menu) fix(q *PendingApproval) choice {
	return choice{Line(q.reviewTitle(m.Locale, q.what(longTitle)), 0), QuickFix, CommandReview, map[string]any{"approvalId": q.ApprovalID}}
}

// askedFor are the questions that a request is about: all of them where a person
// asked, of another one those whose diagnostics it carries.
func (m *Menu) askedFor(c protocol.CodeActionContext) []*PendingApproval {
	open := m.approvals.Pending("")
	if invoked(c) {
		return open
	}
	named := map[string]bool{}
	for _, d := range c.Diagnostics {
		if !wanted(QuickFix, c.Only) {
			break // a filter on save, never a question
		}
		if source, _ := d.Source.Get(); source == "agent" {
			if id, ok := d.Code.(protocol.String); ok {
				named[string(id)] = true
			}
		}
	}
	return slices.DeleteFunc(open, func(q *PendingApproval) bool { return !named[q.ApprovalID] })
}

// choices are the answers to one question. What a person has not seen whole cannot
// be allowed from here. The no is between the yes for once and those that
// last: a slip from it by one line in a menu gives nothing away for good.
func (m *Menu) choices(q *PendingApproval) []choice {
	lang := m.Locale
	what := q.what(longTitle)
	yes := func(title, kind, decision, offer string) choice {
		args := map[string]any{"approvalId": q.ApprovalID, "decision": decision, "digest": q.Digest}
		if offer != "" {
			args["always"] = offer
		}
		return choice{Line(title, 0), kind, CommandApprove, args}
	}
	var once, always []choice
	if m.approvals.seenWhole(q, longTitle) {
		for _, y := range m.approvals.yeses(q, longTitle) {
			switch {
			case y.offer != nil:
				always = append(always, yes(alwaysTitle(lang, *y.offer, longTitle), "agent.approve.always", "always", y.offer.ID))
			case y.decision == "always":
				always = append(always, yes(q.labelled("always", locale.AlwaysAllowOf.In(lang, what)), "agent.approve.always", "always", ""))
			default:
				once = append(once, yes(locale.AllowOnceOf.In(lang, what), "agent.approve.once", "once", ""))
			}
		}
	}
	about := map[string]any{"approvalId": q.ApprovalID}
	reject := choice{Line(q.labelled("reject", locale.RejectOf.In(lang, what)), 0), "agent.reject", CommandReject, about}
	review := choice{Line(q.reviewTitle(lang, what), 0), "agent.review", CommandReview, about}
	return slices.Concat(once, []choice{reject}, always, []choice{review})
}

// runChoices offer the prompts that are in the file, a run on a selection, a stop while
// something runs, and to work on another machine. The prompts come first: some editors have always a
// character selected.
func (m *Menu) runChoices(p protocol.CodeActionParams) []choice {
	out := slices.Concat(m.questions.choices(), m.models.choices(), m.fileChoices(p), m.fixChoices(p))
	if p.Range.Start != p.Range.End {
		uri := string(p.TextDocument.URI)
		out = append(out, choice{Line(locale.RunSelection.In(m.Locale), 0), "agent.run", CommandRun, map[string]any{
			"prompt":  "Look at the selection and do what it needs; ask if that is not clear.",
			"context": map[string]any{"textDocument": map[string]any{"uri": uri}, "selection": p.Range},
		}})
	}
	for _, of := range m.sessions.Live() {
		if of.LiveRun() != "" {
			out = append(out, choice{Line(locale.StopRun.In(m.Locale), 0), "agent.cancel", CommandCancel, map[string]any{}})
			break
		}
	}
	return append(out, m.placeChoices()...)
}

// placeChoices are the machines that the current session could work on, where there are
// several. A client that knows us shows them in its own way.
func (m *Menu) placeChoices() (out []choice) {
	if m.Plugin {
		return nil
	}
	runners, now := m.elsewhere.Places()
	offer := func(title, runner string) {
		out = append(out, choice{Line(title, 0), "agent.run", CommandSetRunner, map[string]any{"runner": runner}})
	}
	for _, name := range runners {
		if name != now {
			offer(locale.WorkOn.In(m.Locale, name), name)
		}
	}
	if now != "" {
		offer(locale.WorkHere.In(m.Locale), session.Local)
	}
	return out
}

// invoked says that a person asked: not on save, not while typing.
func invoked(c protocol.CodeActionContext) bool {
	if c.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return false
	}
	return wanted("agent", c.Only) || slices.ContainsFunc(c.Only, func(k protocol.CodeActionKind) bool { return strings.HasPrefix(string(k), "agent.") })
}

// wanted says whether a kind is among those that the client asked for; nothing
// and "" ask for all.
func wanted(kind string, only []protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == "" || kind == string(k) || strings.HasPrefix(kind, string(k)+".") {
			return true
		}
	}
	return len(only) == 0
}

// asAction is a code action, or a plain command where the client knows no other.
func (m *Menu) asAction(c choice) protocol.CommandOrCodeAction {
	command := m.asCommand(c)
	if !m.Literals {
		return &command
	}
	kind := protocol.CodeActionKind(c.kind)
	return &protocol.CodeAction{Title: string(c.title), Kind: &kind, Command: command}
}

// asCommand is what a client runs when the person chooses.
func (m *Menu) asCommand(c choice) protocol.Command {
	args, err := wire.EncodeJSON(c.args)
	if err != nil {
		args = []byte("{}")
	}
	return protocol.Command{Title: string(c.title), Command: m.Command(c.command), Arguments: []protocol.LSPAny{protocol.LSPAny(args)}}
}

// items are the choices with their answers; nil is the review.
func (b *Approvals) items(q *PendingApproval) (titles []Shown, answers []*session.Answer) {
	lang := b.Locale
	add := func(title string, a *session.Answer) {
		titles, answers = append(titles, Message(title)), append(answers, a)
	}
	add(locale.Review.In(lang), nil)
	add(q.label("reject", locale.Reject.In(lang)), &session.Answer{Decision: "reject", Digest: q.Digest})
	if !b.seenWhole(q, shortTitle) {
		return titles, answers
	}
	for _, y := range b.yeses(q, shortTitle) {
		title, a := locale.AllowOnce.In(lang), &session.Answer{Decision: y.decision, Digest: q.Digest}
		switch {
		case y.offer != nil:
			title, a.OfferID = alwaysTitle(lang, *y.offer, shortTitle), y.offer.ID
		case y.decision == "always":
			title = q.label("always", locale.AlwaysAllowOf.In(lang, q.what(shortTitle)))
		}
		if !slices.Contains(titles, Message(title)) { // the client answers with a title, so two may not be the same
			add(title, a)
		}
	}
	return titles, answers
}

// alwaysTitle says what always would allow from now on, and where.
func alwaysTitle(lang string, o control.Offer, limit int) string {
	if o.Workspace != "" {
		return locale.AlwaysWorkspace.In(lang, control.Title(o.PlainNames(), limit))
	}
	return locale.AlwaysEverywhere.In(lang, control.Title(o.PlainNames(), limit))
}

// CodeLenses show the answers to the questions that are in a document, and that a prompt file can be run. A lens is
// a line of ours, so the first one is never a yes.
func (m *Menu) CodeLenses(p protocol.CodeLensParams) []protocol.CodeLens {
	lenses := []protocol.CodeLens{}
	uri := string(p.TextDocument.URI)
	if !m.CodeLens || !m.places.inWorkspace(uri) {
		return lenses
	}
	m.annotations.lensesFor(uri)
	lenses = append(lenses, m.promptLens(uri)...)
	m.annotations.mu.Lock()
	defer m.annotations.mu.Unlock()
	m.annotations.eachLocked(documentKey(uri), func(q *PendingApproval, at anchor) {
		place := protocol.Position{Line: uint32(max(at.start, 0))}
		for _, c := range m.lensChoices(q) {
			lenses = append(lenses, protocol.CodeLens{Range: protocol.Range{Start: place, End: place}, Command: m.asCommand(c)})
		}
	})
	return lenses
}

// lensChoices are the answers of a message request as lenses.
func (m *Menu) lensChoices(q *PendingApproval) []choice {
	var out []choice
	titles, answers := m.approvals.items(q)
	for i, a := range answers {
		c := choice{title: titles[i], command: CommandApprove, args: map[string]any{"approvalId": q.ApprovalID, "surface": ByLens}}
		switch {
		case a == nil:
			c.title, c.command = Message(q.reviewTitle(m.Locale, q.what(shortTitle))), CommandReview
			delete(c.args, "surface")
		case a.Decision == "reject":
			c.command = CommandReject
		default:
			c.args["decision"], c.args["digest"] = a.Decision, a.Digest
			if a.OfferID != "" {
				c.args["always"] = a.OfferID
			}
		}
		out = append(out, c)
	}
	return out
}

// ByLens is who answered where a code lens carried the command.
const ByLens = "code_lens"
