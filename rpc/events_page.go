package rpc

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type eventsParams struct {
	SessionID string   `json:"sessionId"`
	After     int64    `json:"after"`
	Before    int64    `json:"before"`
	Limit     int      `json:"limit"`
	MaxBytes  int      `json:"maxBytes"`
	Types     []string `json:"types"`
	AgentPath []string `json:"agentPath"`
	WaitMs    int64    `json:"waitMs"`
}

func (p *eventsParams) Check() error {
	if p.SessionID != "" && (p.WaitMs < 0 || p.WaitMs > 30_000) {
		return wire.InvalidParams("waitMs", "is not between 0 and 30000")
	}
	return cmp.Or(needs("sessionId", p.SessionID), counts("after", p.After), counts("before", p.Before), counts("limit", p.Limit), counts("maxBytes", p.MaxBytes))
}

// unheldWait is how long anybody waits at most for an event of a session that no
// process has open: anyone who follows it is to hear that it can be resumed, also where
// the other process ended between two requests.
const unheldWait = time.Second

// events pages through the log, also of a session that another process works on.
// With waitMs an empty page waits for the next event, or until another process has
// taken that session or let it go.
func (s *sessions) events(ctx context.Context, _ *wire.Call, p eventsParams) (history.Page, error) {
	q := history.PageQuery{After: p.After, Before: p.Before, Limit: p.Limit, MaxBytes: min(p.MaxBytes, 1<<20), Types: p.Types, Agent: p.AgentPath}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(s.leaving, end)() // shutdown waits neither for an event nor for a long log
	page, err := s.store.Events(ctx, p.SessionID, q)
	if err != nil || len(page.Events) > 0 || p.WaitMs == 0 {
		return page, err
	}
	holder, wait := page.LockedBy, time.Duration(p.WaitMs)*time.Millisecond
	if holder == nil && !s.store.IsOpen(p.SessionID) {
		wait = min(wait, unheldWait)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for len(page.Events) == 0 && page.LockedBy.Is(holder) && (p.Before == 0 || page.TailSeq+1 < p.Before) && s.store.Await(waiting, p.SessionID, p.AgentPath, page) {
		q.After = max(q.After, page.NextAfter) // what types leave out is not read again
		if page, err = s.store.Events(ctx, p.SessionID, q); err != nil {
			return page, err
		}
	}
	return page, nil
}
