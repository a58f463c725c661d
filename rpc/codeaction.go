package rpc

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// longTitle is how long a code action's title may be, in characters: long enough
// for nearly every command to stand in it whole (ruling 82).
const longTitle = 400

// codeAction offers the answers to every open question, on any open document of
// the workspace, when a person asks (protocol §4, rulings 19, 95). It is always
// a command, never an edit, never preferred.
func (s *Server) codeAction(_ context.Context, _ *call, p protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	actions := []protocol.CommandOrCodeAction{}
	if !invoked(p.Context) {
		return actions, nil
	}
	for _, q := range s.board.pending("") {
		for _, c := range s.choices(q) {
			actions = append(actions, s.asAction(c))
		}
	}
	if p.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic {
		for _, c := range s.runChoices(p) {
			actions = append(actions, s.asAction(c))
		}
	}
	return only(actions, p.Context.Only), nil
}

// choice is one code action before it has the form that the client understands.
type choice struct {
	title   string
	kind    string
	command string
	args    map[string]any
}

// choices are the answers to one question. What a person has not seen whole
// cannot be allowed from here.
func (s *Server) choices(q *openQuestion) []choice {
	locale := s.client.locale
	what := control.Title(q.Title, longTitle)
	if c := commandOf(q.Approval); c != "" {
		what = control.Title(c, longTitle)
	}
	answer := func(decision, offer string) map[string]any {
		args := map[string]any{"approvalId": q.ApprovalID, "decision": decision, "digest": q.Digest}
		if offer != "" {
			args["always"] = offer
		}
		return args
	}
	var out []choice
	whole := s.board.shown(q) || q.Preview == nil || q.Preview.Kind != "diff" && len([]rune(commandOf(q.Approval))) < longTitle
	if whole {
		if slices.Contains(q.Decisions, "once") {
			out = append(out, choice{text.AllowOnceOf.In(locale, what), "agent.approve.once", "approve", answer("once", "")})
		}
		if q.plainAlways() {
			out = append(out, choice{text.AlwaysAllowOf.In(locale, what), "agent.approve.always", "approve", answer("always", "")})
		}
		for _, o := range q.Always {
			title := text.AlwaysAllowOf.In(locale, "`"+control.Title(o.Pattern, longTitle)+"`")
			if o.Workspace != "" {
				title = text.AlwaysWorkspace.In(locale, "`"+control.Title(o.Pattern, longTitle)+"`")
			}
			out = append(out, choice{title, "agent.approve.always", "approve", answer("always", o.ID)})
		}
	}
	out = append(out, choice{text.RejectOf.In(locale, what), "agent.reject", "reject", map[string]any{"approvalId": q.ApprovalID}})
	if q.Preview != nil {
		out = append(out, choice{text.ReviewOf.In(locale, what), "agent.review", "reviewDiff", map[string]any{"approvalId": q.ApprovalID}})
	}
	return out
}

// runChoices offer a run on a selection, and a stop while something runs.
func (s *Server) runChoices(p protocol.CodeActionParams) []choice {
	var out []choice
	if p.Range.Start != p.Range.End {
		uri := string(p.TextDocument.URI)
		out = append(out, choice{text.RunSelection.In(s.client.locale), "agent.run", "run", map[string]any{
			"prompt":  "Look at the selection and do what it needs; ask if that is not clear.",
			"context": map[string]any{"textDocument": map[string]any{"uri": uri}, "selection": p.Range},
		}})
	}
	for _, of := range s.back.Sessions.Open() {
		if of.LiveRun() != "" {
			out = append(out, choice{text.StopRun.In(s.client.locale), "agent.cancel", "cancel", map[string]any{}})
			break
		}
	}
	return out
}

// invoked says that a person asked: not on save, not while typing; an automatic
// request only where it carries a diagnostic of ours (ruling 95).
func invoked(c protocol.CodeActionContext) bool {
	if c.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		for _, d := range c.Diagnostics {
			if source, _ := d.Source.Get(); source == "agent" {
				return true
			}
		}
		return false
	}
	if len(c.Only) == 0 {
		return true
	}
	for _, k := range c.Only {
		if k == "" || k == "agent" || strings.HasPrefix(string(k), "agent.") {
			return true
		}
	}
	return false
}

// only keeps what the client asked for.
func only(actions []protocol.CommandOrCodeAction, kinds []protocol.CodeActionKind) []protocol.CommandOrCodeAction {
	wanted := func(kind string) bool {
		for _, k := range kinds {
			if k == "" || kind == string(k) || strings.HasPrefix(kind, string(k)+".") {
				return true
			}
		}
		return len(kinds) == 0
	}
	out := []protocol.CommandOrCodeAction{}
	for _, a := range actions {
		if c, ok := a.(*protocol.CodeAction); !ok || wanted(string(*c.Kind)) {
			out = append(out, a)
		}
	}
	return out
}

// asAction is a code action, or a plain command where the client knows no other.
func (s *Server) asAction(c choice) protocol.CommandOrCodeAction {
	args, err := encodeJSON(c.args)
	if err != nil {
		args = []byte("{}")
	}
	command := protocol.Command{Title: c.title, Command: s.command(c.command), Arguments: []protocol.LSPAny{protocol.LSPAny(args)}}
	if !s.client.literals {
		return &command
	}
	kind := protocol.CodeActionKind(c.kind)
	return &protocol.CodeAction{Title: c.title, Kind: &kind, Command: command}
}

// resolveCodeAction gives an action back as it is: ours are complete.
func (s *Server) resolveCodeAction(_ context.Context, _ *call, a protocol.CodeAction) (*protocol.CodeAction, error) {
	return &a, nil
}
