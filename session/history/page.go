package history

import (
	"context"
	"slices"
)

// PageQuery asks for a stretch of the log; the bounds are exclusive.
type PageQuery struct {
	After    int64
	Before   int64 // 0: no bound
	Limit    int   // events; 0: 500
	MaxBytes int   // 0: 256 KiB
	Types    []string
	Agent    []string // a sub-agent's path; nil: the root's own events
}

// Page is a stretch of the log, in order.
type Page struct {
	Events    []WireEvent `json:"events"`
	NextAfter int64       `json:"nextAfter"` // passes filtered types
	HasMore   bool        `json:"hasMore"`
	TailSeq   int64       `json:"tailSeq"`
	LockedBy  *Holder     `json:"lockedBy,omitempty"` // the other process that may be writing it
}

// Page reads a stretch from the file; tail is the last seq that counts, sent says
// which calls sub-agents were sent by. At least one event is returned where there
// is one, whatever its size. What types leave out may be gigabytes: it ends with ctx.
func (l *Log) Page(ctx context.Context, q PageQuery, o Origin, tail int64, sent Sent) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 500
	}
	if q.MaxBytes <= 0 {
		q.MaxBytes = 256 << 10
	}
	page := Page{Events: []WireEvent{}, NextAfter: q.After, TailSeq: tail}
	if q.After >= tail { // however large: what follows it is counted
		return page, nil
	}
	bytes := 0
	err := l.Each(q.After+1, func(e Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Seq > tail || q.Before > 0 && e.Seq >= q.Before {
			return ErrStop
		}
		if len(q.Types) > 0 && !slices.Contains(q.Types, e.Type()) {
			page.NextAfter = e.Seq
			return nil
		}
		if len(o.AgentPath) > 0 {
			o.ParentCall = sent.Call(o.AgentPath[0], e.After)
		}
		w, err := e.Wire(o)
		if err != nil {
			return err
		}
		if len(page.Events) == q.Limit || bytes+len(w.Data) > q.MaxBytes && len(page.Events) > 0 {
			page.HasMore = true
			return ErrStop
		}
		bytes += len(w.Data) + 200
		page.Events = append(page.Events, w)
		page.NextAfter = e.Seq
		return nil
	})
	return page, err
}
