package rpc

import (
	"context"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type queueParams struct {
	SessionID string       `json:"sessionId"`
	Op        string       `json:"op"`
	ItemID    string       `json:"itemId"`
	Prompt    promptBlocks `json:"prompt"`
}

func (p *queueParams) Check() error {
	switch {
	case p.SessionID == "":
		return wire.Missing("sessionId")
	case p.Op == "":
		return wire.Missing("op")
	case p.Op == "list" || p.Op == "clear":
		return nil
	case p.Op != "remove" && p.Op != "update":
		return wire.InvalidParams("op", fmt.Sprintf("%q is none of list, remove, update, clear", p.Op))
	case p.ItemID == "":
		return wire.Missing("itemId")
	case p.Op == "update" && len(p.Prompt) == 0:
		return wire.Missing("prompt")
	}
	return p.Prompt.check()
}

type queueResult struct {
	Items []history.QueueItem `json:"items"`
}

// queue shows and changes what waits in a session.
func (s *sessions) queue(_ context.Context, c *wire.Call, p queueParams) (queueResult, error) {
	c.Reserve() // what the change causes comes behind its answer
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return queueResult{}, err
	}
	switch p.Op {
	case "remove":
		err = of.Unqueue(p.ItemID)
	case "update":
		err = of.Requeue(p.ItemID, p.Prompt)
	case "clear":
		err = of.ClearQueue()
	}
	return queueResult{of.Queue()}, err
}
