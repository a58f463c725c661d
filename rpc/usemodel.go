package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

const (
	mostChoices = 6               // models in a menu or a question
	choicesWait = 3 * time.Second // for the lists of providers, while a person waits for a word
)

// Choices are the first models of each provider that answers soon, a provider's turn
// after the other.
func (s *Server) Choices(ctx context.Context) (names []string) {
	ctx, end := context.WithTimeout(ctx, choicesWait)
	defer end()
	lists, _ := s.back.Lists.Lists(ctx, "")
	lists = slices.DeleteFunc(lists, func(l model.ModelList) bool { return len(l.Models) == 0 })
	for i := 0; len(names) < mostChoices; i++ {
		before := len(names)
		for _, l := range lists {
			if i < len(l.Models) && len(names) < mostChoices {
				names = append(names, l.Provider+"/"+l.Models[i].Name)
			}
		}
		if len(names) == before {
			return names
		}
	}
	return names
}

// useModel stores a model as that of every session that names none, and runs the last prompt
// of a session again if it did not end well.
func (s *Server) useModel(name, id string) (history.Ack, *session.Session, error) {
	s.surfaces.ForgetModels()
	value, err := json.Marshal(name)
	if err != nil {
		return history.Ack{}, nil, err
	}
	if err := s.back.Config.Set("model", value); err != nil {
		return history.Ack{}, nil, err
	}
	s.auditConfig("config", "set model", "client")
	if id == "" {
		return history.Ack{}, nil, nil
	}
	of, err := s.back.Sessions.Get(id)
	if err != nil {
		return history.Ack{}, nil, err
	}
	ack, err := of.Retry(session.Prompt{Kind: "continuation", Model: name})
	if _, nothing := errors.AsType[*session.InvalidError](err); nothing {
		return history.Ack{}, nil, nil
	}
	return ack, of, err
}

// Use implements the choice of a model.
func (s *Server) Use(name, id string) error {
	ack, of, err := s.useModel(name, id)
	if err == nil && ack.Owed {
		s.drive(of)
	}
	return err
}

type useModelParams struct {
	Model     string `json:"model"`
	SessionID string `json:"sessionId"`
}

func (p *useModelParams) Check() error {
	if p.Model == "" {
		return wire.Missing("model")
	}
	return nil
}

// commandUseModel stores a model and runs the prompt again that found none.
func (s *Server) commandUseModel(_ context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p useModelParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	if p.SessionID == "" {
		p.SessionID = s.currentID()
	}
	c.Reserve() // the answer names the run, so it goes out before any event does
	ack, of, err := s.useModel(p.Model, p.SessionID)
	if refused, is := errors.AsType[*config.RefusedError](err); is {
		return nil, wire.InvalidParams("model", refused.Reason)
	}
	if err != nil {
		return nil, err
	}
	if ack.Owed {
		s.drive(of)
	}
	c.Release()
	return struct {
		Model string `json:"model"`
		RunID string `json:"runId,omitempty"`
	}{p.Model, ack.RunID}, nil
}
