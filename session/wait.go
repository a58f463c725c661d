package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// promise is a run whose end somebody may wait for.
type promise struct {
	done  chan struct{}
	ended Ended
}

func (s *Session) promised(runID string) *promise {
	p, ok := s.promises[runID]
	if !ok {
		p = &promise{done: make(chan struct{})}
		s.promises[runID] = p
	}
	return p
}

func (s *Session) settle(runID string, ended Ended) {
	p := s.promised(runID)
	select {
	case <-p.done:
	default:
		p.ended = ended
		close(p.done)
		s.settled = append(s.settled, runID)
	}
	for len(s.settled) > mostSettled { // older ones are looked up in the log
		delete(s.promises, s.settled[0])
		s.settled = s.settled[1:]
	}
}

// mostSettled bounds how many ended runs are remembered.
const mostSettled = 32

// Wait returns how a run of this process ended; a run of an earlier process is
// looked up in the log.
func (s *Session) Wait(ctx context.Context, runID string) (Ended, error) {
	x := s.journal.Begin()
	p, known := s.promises[runID]
	if !known && slices.ContainsFunc(x.State.Queue, func(q history.Queued) bool { return q.RunID == runID }) {
		p, known = s.promised(runID), true // queued by an earlier process
	}
	x.End()
	if !known {
		return s.endedBefore(runID)
	}
	select {
	case <-p.done:
		return p.ended, nil
	case <-ctx.Done():
		return Ended{}, context.Cause(ctx)
	}
}

// Idle waits until nothing runs and nothing is queued.
func (s *Session) Idle(ctx context.Context) error {
	x := s.journal.Begin()
	idle := s.idle
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

func (s *Session) endIdle() {
	if s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// endedBefore looks up how a run of an earlier process ended.
func (s *Session) endedBefore(runID string) (Ended, error) {
	x := s.journal.Begin()
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
			out = Ended{runID, b.StopReason, text, b.Usage, b.Changes, b.Error, b.Message}
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
func (s *Session) Await(ctx context.Context, seq int64) bool { return s.journal.Await(ctx, seq) }
