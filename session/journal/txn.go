package journal

import (
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Txn is the journal's lock, taken: who has one may read the state and change it, and nobody
// else can until End. A function that needs the lock takes one as a parameter.
type Txn struct {
	// State is the transcript as it is now. It is read only; Append changes it.
	State *history.Transcript
	j     *Journal
}

// Begin waits for the lock.
func (j *Journal) Begin() *Txn {
	j.mu.Lock()
	return &Txn{State: j.state, j: j}
}

// End lets go of the lock. The transaction cannot be used any more.
func (x *Txn) End() {
	j := x.j
	*x = Txn{}
	j.mu.Unlock()
}

// Append makes body the next event: on disk, then in memory, then published. Where the log
// refuses the line, memory goes on, the owner is told, and the line is written before the
// next one.
func (x *Txn) Append(run string, body history.Body) error {
	j := x.j
	if j.closed {
		return ErrClosed
	}
	e := j.next(run, body)
	if err := x.write(e); err != nil {
		j.unwritten = append(j.unwritten, e)
		j.fail(run, err)
		return errors.Join(err, x.State.Apply(e))
	}
	err := j.sync(e.Body) // a line that may not survive a power cut counts, and is reported
	if err != nil {
		j.fail(run, err)
	}
	return errors.Join(err, x.apply(e))
}

// TryAppend appends what a person wants, or nothing at all: where the log refuses the line,
// memory is as before, and the owner is told.
func (x *Txn) TryAppend(run string, body history.Body) error {
	j := x.j
	if j.closed {
		return ErrClosed
	}
	e := j.next(run, body)
	if err := x.write(e); err != nil {
		j.fail(run, err)
		return Unwritable(err)
	}
	if err := j.sync(e.Body); err != nil { // nobody has heard of the line yet
		j.fail(run, err)
		return Unwritable(errors.Join(err, j.log.TakeBack()))
	}
	return x.apply(e)
}

// write puts e into the log, behind what still waits for it.
func (x *Txn) write(e history.Event) error {
	if err := x.CatchUp(); err != nil {
		return err
	}
	return x.j.log.Append(e)
}

// apply takes a line of the log into memory and publishes it.
func (x *Txn) apply(e history.Event) error {
	if err := x.State.Apply(e); err != nil {
		return fmt.Errorf("fold %s: %w", e.Type(), err)
	}
	x.Publish(e)
	_ = x.j.log.Keep(x.State) // without it the log is only opened slower
	return nil
}

// CatchUp writes what the log has refused before, in order.
func (x *Txn) CatchUp() error {
	j := x.j
	for len(j.unwritten) > 0 {
		if err := j.log.Append(j.unwritten[0]); err != nil {
			return err
		}
		if err := j.sync(j.unwritten[0].Body); err != nil {
			return errors.Join(err, j.log.TakeBack())
		}
		x.Publish(j.unwritten[0])
		j.unwritten = j.unwritten[1:]
	}
	j.broken = nil
	return nil
}

// Hold keeps events from being published until Release.
func (x *Txn) Hold() { x.j.held = true }

// Release publishes what was recorded since Hold.
func (x *Txn) Release() {
	held := x.j.unshown
	x.j.held = false
	x.j.unshown = nil
	for _, e := range held {
		x.Publish(e)
	}
}

// Publish shows an event of the log, behind Release where it is held back.
func (x *Txn) Publish(e history.Event) {
	if x.j.held {
		x.j.unshown = append(x.j.unshown, e)
		return
	}
	x.j.owner.Published(e)
	x.j.wake()
}

// Published is the seq of the last event that was published.
func (x *Txn) Published() int64 { return x.State.Seq - int64(len(x.j.unshown)) }

// NewID names something of the session; seq makes it unique and the same in a replay.
func (x *Txn) NewID(kind string) string {
	x.j.ids++
	between := "."
	if kind == "c" { // some providers take only letters, digits, _ and - in the id of a call
		between = "-"
	}
	return fmt.Sprintf("%s-%s%d%s%d", x.j.id, kind, x.State.Seq+1, between, x.j.ids)
}

// Log is the log as it is now, to read; it can be read behind the end of the transaction.
func (x *Txn) Log() *history.Log { return x.j.log.View() }

// Broken is why the log takes no lines, nil where it does.
func (x *Txn) Broken() error { return x.j.broken }

// Closed says that nothing is appended any more.
func (x *Txn) Closed() bool { return x.j.closed }

// Sync makes durable what was appended.
func (x *Txn) Sync() error { return x.j.log.Sync() }

// Close lets go of the log; no event comes any more.
func (x *Txn) Close() error {
	x.j.closed = true
	x.j.wake()
	return x.j.log.Close()
}
