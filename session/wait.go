package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// promise is a run whose end somebody may wait for.
type promise struct {
	done  chan struct{}
	ended Ended
}

// promises are the runs of this process that were promised.
type promises struct {
	mu      sync.Mutex          // guards everything below; a leaf
	byRun   map[string]*promise // nil before the first
	settled []string            // those that have ended, oldest first
}

// add promises a run, once.
func (p *promises) add(runID string) *promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byRun == nil {
		p.byRun = map[string]*promise{}
	}
	if p.byRun[runID] == nil {
		p.byRun[runID] = &promise{done: make(chan struct{})}
	}
	return p.byRun[runID]
}

// find is nil where the run was not promised, or ended long ago.
func (p *promises) find(runID string) *promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byRun[runID]
}

// settle tells anyone who waits how a run ended; the first time counts.
func (p *promises) settle(runID string, ended Ended) {
	to := p.add(runID)
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-to.done:
	default:
		to.ended = ended
		close(to.done)
		p.settled = append(p.settled, runID)
	}
	for len(p.settled) > mostSettled { // older ones are looked up in the log
		delete(p.byRun, p.settled[0])
		p.settled = p.settled[1:]
	}
}

// mostSettled bounds how many ended runs are remembered.
const mostSettled = 32

// waiter waits for what a session does.
type waiter struct {
	log     *logReader
	session *activity
	ends    *promises
}

// Wait returns how a run of this process ended; a run of an earlier process is
// looked up in the log.
func (w *waiter) Wait(ctx context.Context, runID string) (Ended, error) {
	p := w.ends.find(runID)
	if p == nil && journal.Read(w.log.journal, func(t *history.Transcript) bool {
		return slices.ContainsFunc(t.Queue, func(q history.Queued) bool { return q.RunID == runID })
	}) {
		p = w.ends.add(runID) // queued by an earlier process
	}
	if p == nil {
		return w.log.endedBefore(runID)
	}
	select {
	case <-p.done:
		return p.ended, nil
	case <-ctx.Done():
		return Ended{}, context.Cause(ctx)
	}
}

// Idle waits until nothing runs and nothing is queued.
func (w *waiter) Idle(ctx context.Context) error {
	x := w.session.journal.Begin()
	idle := w.session.idle
	x.End()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// endedBefore looks up how a run of an earlier process ended.
func (l *logReader) endedBefore(runID string) (Ended, error) {
	x := l.journal.Begin()
	log := x.Log()
	x.End()
	var out Ended
	text := ""
	err := log.Each(1, func(e history.Event) error {
		if e.Run != runID {
			return nil
		}
		switch b := e.Body.(type) {
		case history.AssistantMessage:
			text = b.Text
		case history.RunEnded:
			out = Ended{runID, b.StopReason, text, b.Usage, b.Changes, b.Error, b.Message, ""}
			return history.ErrStop
		}
		return nil
	})
	if err == nil && out.RunID == "" {
		err = fmt.Errorf("there is no run %q", runID)
	}
	return out, err
}

// Await returns when there is an event after seq, and says no when ctx ends or
// none will come.
func (l *logReader) Await(ctx context.Context, seq int64) bool { return l.journal.Await(ctx, seq) }
