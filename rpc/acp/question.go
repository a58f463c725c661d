package acp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// questioned asks the person what the model, or an MCP server, wants to know: with a form where the client
// shows forms, else question by question with the answers to choose from.
func (s *session) questioned(e history.WireEvent) {
	var q history.QuestionAsked
	if json.Unmarshal(e.Data, &q) != nil {
		return
	}
	ctx, cancel := context.WithCancel(s.of.front.leaving)
	s.of.mu.Lock()
	s.of.questions[q.QuestionID] = cancel
	s.of.mu.Unlock()
	s.of.front.Background(func() {
		defer cancel()
		params := map[string]any{"questionId": q.QuestionID, "dismiss": true}
		if answers := s.answersOf(ctx, q); answers != nil {
			params = map[string]any{"questionId": q.QuestionID, "answers": answers}
		}
		if ctx.Err() == nil { // else it was answered elsewhere
			_ = s.of.in.Ask(ctx, "agent/answer", params, nil)
		}
	})
}

// questionOver takes the question back from the client.
func (s *session) questionOver(e history.WireEvent) {
	var q struct{ QuestionID string }
	if json.Unmarshal(e.Data, &q) != nil {
		return
	}
	s.of.mu.Lock()
	cancel := s.of.questions[q.QuestionID]
	delete(s.of.questions, q.QuestionID)
	s.of.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// answersOf are the person's answers; nil is none.
func (s *session) answersOf(ctx context.Context, q history.QuestionAsked) []history.QuestionAnswer {
	s.Settle()
	if can := s.of.front.can.Elicitation; can != nil && can.Form != nil {
		return s.form(ctx, q)
	}
	var answers []history.QuestionAnswer
	some := false
	for i, one := range q.Questions {
		a := s.choice(ctx, q, i, one)
		some = some || !a.Empty()
		answers = append(answers, a)
	}
	if !some {
		return nil
	}
	return answers
}

// choice asks one question as a permission whose options are the answers.
func (s *session) choice(ctx context.Context, q history.QuestionAsked, i int, one history.Question) history.QuestionAnswer {
	id := s.CallID(nil, q.CallID)
	if id == "" {
		id = q.QuestionID
	}
	request := v1.RequestPermissionRequest{SessionID: s.shown, ToolCall: v1.ToolCallUpdate{
		ToolCallID: id, Title: convert.Title(q, one), Kind: v1.ToolKindThink, Status: v1.ToolCallStatusPending,
		Content: []v1.ToolCallContent{convert.Text(one.Question)},
	}}
	for n, o := range one.Options {
		request.Options = append(request.Options, v1.PermissionOption{OptionID: fmt.Sprintf("%d.%d", i, n), Name: o.Label, Kind: v1.PermissionOptionKindAllowOnce})
	}
	request.Options = append(request.Options, v1.PermissionOption{OptionID: "none", Name: s.of.front.say(locale.SkipQuestion), Kind: v1.PermissionOptionKindRejectOnce})
	var got v1.RequestPermissionResponse
	asking, err := s.of.front.Ask(ctx, v1.MethodSessionRequestPermission, request)
	if err == nil {
		err = asking.Wait(&got)
	}
	none := history.QuestionAnswer{Choices: []string{}}
	if err != nil || got.Outcome.Selected == nil {
		return none
	}
	for n, o := range one.Options {
		if got.Outcome.Selected.OptionID == fmt.Sprintf("%d.%d", i, n) {
			return history.QuestionAnswer{Choices: []string{o.Label}}
		}
	}
	return none
}

// form asks all questions at once.
func (s *session) form(ctx context.Context, q history.QuestionAsked) []history.QuestionAnswer {
	schema := convert.Form(s.of.front.opt.Locale, q)
	request := v1.CreateElicitationRequest{Message: convert.Title(q, q.Questions[0]), Form: &v1.ElicitationFormMode{
		RequestedSchema: schema, Session: &v1.ElicitationSessionScope{SessionID: s.shown, ToolCallID: s.CallID(nil, q.CallID)},
	}}
	var got v1.CreateElicitationResponse
	asking, err := s.of.front.Ask(ctx, v1.MethodElicitationCreate, request)
	if err == nil {
		err = asking.Wait(&got)
	}
	if err != nil || got.Accept == nil {
		return nil
	}
	return convert.Answers(q, got.Accept.Content)
}
