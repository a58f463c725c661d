package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// approver asks the client's person for the sessions.
type approver struct{ s *Server }

// CanAnswer implements session.Approver.
func (a approver) CanAnswer() bool { return a.s.surfaces.Board.CanAnswer() }

// CanEdit implements session.Approver: the client declared approvals.editInput.
func (a approver) CanEdit() bool {
	c := a.s.client
	return c.Approvals && c.marker.Approvals.EditInput != nil
}

// Approve implements session.Approver: the question is on every surface until ctx ends.
func (a approver) Approve(ctx context.Context, about history.Approval) <-chan session.Answer {
	q, open := a.s.surfaces.Board.Listen(ctx, about)
	if open {
		if a.s.client.wantsRequest() {
			a.s.askClient(q)
		}
		a.s.surfaces.Asker.Ask(q)
	}
	return q.Answers()
}

// askMethod asks a client that takes questions as requests.
const askMethod = "agent/client/approve"

type askedParams struct {
	Approval history.Approval `json:"approval"`
}

// askedAnswer is what agent/approve takes; which question it is about is known.
type askedAnswer approveParams

// askClient sends agent/client/approve; null, an error or an unknown word leave
// the question open.
func (s *Server) askClient(q *surface.Question) {
	asked, err := s.conn.AskInTurn(context.Background(), askMethod, askedParams{q.Approval}, surface.AnswersTo(q.ApprovalID))
	if err != nil {
		return
	}
	s.surfaces.Board.Sent(q, asked)
	s.goWork(func() {
		var p *approveParams
		done, err := asked.WaitInTurn(&p)
		defer done()
		if err != nil || p == nil {
			return
		}
		if answer, err := p.answerTo(q.Approval, "client"); err == nil {
			_, _ = s.surfaces.Board.Answer(q.Context(), nil, q.ApprovalID, answer) // a question that is gone needs no answer
		}
	})
}
