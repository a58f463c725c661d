package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type approveParams struct {
	ApprovalID  string          `json:"approvalId"`
	Decision    string          `json:"decision"`
	Pattern     *string         `json:"pattern"`
	Always      *string         `json:"always"`
	Digest      string          `json:"digest"`
	Feedback    string          `json:"feedback"`
	Interrupt   bool            `json:"interrupt"`
	EditedInput json.RawMessage `json:"editedInput"`
}

func (p *approveParams) Check() error {
	if p.ApprovalID == "" {
		return wire.Missing("approvalId")
	}
	if p.Decision == "" {
		return wire.Missing("decision")
	}
	return nil
}

// approve answers a question. What is not an explicit, offered word leaves it
// untouched.
func (s *Server) approve(ctx context.Context, c *wire.Call, p approveParams) (session.Outcome, error) {
	if q := s.surfaces.Board.Get(p.ApprovalID); q != nil {
		answer, err := p.answerTo(q.Approval, "client")
		if err != nil {
			return session.Outcome{}, err
		}
		return s.surfaces.Board.Answer(ctx, c, p.ApprovalID, answer)
	}
	if !slices.Contains([]string{"once", "session", "always", "reject"}, p.Decision) {
		return session.Outcome{}, wire.InvalidParams("decision", fmt.Sprintf("%q is none of once, session, always, reject", p.Decision))
	}
	return session.Outcome{Status: s.surfaces.Board.Absent(p.ApprovalID)}, nil
}

// answerTo is what a client says to a question. A decision, a rule or arguments
// that the question does not offer are refused.
func (p approveParams) answerTo(a history.Approval, by string) (session.Answer, error) {
	answer := session.Answer{Decision: p.Decision, Digest: p.Digest, Feedback: p.Feedback, Interrupt: p.Interrupt, By: by}
	if string(p.EditedInput) != "null" {
		answer.EditedInput = p.EditedInput
	}
	switch edited := len(answer.EditedInput) > 0; {
	case !slices.Contains(a.Decisions, p.Decision):
		return answer, wire.InvalidParams("decision", fmt.Sprintf("%q is not offered; offered: %v", p.Decision, a.Decisions))
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
	switch {
	case p.Always != nil:
		return answer, wire.InvalidParams("always", "is not offered by this approval")
	case p.Pattern != nil:
		return answer, wire.InvalidParams("pattern", "is not offered by this approval")
	}
	return answer, nil
}

type approvalsResult struct {
	Items []history.Approval `json:"items"`
}

// approvals lists the open questions, oldest first.
func (s *Server) approvals(_ context.Context, _ *wire.Call, p sessionParams) (approvalsResult, error) {
	out := approvalsResult{[]history.Approval{}}
	if p.SessionID != "" {
		if _, err := s.back.Sessions.Get(p.SessionID); err != nil {
			return out, err
		}
	}
	for _, q := range s.surfaces.Board.Pending(p.SessionID) {
		out.Items = append(out.Items, q.Approval)
	}
	return out, nil
}
