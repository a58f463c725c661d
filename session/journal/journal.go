// Package journal owns what a session is: its log, the transcript folded from it, and the
// one lock over both. Anyone who reads or changes a session does so in a transaction. It knows
// no run, no client and no model, and decides nothing.
package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Owner is the session that a journal belongs to. It is called under the journal's lock.
type Owner interface {
	// Redacted is a body as it may be kept and shown.
	Redacted(body history.Body) history.Body
	// After is the seq of the journal above that an event comes behind, 0 where there is none.
	After() int64
	// Published is told each event, in order, once it is in the log and in memory.
	Published(e history.Event)
	// Failed is told once that nothing more can be kept; after is the last seq.
	Failed(run string, after int64, err error)
}

// ErrClosed is the answer of a journal that is closed.
var ErrClosed = errors.New("the session is closed")

// Journal is the log of a session and what follows from it. The order of every change is
// disk, memory, publication.
type Journal struct {
	id    string // of the session
	owner Owner

	mu        sync.Mutex // guards everything below, and the order of log, memory and publication; the owner says what else
	log       *history.Log
	state     *history.Transcript
	held      bool            // nothing is published
	unshown   []history.Event // recorded while held
	unwritten []history.Event // what the log has refused; memory goes on
	broken    error           // why, nil when the log takes lines
	news      chan struct{}   // closed with the next event; nil when nobody waits
	ids       int             // given in this process
	closed    bool
}

// New is the empty journal of the session with this id. It has no log yet.
func New(id string, owner Owner) *Journal {
	return &Journal{id: id, owner: owner, state: history.NewTranscript()}
}

// Create makes the log in a directory that has none.
func (j *Journal) Create(disk *durable.Disk, dir string) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.log, err = history.Create(disk, dir)
	return err
}

// Open reads the log in dir.
func (j *Journal) Open(disk *durable.Disk, dir string) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.log, j.state, err = history.Open(disk, dir)
	return err
}

// Show makes state what the journal says. It is for one that is only looked at and has no log.
func (j *Journal) Show(state *history.Transcript) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state = state
}

// Append is Append of a transaction of its own.
func (j *Journal) Append(run string, body history.Body) error {
	x := j.Begin()
	defer x.End()
	return x.Append(run, body)
}

// NewID is NewID of a transaction of its own.
func (j *Journal) NewID(kind string) string {
	x := j.Begin()
	defer x.End()
	return x.NewID(kind)
}

// Read gives what find finds in the state; nothing of the state may be changed through it.
func Read[T any](j *Journal, find func(state *history.Transcript) T) T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return find(j.state)
}

// Seq is the last durable seq.
func (j *Journal) Seq() int64 {
	return Read(j, func(state *history.Transcript) int64 { return state.Seq })
}

// Sync makes durable what was appended.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil || j.closed {
		return j.broken
	}
	err := j.log.Sync()
	if err != nil {
		j.fail("", err)
	}
	return err
}

// Await returns when there is an event after seq, and says no when ctx ends or none will
// come.
func (j *Journal) Await(ctx context.Context, seq int64) bool {
	j.mu.Lock()
	if j.state.Seq > seq || j.closed {
		defer j.mu.Unlock()
		return j.state.Seq > seq
	}
	if j.news == nil {
		j.news = make(chan struct{})
	}
	news := j.news
	j.mu.Unlock()
	select {
	case <-news:
		return j.Seq() > seq
	case <-ctx.Done():
		return false
	}
}

// next makes the next event.
func (j *Journal) next(run string, body history.Body) history.Event {
	return history.Event{Seq: j.state.Seq + 1, Time: time.Now().Truncate(time.Millisecond), Run: run, After: j.owner.After(), Body: j.owner.Redacted(body)}
}

// sync makes a line durable where its kind has to be at once.
func (j *Journal) sync(body history.Body) error {
	if !syncedAlways(body) {
		return nil
	}
	return j.log.Sync()
}

// wake lets go anyone who waits for an event.
func (j *Journal) wake() {
	if j.news != nil {
		close(j.news)
		j.news = nil
	}
}

// fail says once that nothing more can be kept.
func (j *Journal) fail(run string, err error) {
	if j.broken == nil {
		j.broken = err
		j.owner.Failed(run, j.state.Seq, err)
	}
}

// syncedAlways are the events that are durable before anything follows; decisions, and
// results of calls that change something, are synced where they are recorded.
func syncedAlways(b history.Body) bool {
	switch b := b.(type) {
	case history.UserMessage:
		return b.Steering // it is acknowledged like every prompt
	case history.RunStarted, history.RunQueued, history.RunEnded, history.Approval, history.ApprovalResolved, history.QuestionAnswered, history.ContextCompacted, history.Opened,
		history.SubagentStarted: // its log is looked for only where the root names it
		return true
	}
	return false
}

// Unwritable is what a person is told of an error of the log.
func Unwritable(err error) error { return fmt.Errorf("the session log cannot be written: %w", err) }
