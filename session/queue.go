package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// queue is what waits behind the run that is worked on.
type queue struct {
	journal *journal.Journal
	session *activity
	intake  *intake
	ends    *promises
}

// Unqueue ends a prompt that waits as cancelled. One that has started, or waits no
// more, is refused: who wants to stop a run says so.
func (w *queue) Unqueue(item string) error {
	x := w.journal.Begin()
	defer x.End()
	q, err := w.waiting(x, item)
	if err != nil {
		return err
	}
	return w.drop(x, q.RunID)
}

// Requeue gives a prompt that waits other words. It keeps its place, its run's id,
// its agent, model and limits, and anyone who waits for it goes on waiting: the log
// gets a second run.queued of the same item, and the last one counts.
func (w *queue) Requeue(item string, prompt []history.Block) error {
	blocks, err := w.intake.offload(prompt)
	if err != nil {
		return err
	}
	x := w.journal.Begin()
	defer x.End()
	q, err := w.waiting(x, item)
	switch {
	case err != nil:
		return err
	case isBlank(blocks) && q.Entry.Kind == "":
		return &InvalidError{"prompt", "is empty"}
	}
	entry := q.Entry
	entry.Prompt = blocks
	return x.TryAppend(q.RunID, entry)
}

// ClearQueue ends everything that waits as cancelled; the run goes on.
func (w *queue) ClearQueue() error {
	x := w.journal.Begin()
	defer x.End()
	for _, q := range slices.Clone(x.State.Queue) {
		if err := w.drop(x, q.RunID); err != nil {
			return err
		}
	}
	return nil
}

// waiting finds a prompt that waits.
func (w *queue) waiting(x *journal.Txn, item string) (history.Queued, error) {
	if w.session.closing || x.Closed() {
		return history.Queued{}, journal.ErrClosed
	}
	i := slices.IndexFunc(x.State.Queue, func(q history.Queued) bool { return q.ItemID == item })
	if i < 0 {
		return history.Queued{}, &InvalidError{"itemId", "does not wait here: it has started, has been removed, or never was"}
	}
	return x.State.Queue[i], nil
}

// drop ends a run that has not started, or leaves everything as it was.
func (w *queue) drop(x *journal.Txn, run string) error {
	if err := x.TryAppend(run, history.RunEnded{StopReason: history.StopCancelled, Changes: []history.FileChange{}}); err != nil {
		return err
	}
	w.ends.settle(run, Ended{RunID: run, StopReason: history.StopCancelled, Changes: []history.FileChange{}})
	return nil
}

// Queue is what waits to be run.
func (d *describer) Queue() []history.QueueItem {
	return journal.Read(d.journal, queued)
}

func queued(t *history.Transcript) []history.QueueItem {
	out := []history.QueueItem{}
	for _, q := range t.Queue {
		out = append(out, q.QueueItem)
	}
	return out
}
