package rpc

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// codeAction offers the answers to every open question, on any document of the
// workspace, when a person asks. It is always a command, never an edit, never
// preferred. It looks at nothing but memory: editors ask all the time.
func (s *Server) codeAction(_ context.Context, _ *wire.Call, p protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	actions := []protocol.CommandOrCodeAction{}
	if !s.inWorkspace(string(p.TextDocument.URI)) {
		return actions, nil
	}
	s.marks.seen(string(p.TextDocument.URI), int(p.Range.Start.Line))
	var choices []choice
	for _, q := range s.askedFor(p.Context) {
		if wanted(quickFix, p.Context.Only) && !invoked(p.Context) && len(p.Context.Only) > 0 {
			choices = append(choices, s.fix(q))
			continue
		}
		choices = append(choices, s.choices(q)...)
	}
	if invoked(p.Context) {
		choices = append(choices, s.runChoices(p)...)
	}
	for _, c := range choices {
		if wanted(c.kind, p.Context.Only) {
			actions = append(actions, s.asAction(c))
		}
	}
	return actions, nil
}

// quickFix is what an editor asks for that shows one of our diagnostics.
const quickFix = "quickfix"

// fix is what is offered as the fix of a diagnostic: to look at the question. An answer
// never is, for editors run fixes by themselves, too, as when a file is saved.
func (s *Server) fix(q *openQuestion) choice {
	return choice{line(s.reviewTitle(q, q.what(longTitle)), 0), quickFix, "reviewDiff", map[string]any{"approvalId": q.ApprovalID}}
}

// askedFor are the questions that a request is about: all of them where a person
// asked, of another one those whose diagnostics it carries.
func (s *Server) askedFor(c protocol.CodeActionContext) []*openQuestion {
	open := s.board.pending("")
	if invoked(c) {
		return open
	}
	named := map[string]bool{}
	for _, d := range c.Diagnostics {
		if !wanted(quickFix, c.Only) {
			break // a filter on save, never a question
		}
		if source, _ := d.Source.Get(); source == "agent" {
			if id, ok := d.Code.(protocol.String); ok {
				named[string(id)] = true
			}
		}
	}
	return slices.DeleteFunc(open, func(q *openQuestion) bool { return !named[q.ApprovalID] })
}

// choice is one code action before it has the form that the client understands.
type choice struct {
	title   shown
	kind    string
	command string
	args    map[string]any
}

// choices are the answers to one question. What a person has not seen whole cannot
// be allowed from here. The no stands between the yes for once and those that
// last: a slip from it by one line in a menu gives nothing away for good.
func (s *Server) choices(q *openQuestion) []choice {
	locale := s.client.locale
	what := q.what(longTitle)
	answer := func(decision, offer string) map[string]any {
		args := map[string]any{"approvalId": q.ApprovalID, "decision": decision, "digest": q.Digest}
		if offer != "" {
			args["always"] = offer
		}
		return args
	}
	var once, always []choice
	if s.board.reviewedHere(q) || q.whole(longTitle) {
		for _, y := range s.yeses(q, longTitle) {
			switch {
			case y.offer != nil && y.offer.Workspace != "":
				always = append(always, choice{line(text.AlwaysWorkspace.In(locale, control.Title(y.offer.PlainNames(), longTitle)), 0), "agent.approve.always", "approve", answer("always", y.offer.ID)})
			case y.offer != nil:
				always = append(always, choice{line(text.AlwaysEverywhere.In(locale, control.Title(y.offer.PlainNames(), longTitle)), 0), "agent.approve.always", "approve", answer("always", y.offer.ID)})
			case y.decision == "always":
				always = append(always, choice{line(q.labelled("always", text.AlwaysAllowOf.In(locale, what)), 0), "agent.approve.always", "approve", answer("always", "")})
			default:
				once = append(once, choice{line(text.AllowOnceOf.In(locale, what), 0), "agent.approve.once", "approve", answer("once", "")})
			}
		}
	}
	reject := choice{line(q.labelled("reject", text.RejectOf.In(locale, what)), 0), "agent.reject", "reject", map[string]any{"approvalId": q.ApprovalID}}
	review := choice{line(s.reviewTitle(q, what), 0), "agent.review", "reviewDiff", map[string]any{"approvalId": q.ApprovalID}}
	return slices.Concat(once, []choice{reject}, always, []choice{review})
}

// reviewTitle names what opens the review of a question.
func (s *Server) reviewTitle(q *openQuestion, what string) string {
	if q.Labels != nil { // a question of domain config has no diff
		return text.ReviewOfText.In(s.client.locale, what)
	}
	return text.ReviewOf.In(s.client.locale, what)
}

// runChoices offer the prompts that stand in the file, a run on a selection, and a
// stop while something runs. The prompts come first: some editors have always a
// character selected.
func (s *Server) runChoices(p protocol.CodeActionParams) []choice {
	out := slices.Concat(s.modelChoice.choices(), s.fileChoices(p))
	if p.Range.Start != p.Range.End {
		uri := string(p.TextDocument.URI)
		out = append(out, choice{line(text.RunSelection.In(s.client.locale), 0), "agent.run", "run", map[string]any{
			"prompt":  "Look at the selection and do what it needs; ask if that is not clear.",
			"context": map[string]any{"textDocument": map[string]any{"uri": uri}, "selection": p.Range},
		}})
	}
	for _, of := range s.back.Sessions.Live() {
		if of.LiveRun() != "" {
			out = append(out, choice{line(text.StopRun.In(s.client.locale), 0), "agent.cancel", "cancel", map[string]any{}})
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

// inWorkspace says whether a document is a file in one of the client's folders,
// or what we show: the transcript of a session, and reviews.
func (s *Server) inWorkspace(uri string) bool {
	path, ok := fileuri.Path(uri)
	return ok && (s.inFolders(path) || s.reviewedIn(path) != nil || slices.ContainsFunc(s.back.Sessions.Live(), func(of *session.Session) bool { return inside(of.Dir(), path) }))
}

// inFolders says whether a path lies in one of the client's folders. Without a
// folder every path does.
func (s *Server) inFolders(path string) bool {
	s.mu.Lock()
	folders := slices.Clone(s.folders)
	s.mu.Unlock()
	for _, f := range folders {
		if root, ok := fileuri.Path(f.URI); ok && inside(root, path) {
			return true
		}
	}
	return len(folders) == 0
}

// inside says whether path is dir or lies in it, by their names.
func inside(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// asAction is a code action, or a plain command where the client knows no other.
func (s *Server) asAction(c choice) protocol.CommandOrCodeAction {
	command := s.asCommand(c)
	if !s.client.literals {
		return &command
	}
	kind := protocol.CodeActionKind(c.kind)
	return &protocol.CodeAction{Title: string(c.title), Kind: &kind, Command: command}
}

// asCommand is what a client runs when the person chooses.
func (s *Server) asCommand(c choice) protocol.Command {
	args, err := wire.EncodeJSON(c.args)
	if err != nil {
		args = []byte("{}")
	}
	return protocol.Command{Title: string(c.title), Command: s.command(c.command), Arguments: []protocol.LSPAny{protocol.LSPAny(args)}}
}

// resolveCodeAction gives an action back as it is: ours are complete.
func (s *Server) resolveCodeAction(_ context.Context, _ *wire.Call, a protocol.CodeAction) (*protocol.CodeAction, error) {
	return &a, nil
}
