package surface

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// CodeActions offers the answers to every open question, on any document of the
// workspace, when a person asks. It is always a command, never an edit, never
// preferred. It looks at nothing but memory: editors ask all the time.
func (m *Menu) CodeActions(p protocol.CodeActionParams) []protocol.CommandOrCodeAction {
	actions := []protocol.CommandOrCodeAction{}
	if !m.places.inWorkspace(string(p.TextDocument.URI)) {
		return actions
	}
	m.marks.seen(string(p.TextDocument.URI), int(p.Range.Start.Line))
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
func (m *Menu) fix(q *Question) choice {
	return choice{Line(q.reviewTitle(m.Locale, q.what(longTitle)), 0), QuickFix, "reviewDiff", map[string]any{"approvalId": q.ApprovalID}}
}

// askedFor are the questions that a request is about: all of them where a person
// asked, of another one those whose diagnostics it carries.
func (m *Menu) askedFor(c protocol.CodeActionContext) []*Question {
	open := m.board.Pending("")
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
	return slices.DeleteFunc(open, func(q *Question) bool { return !named[q.ApprovalID] })
}

// Menu is what a person can choose from: code actions and code lenses.
type Menu struct {
	*Screen
	board  *Board
	marks  *marks
	places *places
	models *modelChoice
}

// choices are the answers to one question. What a person has not seen whole cannot
// be allowed from here. The no stands between the yes for once and those that
// last: a slip from it by one line in a menu gives nothing away for good.
func (m *Menu) choices(q *Question) []choice {
	locale := m.Locale
	what := q.what(longTitle)
	answer := func(decision, offer string) map[string]any {
		args := map[string]any{"approvalId": q.ApprovalID, "decision": decision, "digest": q.Digest}
		if offer != "" {
			args["always"] = offer
		}
		return args
	}
	var once, always []choice
	if m.board.reviewedHere(q) || q.whole(longTitle) {
		for _, y := range m.board.yeses(q, longTitle) {
			switch {
			case y.offer != nil && y.offer.Workspace != "":
				always = append(always, choice{Line(text.AlwaysWorkspace.In(locale, control.Title(y.offer.PlainNames(), longTitle)), 0), "agent.approve.always", "approve", answer("always", y.offer.ID)})
			case y.offer != nil:
				always = append(always, choice{Line(text.AlwaysEverywhere.In(locale, control.Title(y.offer.PlainNames(), longTitle)), 0), "agent.approve.always", "approve", answer("always", y.offer.ID)})
			case y.decision == "always":
				always = append(always, choice{Line(q.labelled("always", text.AlwaysAllowOf.In(locale, what)), 0), "agent.approve.always", "approve", answer("always", "")})
			default:
				once = append(once, choice{Line(text.AllowOnceOf.In(locale, what), 0), "agent.approve.once", "approve", answer("once", "")})
			}
		}
	}
	reject := choice{Line(q.labelled("reject", text.RejectOf.In(locale, what)), 0), "agent.reject", "reject", map[string]any{"approvalId": q.ApprovalID}}
	review := choice{Line(q.reviewTitle(m.Locale, what), 0), "agent.review", "reviewDiff", map[string]any{"approvalId": q.ApprovalID}}
	return slices.Concat(once, []choice{reject}, always, []choice{review})
}

// runChoices offer the prompts that stand in the file, a run on a selection, and a
// stop while something runs. The prompts come first: some editors have always a
// character selected.
func (m *Menu) runChoices(p protocol.CodeActionParams) []choice {
	out := slices.Concat(m.models.choices(), m.fileChoices(p))
	if p.Range.Start != p.Range.End {
		uri := string(p.TextDocument.URI)
		out = append(out, choice{Line(text.RunSelection.In(m.Locale), 0), "agent.run", "run", map[string]any{
			"prompt":  "Look at the selection and do what it needs; ask if that is not clear.",
			"context": map[string]any{"textDocument": map[string]any{"uri": uri}, "selection": p.Range},
		}})
	}
	for _, of := range m.sessions.Live() {
		if of.LiveRun() != "" {
			out = append(out, choice{Line(text.StopRun.In(m.Locale), 0), "agent.cancel", "cancel", map[string]any{}})
			break
		}
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
