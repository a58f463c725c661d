package session

import (
	"cmp"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// queue is what waits behind the run that is worked on.
type queue struct {
	journal *journal.Journal
	session *activity
	intake  *intake
	agents  *roster
	root    *root
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

// Requeue gives a prompt that waits other words. It keeps its place, its run's id and
// its limits, where the words do not say otherwise its agent, model and kind, and anyone
// who waits for it goes on waiting: the log gets a second run.queued of the same item,
// and the last one counts.
func (w *queue) Requeue(item string, p Prompt) error {
	p.Agent = cmp.Or(p.Agent, journal.Read(w.journal, func(t *history.Transcript) string {
		if i := waits(t, item); i >= 0 {
			return t.Queue[i].Entry.Agent
		}
		return ""
	})) // who must be allowed to read what is attached
	blocks, err := w.intake.offload(w.intake.withSelection(p))
	if err != nil {
		return err
	}
	x := w.journal.Begin()
	defer x.End()
	q, err := w.waiting(x, item)
	if err != nil {
		return err
	}
	entry := q.Entry
	entry.Prompt, entry.Typed, entry.Agent = blocks, p.Typed, p.Agent
	entry.Model, entry.Kind = cmp.Or(p.Model, entry.Model), cmp.Or(p.Kind, entry.Kind)
	if isBlank(blocks) {
		if entry.Kind == "" {
			return &InvalidError{"prompt", "is empty"}
		}
		entry.Prompt = []history.Block{}
	}
	if entry.Agent != q.Entry.Agent || entry.Model != q.Entry.Model {
		if err := w.agents.admit(x, entry.Agent, entry.Model); err != nil {
			return err
		}
	}
	if err := w.root.taintBy(x, Prompt{Request: entry.Request, Foreign: p.Foreign}); err != nil {
		return err
	}
	return x.TryAppend(q.RunID, entry)
}

// waits is where a prompt waits in the queue; -1: it does not.
func waits(t *history.Transcript, item string) int {
	return slices.IndexFunc(t.Queue, func(q history.Queued) bool { return q.ItemID == item })
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
	i := waits(x.State, item)
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
