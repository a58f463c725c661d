package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

type forkParams struct {
	SessionID string  `json:"sessionId"`
	AtSeq     *int64  `json:"atSeq"`
	Title     *string `json:"title"`
}

func (p *forkParams) Check() error {
	if p.AtSeq != nil && *p.AtSeq < 1 {
		return wire.InvalidParams("atSeq", "is not a seq: they begin with 1")
	}
	return need(p.SessionID)
}

// sessionFork makes a session that begins with what another one was. The answer
// precedes its session.opened; what was copied is paged.
func (s *sessions) sessionFork(_ context.Context, c *wire.Call, p forkParams) (sessionResult, error) {
	c.Reserve()
	at := int64(0)
	if p.AtSeq != nil {
		at = *p.AtSeq
	}
	of, err := s.Store.Fork(p.SessionID, at, p.Title)
	if err != nil {
		return sessionResult{}, err
	}
	return sessionResult{of.Info()}, nil
}
