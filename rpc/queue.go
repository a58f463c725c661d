package rpc

import (
	"cmp"
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type queueParams struct {
	SessionID string       `json:"sessionId"`
	Op        queueOp      `json:"op"`
	ItemID    string       `json:"itemId"`
	Prompt    promptBlocks `json:"prompt"`
}

func (p *queueParams) Check() error {
	err := cmp.Or(needs("sessionId", p.SessionID, "op", string(p.Op)), oneOf("op", p.Op, queueOps))
	if err != nil || p.Op == queueList || p.Op == queueClear {
		return err
	}
	if p.ItemID != "" && p.Op == queueUpdate && len(p.Prompt) == 0 {
		return wire.Missing("prompt")
	}
	return cmp.Or(needs("itemId", p.ItemID), p.Prompt.check())
}

type queueResult struct {
	Items []history.QueueItem `json:"items"`
}

// queue shows and changes what waits in a session. Other words are taken in as those of
// agent/run are.
func (s *runs) queue(ctx context.Context, c *wire.Call, p queueParams) (queueResult, error) {
	prompt, expanded, err := s.taken(ctx, &runParams{Prompt: p.Prompt})
	if err != nil {
		return queueResult{}, err
	}
	c.Reserve() // what the change causes comes behind its answer
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return queueResult{}, err
	}
	switch p.Op {
	case queueRemove:
		err = of.Unqueue(p.ItemID)
	case queueUpdate:
		if err = of.Requeue(p.ItemID, prompt); err == nil {
			err = switchTo(of, expanded)
		}
	case queueClear:
		err = of.ClearQueue()
	}
	return queueResult{of.Queue()}, err
}
