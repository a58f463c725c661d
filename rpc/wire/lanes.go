package wire

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"
)

// What is said to the client and is no answer, question or Notify goes through these. After
// the end they do nothing.

// Event is a durable event on its way to the client.
type Event struct {
	Session string // the root's id, which is the one on the wire
	Stream  string // "" or the child's name, as EventLog knows it
	Seq     int64  // in its stream: seq, of a child subSeq
	Payload json.RawMessage
}

// Event queues a durable event. Events of one session stay in the order in
// which they come, and no event passes a frame or a slot. Once 32 MiB are
// queued only its number is kept and the writer reads it from the log again, so
// it must be on disk already (O1).
func (o *outbox) Event(ev Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	s := o.session(ev.Session)
	o.promote(s)
	size := len(ev.Payload) + entryOverhead
	if o.bytes+size > outboxBudget {
		o.span(s, span{ev.Stream, ev.Seq - 1, ev.Seq})
		return
	}
	o.push(&entry{
		kind: eventEntry, size: size, session: s, stream: ev.Stream,
		method: EventMethod, body: ev.Payload,
	})
}

// Replay queues the events of one stream with after < seq <= upTo without
// loading them: they are read when the client reads. A response queued later
// is behind all of them.
func (o *outbox) Replay(session, stream string, after, upTo int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || upTo <= after {
		return
	}
	s := o.session(session)
	o.promote(s)
	o.span(s, span{stream, after, upTo})
}

// span is a run of events of one stream: after < seq <= upTo.
type span struct {
	stream      string
	after, upTo int64
}

// span queues events that are only in the log. Where no frame is between,
// they join the range that is queued last: one range a session, however many
// events and children there are, and the writer merges them by their place in
// the root's sequence. Ephemeral events in between were meant to come before
// these; they give way to a gap. The caller holds mu.
func (o *outbox) span(s *sessionQueue, sp span) {
	d := s.durable
	if d == nil || d.kind != rangeEntry || d.block != o.blocks || !d.extend(sp) {
		o.push(&entry{kind: rangeEntry, size: entryOverhead, session: s, spans: []span{sp}})
		return
	}
	s.last[sp.stream] = d
	for e := d.next; s.soft > 0 && e != &o.queue; {
		next := e.next
		if e.session == s && e.kind != gapEntry && e.n > d.n {
			o.unlink(e)
			if e.kind != valueEntry {
				o.dropped(s, e.afterSeq, int64(len(e.text)+len(e.body))+e.dropped)
			}
		}
		e = next
	}
}

// extend adds sp to the range e, unless part of it is there already.
func (e *entry) extend(sp span) bool {
	for i := range e.spans {
		if e.spans[i].stream != sp.stream {
			continue
		}
		if sp.after < e.spans[i].upTo {
			return false
		}
		e.spans[i].upTo = sp.upTo
		return true
	}
	e.spans = append(e.spans, sp)
	return true
}

// Note queues an ephemeral event that cannot be joined with another, such as
// notice, behind everything of its stream.
func (o *outbox) Note(session, stream string, afterSeq int64, payload json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	s := o.session(session)
	o.promote(s)
	size := len(payload) + entryOverhead
	if o.bytes+size > outboxBudget {
		o.dropped(s, afterSeq, int64(len(payload)))
		return
	}
	o.push(&entry{
		kind: noteEntry, size: size, session: s, stream: stream,
		afterSeq: afterSeq, method: EventMethod, body: payload,
	})
}

// TextPart is a piece of streamed text. Encode makes the params of agent/event
// from the joined text; only the first part's is used.
type TextPart struct {
	Session, Stream string
	Key             string // run, messageId or callId, and type or stream
	AfterSeq        int64
	Text            string
	Encode          func(text string) json.RawMessage
}

// Delta queues text of message.delta, reasoning.delta or tool.input. While the
// same key's last delta is queued and nothing else of its stream is behind
// it, the text is joined to it, up to 256 KiB. A key is written at once when 8 ms
// have passed since the last time, else when they have: a person reads along with
// the model, and a fast model costs no frame for each word. Over the budget deltas
// give way to a gap: the durable message has the whole text.
func (o *outbox) Delta(t TextPart) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || t.Text == "" {
		return
	}
	s := o.session(t.Session)
	key := t.Session + "\x00" + t.Stream + "\x00" + t.Key
	if o.bytes+len(t.Text) > outboxBudget {
		o.dropped(s, t.AfterSeq, int64(len(t.Text)))
		return
	}
	if e := s.last[t.Stream]; e != nil && e.kind == deltaEntry && e.key == key && len(e.text)+len(t.Text) <= joinedBytes {
		o.join(e, t.Text)
		return
	}
	for _, e := range slices.Clone(o.held) {
		switch {
		case e.session != s || e.kind != deltaEntry || e.stream != t.Stream:
		case e.key == key && len(e.text)+len(t.Text) <= joinedBytes:
			o.join(e, t.Text)
			return
		default: // another text of the stream, or a full one: it goes first
			o.enqueue(e)
		}
	}
	o.start(s, deltaEntry, key, t)
}

// Output queues live output of a call. All that is queued of one key is one
// entry that keeps the last 64 KiB; what was cut is told by a gap in front of
// it. It is written at most 30 times a second, the first time at once.
func (o *outbox) Output(t TextPart) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || t.Text == "" {
		return
	}
	s := o.session(t.Session)
	key := t.Session + "\x00" + t.Stream + "\x00" + t.Key
	if e := o.texts[key]; e != nil {
		o.join(e, t.Text)
		if len(e.text) > 2*outputTail { // rarely, so that cutting stays cheap
			o.grow(e, -e.cutHead())
		}
		return
	}
	if o.bytes+len(t.Text) > outboxBudget {
		o.dropped(s, t.AfterSeq, int64(len(t.Text)))
		return
	}
	e := o.start(s, outputEntry, key, t)
	o.texts[key] = e
	o.grow(e, -e.cutHead())
}

// start makes a new text entry: queued when its key was not written for an
// interval, else held until then. The caller holds mu.
func (o *outbox) start(s *sessionQueue, kind entryKind, key string, t TextPart) *entry {
	e := &entry{
		kind: kind, size: len(t.Text) + entryOverhead, session: s, stream: t.Stream, key: key,
		text: []byte(t.Text), encode: t.Encode, afterSeq: t.AfterSeq,
	}
	interval := textInterval
	if kind == deltaEntry {
		interval = deltaInterval
	}
	if last, ok := o.sent[key]; ok && time.Since(last) < interval {
		e.ripe = last.Add(interval)
		o.held = append(o.held, e)
		o.bytes += e.size
		s.entries++
		o.signal() // the writer sets its timer
		return e
	}
	o.push(e)
	return e
}

// join adds text to a queued or held entry. The caller holds mu.
func (o *outbox) join(e *entry, text string) {
	e.text = append(e.text, text...)
	o.grow(e, len(text))
}

// cutHead cuts an output to its last 64 KiB, at the start of a character, and
// returns how many bytes went.
func (e *entry) cutHead() int {
	cut := len(e.text) - outputTail
	if cut <= 0 {
		return 0
	}
	for cut < len(e.text) && !utf8.RuneStart(e.text[cut]) {
		cut++
	}
	e.text = append(make([]byte, 0, 2*outputTail), e.text[cut:]...)
	e.dropped += int64(cut)
	return cut
}

// enqueue moves a held text to the end of the queue. The caller holds mu.
func (o *outbox) enqueue(e *entry) {
	o.held = slices.DeleteFunc(o.held, func(h *entry) bool { return h == e })
	o.bytes -= e.size
	e.session.entries--
	o.push(e)
}

// promote queues all held texts of s, because something comes that belongs
// behind them. The caller holds mu.
func (o *outbox) promote(s *sessionQueue) {
	for _, e := range slices.Clone(o.held) {
		if e.session == s {
			o.enqueue(e)
		}
	}
}

// Latest queues a value of which only the newest counts, instead of the one that
// is queued under the same key: run.state or usage of a run, and, in the place of
// the older, a progress report of a token. The key must name the run or token.
// session is "" for what is no event.
func (o *outbox) Latest(session, key, method string, params json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	key = session + "\x00" + method + "\x00" + key
	switch e := o.values[key]; {
	case e == nil:
	case session != "":
		o.unlink(e) // its place is in front of events that the new value counts
	default:
		o.grow(e, len(params)-len(e.body))
		e.body = params
		return
	}
	e := &entry{kind: valueEntry, size: len(params) + entryOverhead, key: key, method: method, body: params}
	if session != "" {
		e.session = o.session(session)
	}
	o.values[key] = e
	o.push(e)
}

// dropped counts text that was given up in the session's gap. The caller holds
// mu.
func (o *outbox) dropped(s *sessionQueue, afterSeq, n int64) {
	if s.gap == nil {
		o.push(&entry{kind: gapEntry, size: entryOverhead, session: s, afterSeq: afterSeq})
	}
	s.gap.dropped += n
	s.gap.afterSeq = min(s.gap.afterSeq, afterSeq)
}

// session finds or makes the bookkeeping of a session. The caller holds mu and
// queues or holds something for it next.
func (o *outbox) session(id string) *sessionQueue {
	s := o.sessions[id]
	if s == nil {
		s = &sessionQueue{id: id, last: map[string]*entry{}}
		o.sessions[id] = s
	}
	return s
}
