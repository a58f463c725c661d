package rpc

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
)

type answerParams struct {
	QuestionID string                   `json:"questionId"`
	Answers    []history.QuestionAnswer `json:"answers"` // one a question, in their order
	Dismiss    bool                     `json:"dismiss"` // the questions are closed without an answer
}

func (p *answerParams) Check() error {
	switch {
	case p.QuestionID == "":
		return wire.Missing("questionId")
	case p.Dismiss && len(p.Answers) > 0:
		return wire.InvalidParams("dismiss", "goes without answers")
	case !p.Dismiss && len(p.Answers) == 0:
		return wire.InvalidParams("answers", "is missing; to give none, dismiss the questions")
	}
	return nil
}

type answerResult struct {
	Status string `json:"status"`
}

// answer takes what a person says to the questions of the model. Answers that do not fit
// leave them open.
func (s *approver) answer(ctx context.Context, c *wire.Call, p answerParams) (answerResult, error) {
	if !p.Dismiss {
		if err := s.surfaces.Questions.Check(p.QuestionID, p.Answers); err != nil {
			return answerResult{}, wire.InvalidParams("answers", err.Error())
		}
	}
	status, err := s.surfaces.Questions.Answer(ctx, c, p.QuestionID, questions.Reply{Answers: p.Answers, By: "client"})
	return answerResult{status}, err
}

// questionKey chains the answers to one question.
func questionKey(params json.RawMessage) string {
	return surface.AnswersTo(wire.MemberString(params, "questionId"))
}

// CanBrowse implements tool.Browser.
func (s *approver) CanBrowse() bool { return s.client.ShowDocument && s.CanQuestion() }

// Browse implements tool.Browser.
func (s *approver) Browse(ctx context.Context, address string) bool {
	opened := make(chan bool, 1)
	s.surfaces.Browse(address, func(ok bool) { opened <- ok })
	select {
	case ok := <-opened:
		return ok
	case <-ctx.Done():
		return false
	}
}

// CanQuestion implements questions.Person.
func (s *approver) CanQuestion() bool { return s.surfaces.Questions.CanQuestion() }

// Question implements questions.Person.
func (s *approver) Question(ctx context.Context, q history.QuestionAsked) <-chan questions.Reply {
	return s.surfaces.Questions.Listen(ctx, q)
}
