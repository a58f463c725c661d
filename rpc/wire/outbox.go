package wire

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Limits of the outbox (O8).
const (
	outboxBudget  = 32 << 20  // queued bytes; beyond it events stay in their log
	answersBudget = 32 << 20  // queued responses and requests; beyond it the reader waits
	joinedBytes   = 256 << 10 // text of one joined delta
	outputTail    = 64 << 10  // text kept of one call's output
	entryOverhead = 128       // what an entry costs beside its text, roughly

	deltaInterval = 8 * time.Millisecond // between two writes of one streamed text
	textInterval  = time.Second / 30     // of one call's output
)

// EventMethod is the notification that carries events.
const EventMethod = "agent/event"

// EventLog is where durable events are read again that did not fit in memory.
type EventLog interface {
	// Events yields, in order, the events of one stream of a session with
	// after < seq <= upTo, until yield returns false. stream is "" for the
	// session itself (seq is seq) or names one of its children (seq is subSeq).
	// order is the place in the root's sequence: an event's own seq, for a
	// child's its afterSeq. payload is the finished params of agent/event and is
	// not kept. Events that this client does not want are left out. It is called
	// by the writer only. yield waits for the client, possibly for ever, so no
	// lock that the session needs may be held around it.
	Events(session, stream string, after, upTo int64, yield func(order int64, payload []byte) bool) error
}

// outboxConfig is what an outbox needs to know beside where to write.
type outboxConfig struct {
	log   EventLog
	lines bool // a message is a line, and no frame
	// gap makes the params of the ephemeral event gap.
	gap func(session string, fromAfterSeq, droppedBytes int64) json.RawMessage
	// report is told of failures: a broken pipe, an unreadable log.
	report func(what string, err error)
}

// outbox is the only writer to the client. Nothing that is given to it waits
// for the client (O8): it is queued in order, and what waits too long is joined
// (deltas), replaced by its newest value (progress), cut to its tail (output)
// or left in its log (durable events). Responses, requests and notifications
// are never dropped and never overtake anything that is before them.
type outbox struct {
	w    io.Writer
	cfg  outboxConfig
	wake chan struct{} // one token: there may be something to write
	done chan struct{} // closed when the writer has left

	mu       sync.Mutex // guards everything below
	room     sync.Cond  // answers shrank, or closed
	queue    entry      // the ends of a ring: next is the oldest, prev the newest
	count    uint64     // entries ever queued
	blocks   uint64     // frames and slots ever queued: no event may pass one
	bytes    int        // queued bytes
	answers  int        // queued bytes of responses and requests
	holding  bool       // only responses are written
	closed   bool       // nothing more is accepted
	drain    bool       // closed, but what is queued is still written
	sessions map[string]*sessionQueue
	texts    map[string]*entry // call outputs, queued or held, by key
	values   map[string]*entry // queued last values by key
	held     []*entry          // texts that wait for the end of their interval
	sent     map[string]time.Time
}

// entryKind says what is in an entry and so what may be done to it.
type entryKind int

const (
	frameEntry  entryKind = iota // a finished message; never touched
	slotEntry                    // a place for a response that comes later
	eventEntry                   // a durable event
	rangeEntry                   // durable events that are only in the log
	noteEntry                    // an ephemeral event that cannot be joined
	deltaEntry                   // streamed text, joined
	outputEntry                  // a call's output, of which the tail is kept
	valueEntry                   // of which the newest is kept
	gapEntry                     // says what was dropped
)

// entry is one place in the queue.
type entry struct {
	prev, next *entry
	kind       entryKind
	n          uint64 // rises along the queue; 0 while not queued
	block      uint64 // blocks when it was queued
	size       int    // counted in bytes
	answer     bool   // a response or a request
	request    bool   // the latter
	filled     bool   // of a slot
	session    *sessionQueue
	stream     string
	key        string
	method     string // "": body is the whole message, else the params of this notification
	body       json.RawMessage
	text       []byte
	encode     func(text string) json.RawMessage
	afterSeq   int64 // of the first text in it
	dropped    int64 // bytes of text that were cut off
	spans      []span
	ripe       time.Time // held: when it may be queued
}

// sessionQueue is what the outbox knows of one session with something queued.
type sessionQueue struct {
	id      string
	entries int               // queued and held
	soft    int               // of these, queued ones that may be dropped
	durable *entry            // the newest queued event or range
	gap     *entry            // the queued gap
	last    map[string]*entry // the newest queued event, note or delta of each stream
}

// newOutbox starts the writer. It holds our own traffic until open is called
// and runs until close.
func newOutbox(w io.Writer, cfg outboxConfig) *outbox {
	o := &outbox{
		w: w, cfg: cfg, holding: true,
		wake:     make(chan struct{}, 1),
		done:     make(chan struct{}),
		sessions: map[string]*sessionQueue{},
		texts:    map[string]*entry{},
		values:   map[string]*entry{},
		sent:     map[string]time.Time{},
	}
	o.room.L = &o.mu
	o.queue.prev, o.queue.next = &o.queue, &o.queue
	go o.write()
	return o
}

// respond queues a finished response.
func (o *outbox) respond(body json.RawMessage) {
	o.frame(&entry{answer: true, body: body})
}

// request queues a finished request of ours.
func (o *outbox) request(body json.RawMessage) {
	o.frame(&entry{answer: true, request: true, body: body})
}

// notify queues a notification that stays where it is: everything of LSP that
// is not an event or a progress report. params nil leaves them out.
func (o *outbox) notify(method string, params json.RawMessage) {
	o.frame(&entry{body: notification(method, params)})
}

func (o *outbox) frame(e *entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e.kind, e.size = frameEntry, len(e.body)+entryOverhead
	if !o.closed {
		o.push(e)
	}
}

// slot is a reserved place in the queue (O2): everything queued later waits
// until it is filled or released.
type slot struct {
	o *outbox
	e *entry
}

// reserve takes the place at the end of the queue. Exactly one of fill and
// release must follow soon.
func (o *outbox) reserve() *slot {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := &entry{kind: slotEntry, answer: true, size: entryOverhead}
	if !o.closed {
		o.push(e)
	}
	return &slot{o, e}
}

// fill puts a finished response in the place. A second fill, or one after
// release, does nothing.
func (s *slot) fill(body json.RawMessage) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	if s.e.n == 0 || s.e.filled {
		return
	}
	s.e.filled, s.e.body = true, body
	s.o.grow(s.e, len(body))
	s.o.signal()
}

// release gives the place up. After fill it does nothing.
func (s *slot) release() {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	if s.e.n != 0 && !s.e.filled {
		s.o.unlink(s.e)
		s.o.signal()
	}
}

// open ends the hold: initialized has come.
func (o *outbox) open() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.holding = false
	o.signal()
}

// waitRoom returns when less than 32 MiB of responses and requests are queued,
// or the outbox is closed. Only the reader calls it.
func (o *outbox) waitRoom() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.answers > answersBudget && !o.closed {
		o.room.Wait()
	}
}

// AwaitRoom returns when less than so many bytes are queued, or the connection ends: for who
// hands on what another queue has, so that this one stays short.
func (o *outbox) AwaitRoom(most int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.bytes > most && !o.closed {
		o.room.Wait()
	}
}

// close ends the outbox: nothing is queued from now on. It does not wait; done tells when the
// writer has ended. With drain the writer first writes everything that is queued, except
// answers that are not there yet. A second close can only make it shorter: once one was
// without drain, none of what is queued is written. A writer that is stuck in the
// client's pipe ends only when the pipe is closed.
func (o *outbox) close(drain bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed || !drain {
		o.drain = drain
	}
	o.closed = true
	o.room.Broadcast()
	o.signal()
}

// push queues e. The caller holds mu.
func (o *outbox) push(e *entry) {
	o.count++
	e.n, e.block = o.count, o.blocks
	if e.kind == frameEntry || e.kind == slotEntry {
		o.blocks++
	}
	e.prev, e.next = o.queue.prev, &o.queue
	e.prev.next, e.next.prev = e, e
	o.bytes += e.size
	if e.answer {
		o.answers += e.size
	}
	if s := e.session; s != nil {
		s.entries++
		switch e.kind {
		case eventEntry:
			s.durable, s.last[e.stream] = e, e
		case rangeEntry:
			s.durable, s.last[e.spans[0].stream] = e, e
		case noteEntry, deltaEntry:
			s.soft++
			s.last[e.stream] = e
		case outputEntry, valueEntry:
			s.soft++
		case gapEntry:
			s.gap = e
		}
	}
	o.signal()
}

// grow counts bytes that were added to e. The caller holds mu.
func (o *outbox) grow(e *entry, n int) {
	e.size += n
	o.bytes += n
	if e.answer {
		o.answers += n
	}
}

// unlink takes e out of the queue and out of every index. The caller holds mu.
func (o *outbox) unlink(e *entry) {
	e.prev.next, e.next.prev = e.next, e.prev
	e.prev, e.next, e.n = nil, nil, 0
	o.bytes -= e.size
	if e.answer {
		o.answers -= e.size
	}
	o.room.Broadcast()
	switch e.kind {
	case outputEntry:
		delete(o.texts, e.key)
	case valueEntry:
		delete(o.values, e.key)
	}
	s := e.session
	if s == nil {
		return
	}
	switch e.kind {
	case noteEntry, deltaEntry, outputEntry, valueEntry:
		s.soft--
	}
	if s.durable == e {
		s.durable = nil
	}
	if s.gap == e {
		s.gap = nil
	}
	if s.last[e.stream] == e {
		delete(s.last, e.stream)
	}
	for _, sp := range e.spans {
		if s.last[sp.stream] == e {
			delete(s.last, sp.stream)
		}
	}
	o.leave(s)
}

// leave forgets a session with nothing queued. The caller holds mu.
func (o *outbox) leave(s *sessionQueue) {
	if s.entries--; s.entries == 0 {
		delete(o.sessions, s.id)
	}
}

// signal wakes the writer.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
