package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// sessions answers what is asked about sessions and needs nothing else.
type sessions struct {
	*store.Store
	leaving context.Context // ends when the client is about to leave
}

type sessionNewParams struct {
	SessionKey string `json:"sessionKey"`
	Title      string `json:"title"`
	Agent      string `json:"agent"`
	Mode       string `json:"mode"`
	Model      string `json:"model"`
	Ephemeral  bool   `json:"ephemeral"`
	Reset      bool   `json:"reset"`
}

type sessionResult struct {
	Session history.Info `json:"session"`
}

func (p *sessionNewParams) Check() error {
	if p.Reset && p.SessionKey == "" {
		return wire.Missing("sessionKey") // it says what is reset
	}
	return nil
}

// sessionNew makes a session, or finds the one with the key.
func (s *sessions) sessionNew(_ context.Context, c *wire.Call, p sessionNewParams) (sessionResult, error) {
	c.Reserve() // the answer precedes session.opened
	of, _, err := s.Store.New(session.NewSession{Key: p.SessionKey, Title: p.Title, Agent: p.Agent, Mode: p.Mode, Model: p.Model, Ephemeral: p.Ephemeral, Reset: p.Reset})
	if err != nil {
		return sessionResult{}, err
	}
	return sessionResult{of.Info()}, nil
}
