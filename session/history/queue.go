package history

import "slices"

// QueueItem is a prompt that waits.
type QueueItem struct {
	ItemID          string  `json:"itemId"`
	RunID           string  `json:"runId"`
	Prompt          []Block `json:"prompt"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	CreatedAt       string  `json:"createdAt"`
}

// Ack answers a prompt.
type Ack struct {
	SessionID     string `json:"sessionId"`
	RunID         string `json:"runId"`
	Disposition   string `json:"disposition"` // started, steered, queued
	QueuePosition int    `json:"queuePosition,omitempty"`
	Seq           int64  `json:"seq"`
	// Owed says that nobody works on the run yet: the caller calls Work.
	Owed bool `json:"-"`
}

// requeue takes a second run.queued of a prompt that waits: other words in the
// same place.
func (t *Transcript) requeue(b RunQueued) bool {
	i := slices.IndexFunc(t.Queue, func(q Queued) bool { return q.ItemID == b.ItemID })
	if i < 0 {
		return false
	}
	t.Queue = slices.Clone(t.Queue) // who was given the old one keeps it
	t.Queue[i].Prompt, t.Queue[i].Entry = b.Prompt, b
	return true
}

func (t *Transcript) ack(id string, a Ack) {
	if id != "" {
		t.Acks[id] = a
	}
}
