package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
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

// approve answers a question (protocol §3 agent/approve). What is not an
// explicit, offered word leaves it untouched.
func (s *Server) approve(ctx context.Context, c *wire.Call, p approveParams) (session.Outcome, error) {
	answer := session.Answer{Decision: p.Decision, Digest: p.Digest, Feedback: p.Feedback, Interrupt: p.Interrupt, By: "client"}
	if q := s.board.get(p.ApprovalID); q != nil {
		if err := offered(q.Approval, p, &answer); err != nil {
			return session.Outcome{}, err
		}
	} else if !slices.Contains([]string{"once", "session", "always", "reject"}, p.Decision) {
		return session.Outcome{}, wire.InvalidParams("decision", fmt.Sprintf("%q is none of once, session, always, reject", p.Decision))
	}
	return s.board.answer(ctx, c, p.ApprovalID, answer)
}

// offered refuses a decision or a rule that the question does not offer
// (ruling 15).
func offered(a session.Approval, p approveParams, answer *session.Answer) error {
	switch {
	case !slices.Contains(a.Decisions, p.Decision):
		return wire.InvalidParams("decision", fmt.Sprintf("%q is not offered; offered: %v", p.Decision, a.Decisions))
	case len(p.EditedInput) > 0 && !a.Editable:
		return wire.InvalidParams("editedInput", "this approval is not editable")
	}
	for _, o := range a.Always {
		if p.Always != nil && o.ID == *p.Always || p.Always == nil && p.Pattern != nil && o.Pattern == *p.Pattern {
			answer.OfferID = o.ID
			return nil
		}
	}
	switch {
	case p.Always != nil:
		return wire.InvalidParams("always", "is not offered by this approval")
	case p.Pattern != nil:
		return wire.InvalidParams("pattern", "is not offered by this approval")
	}
	return nil
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

type approvalsResult struct {
	Items []session.Approval `json:"items"`
}

// approvals lists the open questions, oldest first.
func (s *Server) approvals(_ context.Context, _ *wire.Call, p sessionParams) (approvalsResult, error) {
	out := approvalsResult{[]session.Approval{}}
	if p.SessionID != "" {
		if _, err := s.back.Sessions.Get(p.SessionID); err != nil {
			return out, err
		}
	}
	for _, q := range s.board.pending(p.SessionID) {
		out.Items = append(out.Items, q.Approval)
	}
	return out, nil
}

// commandOf is the shell text of an approval, "" for others.
func commandOf(a session.Approval) string {
	var in struct {
		Command string `json:"command"`
	}
	if a.Tool != "bash" || json.Unmarshal(a.Input, &in) != nil {
		return ""
	}
	return in.Command
}
