package wire

import (
	"encoding/json"
	"fmt"
)

// What is said to the client goes through these into the outbox, whose file and
// lanes.go have the rules. None of them waits for the client, and after the end
// they do nothing.

// Event queues a durable event, which must be on disk already (O1).
func (c *Conn) Event(ev Event) { c.out.event(ev) }

// Replay queues the events of one stream with after < seq <= upTo without
// loading them: they are read from the log when the client reads. A response
// queued later stands behind all of them.
func (c *Conn) Replay(session, stream string, after, upTo int64) {
	c.out.replay(session, stream, after, upTo)
}

// Note queues an ephemeral event that cannot be joined with another, behind
// everything of its stream.
func (c *Conn) Note(session, stream string, afterSeq int64, payload json.RawMessage) {
	c.out.note(session, stream, afterSeq, payload)
}

// Delta queues streamed text. What waits is joined, up to 256 KiB; a key is
// written at most 30 times a second.
func (c *Conn) Delta(t TextPart) { c.out.delta(t) }

// Output queues live output of a call. Of what waits the last 64 KiB are kept;
// what was cut is told by a gap in front of it.
func (c *Conn) Output(t TextPart) { c.out.output(t) }

// Latest queues a value of which only the newest counts, instead of the one that
// waits under the same key. The key must name the run or token. session is ""
// for what is no event.
func (c *Conn) Latest(session, key, method string, params json.RawMessage) {
	c.out.latest(session, key, method, params)
}

// Notify queues a notification that stays where it is: everything that is not an
// event. params may be what Ask takes; nil leaves them out.
func (c *Conn) Notify(method string, params any) error {
	if params == nil {
		c.out.notify(method, nil)
		return nil
	}
	encoded, err := encodeValue(params)
	if err != nil {
		return fmt.Errorf("encode the params of %s: %w", method, err)
	}
	c.out.notify(method, encoded)
	return nil
}
