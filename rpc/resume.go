package rpc

import (
	"cmp"
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type sessionResumeParams struct {
	SessionID           string `json:"sessionId"`
	After               int64  `json:"after"`
	Replay              replay `json:"replay"`
	ContinuePendingWork bool   `json:"continuePendingWork"`
}

func (p *sessionResumeParams) Check() error {
	return cmp.Or(needs("sessionId", p.SessionID), counts("after", p.After), oneOf("replay", p.Replay, replays))
}

type sessionResumeResult struct {
	Session          history.Info            `json:"session"`
	TailSeq          int64                   `json:"tailSeq"`
	Interrupted      *history.Interrupted    `json:"interrupted,omitempty"`
	PendingApprovals []history.Approval      `json:"pendingApprovals"`
	PendingQuestions []history.QuestionAsked `json:"pendingQuestions,omitempty"`
	Queue            []history.QueueItem     `json:"queue"`
	RunID            string                  `json:"runId,omitempty"`
}

// sessionResume opens a session again. Replayed events come before the answer;
// continuePendingWork starts a run that goes on with what was interrupted.
func (s *runs) sessionResume(_ context.Context, c *wire.Call, p sessionResumeParams) (sessionResumeResult, error) {
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return sessionResumeResult{}, err
	}
	r := of.Resume()
	if p.Replay == replayEvents && s.client.wants("session.opened") {
		s.Replay(of.ID(), "", p.After, r.TailSeq)
	}
	for i, a := range r.Pending {
		r.Pending[i] = surface.Asked(s.client.Locale, a)
	}
	out := sessionResumeResult{r.Info, r.TailSeq, r.Interrupted, r.Pending, r.Asked, r.Queue, ""}
	s.setCurrent(of.ID())
	s.surfaces.Found(of)
	s.surfaces.TellShown(of)
	if p.ContinuePendingWork {
		c.Reserve()
		ack, err := of.Continue()
		if err != nil {
			return sessionResumeResult{}, err
		}
		if ack.Owed {
			s.drive(of)
		}
		out.RunID = ack.RunID
	}
	return out, nil
}

type sessionCompactParams struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus"`
}

func (p *sessionCompactParams) Check() error { return needs("sessionId", p.SessionID) }

type sessionCompactResult struct {
	RunID string `json:"runId"`
}

// sessionCompact summarises a session; its progress is that of a run of kind
// compaction. While something runs it waits for it.
func (s *runs) sessionCompact(_ context.Context, c *wire.Call, p sessionCompactParams) (sessionCompactResult, error) {
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return sessionCompactResult{}, err
	}
	s.surfaces.Found(of)
	c.Reserve()
	ack, err := of.Prompt(session.Prompt{Request: history.Request{Kind: compaction, Prompt: history.Text(p.Focus)}})
	if err != nil {
		return sessionCompactResult{}, err
	}
	if ack.Owed {
		s.drive(of)
	}
	return sessionCompactResult{ack.RunID}, nil
}
