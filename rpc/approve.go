package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type approveParams struct {
	ApprovalID  string          `json:"approvalId"`
	Decision    string          `json:"decision"`
	Pattern     *string         `json:"pattern"`
	Always      *string         `json:"always"`
	Digest      string          `json:"digest"`
	Feedback    string          `json:"feedback"`
	Interrupt   bool            `json:"interrupt"`
	Mode        tool.Mode       `json:"mode"` // of a plan, with once: ask or agent
	EditedInput json.RawMessage `json:"editedInput"`
}

func (p *approveParams) Check() error {
	return cmp.Or(needs("approvalId", p.ApprovalID, "decision", p.Decision), oneOf("mode", p.Mode, planModes))
}

// approve answers a question. What is not an explicit, offered word leaves it
// untouched.
func (s *approver) approve(ctx context.Context, c *wire.Call, p approveParams) (session.Outcome, error) {
	if q := s.surfaces.Pending.Get(p.ApprovalID); q != nil {
		answer, err := p.answerTo(q.Approval, "client")
		if err != nil {
			return session.Outcome{}, err
		}
		return s.surfaces.Pending.Answer(ctx, c, p.ApprovalID, answer)
	}
	if err := oneOf("decision", p.Decision, decisions); err != nil {
		return session.Outcome{}, err
	}
	return session.Outcome{Status: s.surfaces.Pending.Absent(p.ApprovalID)}, nil
}

// answerTo is what a client says to a question. A decision, a rule or arguments
// that the question does not offer are refused.
func (p approveParams) answerTo(a history.Approval, by string) (session.Answer, error) {
	answer := session.Answer{Decision: p.Decision, Digest: p.Digest, Feedback: p.Feedback, Interrupt: p.Interrupt, Mode: p.Mode, By: by}
	if string(p.EditedInput) != "null" {
		answer.EditedInput = p.EditedInput
	}
	switch edited := len(answer.EditedInput) > 0; {
	case !slices.Contains(a.Decisions, p.Decision):
		return answer, wire.InvalidParams("decision", fmt.Sprintf("%q is not offered; offered: %v", p.Decision, a.Decisions))
	case p.Mode != "" && (a.Domain != tool.DomainPlan || p.Decision != "once"):
		return answer, wire.InvalidParams("mode", "goes only with once, and for a plan")
	case edited && !a.Editable:
		return answer, wire.InvalidParams("editedInput", "this approval is not editable")
	case edited && p.Decision != "once":
		return answer, wire.InvalidParams("editedInput", "goes only with once")
	}
	for _, o := range a.Always {
		if p.Always != nil && o.ID == *p.Always || p.Always == nil && p.Pattern != nil && o.Pattern == *p.Pattern {
			answer.OfferID = o.ID
			return answer, nil
		}
	}
	if p.Always != nil {
		return answer, wire.InvalidParams("always", "is not offered by this approval")
	}
	if p.Pattern != nil {
		return answer, wire.InvalidParams("pattern", "is not offered by this approval")
	}
	return answer, nil
}

type approvalsResult struct {
	Items []history.Approval `json:"items"`
}

// approvals lists the open questions, oldest first.
func (s *approver) approvals(_ context.Context, _ *wire.Call, p sessionParams) (approvalsResult, error) {
	out := approvalsResult{[]history.Approval{}}
	if p.SessionID != "" {
		if _, err := s.store.Get(p.SessionID); err != nil {
			return out, err
		}
	}
	for _, q := range s.surfaces.Pending.Pending(p.SessionID) {
		out.Items = append(out.Items, q.Approval)
	}
	return out, nil
}

// approver asks the client's person for the sessions, and takes the answers.
type approver struct {
	*link
	surfaces *surface.Surfaces
	store    *store.Store // set by initialize
}

// CanAnswer implements session.Approver.
func (s *approver) CanAnswer() bool { return s.surfaces.Pending.CanAnswer() }

// CanEdit implements session.Approver: the client declared approvals.editInput.
func (s *approver) CanEdit() bool {
	c := s.client
	return c.Approvals && c.marker.Approvals.EditInput != nil
}

// Approve implements session.Approver: the question is on every surface until ctx ends.
func (s *approver) Approve(ctx context.Context, about history.Approval) <-chan session.Answer {
	q, open := s.surfaces.Pending.Listen(ctx, surface.Asked(s.client.Locale, about))
	if open {
		if s.client.wantsRequest() {
			s.askClient(q)
		}
		s.surfaces.Asker.Ask(q)
	}
	return q.Answers()
}

// askMethod asks a client that takes questions as requests.
const askMethod = "agent/client/approve"

type clientApproveParams struct {
	Approval history.Approval `json:"approval"`
}

// clientApproveResult is what agent/approve takes; which question it is about is known.
type clientApproveResult approveParams

// askClient sends agent/client/approve; null, an error or an unknown word leave
// the question open.
func (s *approver) askClient(q *surface.PendingApproval) {
	asked, err := s.AskInTurn(context.Background(), askMethod, clientApproveParams{q.Approval}, surface.AnswersTo(q.ApprovalID))
	if err != nil {
		return
	}
	s.surfaces.Pending.Sent(q, asked)
	s.Background(func() {
		var p *approveParams
		done, err := asked.WaitInTurn(&p)
		defer done()
		if err != nil || p == nil {
			return
		}
		if answer, err := p.answerTo(q.Approval, "client"); err == nil {
			_, _ = s.surfaces.Pending.Answer(q.Context(), nil, q.ApprovalID, answer) // a question that is gone needs no answer
		}
	})
}
