package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Unqueue ends a prompt that waits as cancelled. One that has started, or waits no
// more, is refused: who wants to stop a run says so.
func (s *Session) Unqueue(item string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.waitingLocked(item)
	if err != nil {
		return err
	}
	return s.dropLocked(q.RunID)
}

// Requeue gives a prompt that waits other words. It keeps its place, its run's id,
// its agent, model and limits, and whoever waits for it goes on waiting: the log
// gets a second run.queued of the same item, and the last one counts.
func (s *Session) Requeue(item string, prompt []history.Block) error {
	blocks, err := s.stash(prompt)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.waitingLocked(item)
	switch {
	case err != nil:
		return err
	case isBlank(blocks) && q.Entry.Kind == "":
		return &InvalidError{"prompt", "is empty"}
	}
	entry := q.Entry
	entry.Prompt = blocks
	return s.offerLocked(q.RunID, entry)
}

// ClearQueue ends everything that waits as cancelled; the run goes on.
func (s *Session) ClearQueue() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range slices.Clone(s.t.Queue) {
		if err := s.dropLocked(q.RunID); err != nil {
			return err
		}
	}
	return nil
}

// waitingLocked finds a prompt that waits.
func (s *Session) waitingLocked(item string) (history.Queued, error) {
	if s.closing || s.closed {
		return history.Queued{}, errClosed
	}
	i := slices.IndexFunc(s.t.Queue, func(q history.Queued) bool { return q.ItemID == item })
	if i < 0 {
		return history.Queued{}, &InvalidError{"itemId", "does not wait here: it has started, has been removed, or never was"}
	}
	return s.t.Queue[i], nil
}

// dropLocked ends a run that has not started, or leaves everything as it was.
func (s *Session) dropLocked(run string) error {
	if err := s.offerLocked(run, history.RunEnded{StopReason: "cancelled", Changes: []history.FileChange{}}); err != nil {
		return err
	}
	s.settleLocked(run, Ended{RunID: run, StopReason: "cancelled", Changes: []history.FileChange{}})
	return nil
}

// Queue is what waits to be run.
func (s *Session) Queue() []history.QueueItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queueLocked()
}

func (s *Session) queueLocked() []history.QueueItem {
	out := []history.QueueItem{}
	for _, q := range s.t.Queue {
		out = append(out, q.QueueItem)
	}
	return out
}
