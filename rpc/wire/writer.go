package wire

import (
	"encoding/json"
	"iter"
	"strconv"
	"time"
)

// Sizes of what the writer does at once.
const (
	batchBytes = 256 << 10 // taken from the queue in one go
	flushBytes = 64 << 10  // collected into one write
)

// write is the goroutine of the outbox. It is owned by anyone who calls close and
// waits for done.
func (o *outbox) write() {
	defer close(o.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	w := &frameWriter{o: o}
	for {
		batch, pause, more := o.take()
		if len(batch) == 0 {
			if !more {
				return
			}
			timer.Reset(pause)
			select {
			case <-o.wake:
			case <-timer.C:
			}
			continue
		}
		for _, e := range batch {
			w.entry(e)
		}
		if err := w.flush(); err != nil {
			o.report("write to the client", err)
			o.abandon()
			return
		}
	}
}

// take removes from the queue what may be written now. pause is how long
// nothing will be ripe; more is false when the outbox is closed and the writer
// has done all it should.
func (o *outbox) take() (batch []*entry, pause time.Duration, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	pause = time.Hour
	for i := 0; i < len(o.held); {
		e := o.held[i]
		if wait := e.ripe.Sub(now); wait > 0 && !o.closed {
			pause = min(pause, wait)
			i++
			continue
		}
		o.enqueue(e)
	}
	if o.closed && !o.drain {
		return nil, 0, false
	}
	size := 0
	for e := o.queue.next; e != &o.queue && size < batchBytes; {
		next := e.next
		switch {
		case e.kind == slotEntry && !e.filled && o.closed:
			o.unlink(e)
		case e.kind == slotEntry && !e.filled:
			next = &o.queue // nothing behind it may go
		case o.holding && (!e.answer || e.request):
			// waits for initialized
		default:
			o.unlink(e)
			if e.kind == deltaEntry || e.kind == outputEntry {
				o.remember(e.key, now)
			}
			size += e.size
			batch = append(batch, e)
		}
		e = next
	}
	return batch, pause, !o.closed
}

// remember notes when a text was written, and forgets the old notes. The caller
// holds mu.
func (o *outbox) remember(key string, now time.Time) {
	if len(o.sent) >= 256 {
		for k, at := range o.sent {
			if now.Sub(at) >= textInterval {
				delete(o.sent, k)
			}
		}
	}
	o.sent[key] = now
}

// abandon drops what is queued: nobody reads any more.
func (o *outbox) abandon() {
	o.close(false)
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.queue.next != &o.queue {
		o.unlink(o.queue.next)
	}
	o.held = nil
}

// stopped says whether the writer is to leave in the middle of a range.
func (o *outbox) stopped() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed && !o.drain
}

func (o *outbox) report(what string, err error) {
	if o.cfg.report != nil {
		o.cfg.report(what, err)
	}
}

// frameWriter collects frames into few writes. After the first error it does
// nothing more.
type frameWriter struct {
	o   *outbox
	buf []byte
	err error
}

// entry writes what an entry has become by now.
func (w *frameWriter) entry(e *entry) {
	switch e.kind {
	case frameEntry, slotEntry:
		w.frame(e.body)
	case eventEntry, noteEntry, valueEntry:
		w.frame(notification(e.method, e.body))
	case deltaEntry:
		w.frame(notification(EventMethod, e.encode(string(e.text))))
	case outputEntry:
		w.output(e)
	case gapEntry:
		w.gap(e.session.id, e.afterSeq, e.dropped)
	case rangeEntry:
		w.logged(e)
	}
}

func (w *frameWriter) output(e *entry) {
	e.cutHead()
	if e.dropped > 0 {
		w.gap(e.session.id, e.afterSeq, e.dropped)
	}
	w.frame(notification(EventMethod, e.encode(string(e.text))))
}

func (w *frameWriter) gap(session string, fromAfterSeq, droppedBytes int64) {
	w.frame(notification(EventMethod, w.o.cfg.gap(session, fromAfterSeq, droppedBytes)))
}

// logged writes events from the log, merging the streams of a session: a child's
// line comes behind the root's line that was the last when it was written.
// Events that cannot be read are told as a gap, so that the client asks for
// them.
func (w *frameWriter) logged(e *entry) {
	streams := make([]*cursor, 0, len(e.spans))
	for _, sp := range e.spans {
		c := &cursor{span: sp}
		c.next, c.stop = iter.Pull2(c.events(w.o.cfg.log, e.session.id))
		defer c.stop()
		c.advance()
		streams = append(streams, c)
	}
	for w.err == nil && !w.o.stopped() {
		var first *cursor
		for _, c := range streams {
			if c.ok && (first == nil || c.order < first.order || c.order == first.order && c.span.stream == "") {
				first = c
			}
		}
		if first == nil {
			break
		}
		w.frame(notification(EventMethod, first.payload))
		first.advance()
	}
	for _, c := range streams {
		if c.err != nil {
			w.o.report("read events again for the client", c.err)
			w.gap(e.session.id, c.order, 0)
		}
	}
}

// cursor is a place in one stream of a session's log.
type cursor struct {
	span    span
	next    func() (int64, []byte, bool)
	stop    func()
	order   int64 // of the event at the cursor
	payload []byte
	ok      bool
	err     error // why the log ended early
}

func (c *cursor) advance() {
	order, payload, ok := c.next()
	if c.payload, c.ok = payload, ok; ok {
		c.order = order
	}
}

func (c *cursor) events(log EventLog, session string) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		c.err = log.Events(session, c.span.stream, c.span.after, c.span.upTo, yield)
	}
}

// frame adds one frame, or one line, and writes when enough is collected.
func (w *frameWriter) frame(body []byte) {
	if !w.o.cfg.lines {
		w.buf = append(w.buf, "Content-Length: "...)
		w.buf = strconv.AppendInt(w.buf, int64(len(body)), 10)
		w.buf = append(w.buf, "\r\n\r\n"...)
	}
	w.buf = append(w.buf, body...)
	if w.o.cfg.lines { // what is encoded has no line feed of its own
		w.buf = append(w.buf, '\n')
	}
	if len(w.buf) >= flushBytes {
		w.flush()
	}
}

func (w *frameWriter) flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.o.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*flushBytes {
		w.buf = nil // after a large frame
	}
	return w.err
}

// notification is a finished notification; params nil leaves them out.
func notification(method string, params json.RawMessage) json.RawMessage {
	out := make([]byte, 0, len(method)+len(params)+48)
	out = append(out, `{"jsonrpc":"2.0","method":"`...)
	out = append(out, method...)
	out = append(out, '"')
	if params != nil {
		out = append(out, `,"params":`...)
		out = append(out, params...)
	}
	return append(out, '}')
}
