package rpc

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type updateParams struct {
	SessionID    string               `json:"sessionId"`
	Title        *string              `json:"title"`
	Mode         *string              `json:"mode"`
	Confirm      bool                 `json:"confirm"`
	Agent        *string              `json:"agent"`
	Model        *string              `json:"model"`
	RuntimeMode  *string              `json:"runtimeMode"`
	Params       *session.ParamsPatch `json:"params"`
	SystemPrompt *string              `json:"systemPrompt"`
}

func (p *updateParams) Check() error { return need(p.SessionID) }

// UnmarshalJSON takes null as cleared: back to what a new session has.
func (p *updateParams) UnmarshalJSON(raw []byte) error {
	type plain updateParams
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	for _, m := range []struct {
		name    string
		to      **string
		cleared string
	}{
		{"title", &p.Title, ""}, {"mode", &p.Mode, "agent"}, {"agent", &p.Agent, "build"}, {"model", &p.Model, ""},
		{"runtimeMode", &p.RuntimeMode, "local"}, {"systemPrompt", &p.SystemPrompt, ""},
	} {
		if string(members[m.name]) == "null" {
			*m.to = &m.cleared
		}
	}
	if string(members["params"]) == "null" {
		p.Params = session.ClearParams()
	}
	return nil
}

type updateResult struct {
	Session history.Info      `json:"session"`
	Applied map[string]string `json:"applied"`
}

// sessionUpdate changes a session.
func (s *sessions) sessionUpdate(_ context.Context, c *wire.Call, p updateParams) (updateResult, error) {
	c.Reserve() // what the change causes comes behind its answer
	of, err := s.Store.Get(p.SessionID)
	if err != nil {
		return updateResult{}, err
	}
	applied, err := of.Update(session.Update{Title: p.Title, Mode: p.Mode, Confirm: p.Confirm, Agent: p.Agent, Model: p.Model, RuntimeMode: p.RuntimeMode, Params: p.Params, SystemPrompt: p.SystemPrompt})
	if err != nil {
		return updateResult{}, err
	}
	return updateResult{of.Info(), applied}, nil
}
