package acp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp/show"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// permission is a question that is, or waits to be, in front of the client.
type permission struct {
	w     *workspace
	id    json.RawMessage // of the server's request
	about convert.Approval
	asked // guarded by the workspace
}

// asked is how a question is in front of the client.
type asked struct {
	asking *wire.Asking // nil before it is
	at     *session
	call   string // the call that was shown for it alone; "": it is about another one
}

// retract takes the question back, and ends the call that was shown for it.
func (a asked) retract() {
	if a.asking == nil {
		return
	}
	a.asking.Retract()
	if a.call != "" {
		a.at.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: a.call, Status: v1.ToolCallStatusFailed}})
	}
}

// permit shows a question: in its session, or one of no session in that which was prompted last. Where
// there is none it waits for a prompt.
func (w *workspace) permit(p *permission) {
	w.mu.Lock()
	s := w.sessions[p.about.SessionID]
	if p.about.SessionID == "" {
		s = w.prompted
	}
	if s == nil && p.about.SessionID == "" {
		w.unasked = append(w.unasked, p)
	} else {
		w.asked[string(p.id)] = p
	}
	w.mu.Unlock()
	if s != nil {
		p.ask(s)
	}
}

// withdraw takes a question back that the server has withdrawn.
func (w *workspace) withdraw(id string) {
	w.mu.Lock()
	p := w.asked[id]
	delete(w.asked, id)
	w.unasked = slices.DeleteFunc(w.unasked, func(u *permission) bool { return string(u.id) == id })
	var open asked
	if p != nil {
		open = p.asked
	}
	w.mu.Unlock()
	open.retract()
}

// asks notes that the client is asked; false: the question was taken back meanwhile.
func (w *workspace) asks(p *permission, how asked) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.asked = how
	return w.asked[string(p.id)] == p
}

// answers takes a question whose answer has come; false: nobody waits for it.
func (w *workspace) answers(p *permission) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked[string(p.id)] != p {
		return false
	}
	delete(w.asked, string(p.id))
	return true
}

// promptBegins says where questions of no session are shown, and shows those that wait.
func (w *workspace) promptBegins(s *session) {
	w.mu.Lock()
	w.prompts++
	w.prompted = s
	waiting := w.unasked
	w.unasked = nil
	w.mu.Unlock()
	for _, p := range waiting {
		w.permit(&permission{w: w, id: p.id, about: p.about})
	}
}

// promptEnds takes the questions of no session back: they are asked again with the next prompt.
func (w *workspace) promptEnds() {
	w.mu.Lock()
	w.prompts--
	var open []asked
	if w.prompts == 0 {
		w.prompted = nil
		for _, id := range slices.Sorted(maps.Keys(w.asked)) {
			p := w.asked[id]
			if p.about.SessionID != "" {
				continue
			}
			open = append(open, p.asked)
			delete(w.asked, id)
			w.unasked = append(w.unasked, p)
		}
	}
	w.mu.Unlock()
	for _, one := range open {
		one.retract()
	}
}

// ask shows the question in a session, behind what was shown before, and gives the server the answer.
func (p *permission) ask(s *session) {
	var how asked
	var request v1.RequestPermissionRequest
	var answers map[string]map[string]any
	show := func() *v1.SessionUpdate {
		var own *v1.ToolCall
		if request, answers, own = p.request(s); own == nil {
			return nil
		}
		how.call = own.ToolCallID
		return &v1.SessionUpdate{ToolCall: own}
	}
	if p.about.Preview != nil && len(p.about.Preview.Documents) > 0 {
		s.Later(show) // the server is asked for the texts
	} else if own := show(); own != nil {
		s.Send(*own)
	}
	s.Then(func() {
		asking, err := s.of.front.Ask(p.w.front.leaving, v1.MethodSessionRequestPermission, request)
		if err != nil {
			return // the client is gone
		}
		how.asking, how.at = asking, s
		if !p.w.asks(p, how) { // it was taken back meanwhile
			asking.Retract()
			if how.call != "" {
				p.w.front.update(s.shown, v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: how.call, Status: v1.ToolCallStatusFailed}})
			}
		}
		p.w.front.Background(func() { p.wait(s, how, answers) })
	})
}

// wait gives the server the client's answer. Whatever is no answer that was offered is a no to this call: a question
// that nobody can come back to must not hang the run.
func (p *permission) wait(s *session, how asked, answers map[string]map[string]any) {
	var got v1.RequestPermissionResponse
	err := how.asking.Wait(&got)
	if !p.w.answers(p) {
		return // the server has withdrawn it, or it is asked again
	}
	decision := map[string]any{"decision": "reject", "feedback": "dismissed"}
	if err == nil && got.Outcome.Selected != nil {
		if chosen, offered := answers[got.Outcome.Selected.OptionID]; offered {
			decision = chosen
			s.allowed(p.about, chosen)
		}
	}
	if how.call != "" {
		status := v1.ToolCallStatusCompleted
		if decision["decision"] == "reject" {
			status = v1.ToolCallStatusFailed
		}
		s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: how.call, Status: status}})
	}
	decision["approvalId"], decision["digest"] = p.about.ApprovalID, p.about.Digest
	if p.about.SessionID == "" {
		delete(decision, "feedback")
	}
	p.w.in.Respond(p.id, decision)
}

// allowed says that a call begins, once a person has said so.
func (s *session) allowed(about convert.Approval, answer map[string]any) {
	if answer["decision"] == "reject" {
		return
	}
	if id := s.CallID(about.AgentPath, about.CallID); id != "" {
		s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: id, Status: v1.ToolCallStatusInProgress}})
	}
}

// request is what the client is asked, with what each option means. own is a call that is shown for it alone: of a
// question of no call, or of a sub-agent's.
func (p *permission) request(s *session) (request v1.RequestPermissionRequest, answers map[string]map[string]any, own *v1.ToolCall) {
	a := p.about
	title := a.Title
	if len(a.AgentPath) > 0 {
		title = strings.Join(a.AgentPath, "/") + ": " + title
	}
	id, kind := s.CallID(a.AgentPath, a.CallID), convert.Kind(a.Tool)
	if a.Domain == "plan" {
		kind = v1.ToolKindSwitchMode
	}
	content := p.content(s)
	if id == "" {
		id = "approval:" + a.ApprovalID
		own = &v1.ToolCall{ToolCallID: id, Title: title, Kind: kind, Status: v1.ToolCallStatusPending, RawInput: a.Input}
	}
	request = v1.RequestPermissionRequest{SessionID: s.shown, ToolCall: v1.ToolCallUpdate{
		ToolCallID: id, Title: title, Kind: kind, Status: v1.ToolCallStatusPending, RawInput: a.Input, Content: content,
		Locations: convert.Locations(s.of.roots[0], a.Tool, a.Input),
	}}
	request.Options, answers = convert.Options(s.of.front.opt.Locale, a)
	return request, answers, own
}

// content is what a person looks at before they say yes: the diff, or all of the text with what was decided
// about each part; then why it is asked. It is never empty.
func (p *permission) content(s *session) []v1.ToolCallContent {
	var out []v1.ToolCallContent
	a := p.about
	if a.Preview != nil {
		for _, d := range a.Preview.Documents {
			before, isBefore := s.of.document(p.w.front.leaving, d.Before)
			after, isAfter := s.of.document(p.w.front.leaving, d.After)
			if !isBefore || !isAfter || len(before) > show.MostDiff || len(after) > show.MostDiff {
				out = nil
				break
			}
			out = append(out, v1.ToolCallContent{Diff: &v1.Diff{Path: convert.Absolute(s.of.roots[0], d.Path), OldText: &before, NewText: after}})
		}
		if out == nil {
			out = append(out, convert.Text(a.Preview.Text))
		}
	}
	why := strings.TrimSpace(a.Reason)
	if a.Risk != "" {
		why += "\n" + locale.Risk(s.of.front.opt.Locale, a.Risk)
	}
	return append(out, convert.Text(why))
}

// confirmFullAccess asks the person for what nothing else may give.
func (s *session) confirmFullAccess(ctx context.Context) bool {
	const id = "full-access"
	call := v1.ToolCall{ToolCallID: id, Title: s.of.front.say(locale.ModeFull), Kind: v1.ToolKindOther, Status: v1.ToolCallStatusPending}
	s.Send(v1.SessionUpdate{ToolCall: &call})
	s.Settle()
	asking, err := s.of.front.Ask(ctx, v1.MethodSessionRequestPermission, v1.RequestPermissionRequest{
		SessionID: s.shown,
		ToolCall: v1.ToolCallUpdate{ToolCallID: id, Title: call.Title, Kind: call.Kind, Status: call.Status, Content: []v1.ToolCallContent{
			convert.Text(s.of.front.say(locale.ConfirmFull)),
		}},
		Options: []v1.PermissionOption{
			{OptionID: "reject", Name: s.of.front.say(locale.NotNow), Kind: v1.PermissionOptionKindRejectOnce},
			{OptionID: "once", Name: s.of.front.say(locale.AllowEverything), Kind: v1.PermissionOptionKindAllowOnce},
		},
	})
	var got v1.RequestPermissionResponse
	if err == nil {
		err = asking.Wait(&got)
	}
	yes := err == nil && got.Outcome.Selected != nil && got.Outcome.Selected.OptionID == "once"
	status := v1.ToolCallStatusFailed
	if yes {
		status = v1.ToolCallStatusCompleted
	}
	s.Send(v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: id, Status: status}})
	return yes
}
