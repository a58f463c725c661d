package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Limits of what is taken on at once.
const (
	maxRunning   = 1024     // handlers of Read and PerSession requests
	maxWaiting   = 64 << 20 // bytes of messages that wait for the dispatcher; then the reader waits too
	overloadedMs = 1000     // what a refused client is told to wait
)

// dispatcher hands messages to handlers in order of arrival (O9). The reader
// only appends to its queue; one goroutine takes from it, judges each message
// by the lifecycle, runs ordered handlers itself and starts the others. So a
// request starts after the notifications sent before it were handled.
type dispatcher struct {
	table map[string]boundRow
	gate  gate // used by run only
	conn  *Conn

	mu      sync.Mutex // guards everything below
	arrived sync.Cond  // waiting grew, or closed
	room    sync.Cond  // waiting shrank
	waiting []arrival
	bytes   int
	closed  bool
	running int
	chains  map[string]<-chan struct{} // the end of each session's chain

	handlers sync.WaitGroup // everything start started
}

// arrival is a message and, for a request, its call; or the answer to a
// malformed one; or a document that was lost; or the end of the input.
type arrival struct {
	msg     message
	call    *Call
	refusal json.RawMessage
	forget  string // the uri of a document that was lost
	turn    *turn  // of an answer to a request of ours
	end     bool
}

func newDispatcher(table map[string]boundRow, conn *Conn) *dispatcher {
	d := &dispatcher{table: table, conn: conn, gate: gate{lines: conn.cfg.Lines}, chains: map[string]<-chan struct{}{}}
	d.arrived.L, d.room.L = &d.mu, &d.mu
	return d
}

// put appends a message. It waits only while 64 MiB wait already, which takes
// an ordered handler that hangs.
func (d *dispatcher) put(a arrival) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.bytes > maxWaiting && !d.closed {
		d.room.Wait()
	}
	d.bytes += len(a.msg.params)
	d.waiting = append(d.waiting, a)
	d.arrived.Signal()
}

// close ends run once the queue is empty.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.arrived.Broadcast()
	d.room.Broadcast()
}

// run is the dispatcher's goroutine; the connection waits for it.
func (d *dispatcher) run() {
	for {
		d.mu.Lock()
		for len(d.waiting) == 0 && !d.closed {
			d.arrived.Wait()
		}
		batch := d.waiting
		d.waiting = nil
		d.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for i := range batch {
			d.dispatch(batch[i])
			d.done(len(batch[i].msg.params))
			batch[i] = arrival{}
		}
	}
}

func (d *dispatcher) done(bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes -= bytes
	d.room.Broadcast()
}

func (d *dispatcher) dispatch(a arrival) {
	switch {
	case a.end:
		d.conn.leave(d.gate.end())
	case a.turn != nil:
		d.take(a.turn)
	case a.forget != "":
		d.conn.cfg.Forget(a.forget)
	case a.refusal != nil:
		d.conn.outbox.respond(a.refusal)
	case a.call != nil:
		d.request(a.call)
	default:
		d.notification(a.msg)
	}
}

func (d *dispatcher) notification(m message) {
	if !d.gate.notification(m.method) {
		return
	}
	switch m.method {
	case "exit":
		d.conn.leave(d.gate.code)
		return
	case "initialized":
		d.conn.outbox.open()
	case "$/setTrace":
		d.conn.SetTrace(MemberString(m.params, "value"))
	default:
		d.conn.logTrace("notification "+CutText(m.method, 200), string(m.params))
	}
	r, known := d.table[m.method]
	switch {
	case known && r.notification:
		d.notify(m, r)
	case !known && !strings.HasPrefix(m.method, "$/") && m.method != "initialized":
		d.conn.report("ignore an unknown notification", errors.New(CutText(m.method, 200)))
	}
}

// notify runs a notification's handler.
func (d *dispatcher) notify(m message, r boundRow) {
	finished := false
	defer func() {
		if !finished {
			d.panicked(m.method, recover())
		}
	}()
	_, err := r.handle(d.conn.base, nil, m.params)
	finished = true
	if err != nil {
		d.conn.report("handle "+m.method, err)
	}
}

func (d *dispatcher) request(c *Call) {
	if why := d.gate.request(c.method); why != nil {
		d.answer(c, nil, why)
		return
	}
	d.conn.logTrace("request "+CutText(c.method, 200)+" "+CutText(string(c.raw), 100), string(c.params))
	r, known := d.table[c.method]
	switch {
	case !known && c.method == "shutdown" && !d.gate.lines:
		d.answer(c, json.RawMessage("null"), nil)
	case !known || r.notification:
		d.answer(c, nil, methodNotFound(c.method))
	case r.concurrency == Ordered:
		ok := d.handle(c, r)
		switch {
		case c.method != "initialize":
		case !ok:
			d.gate.initializeFailed()
		case d.gate.lines:
			d.conn.outbox.open()
		}
	default:
		d.start(c, r)
	}
}

// start runs a handler in its own goroutine, in its session's turn.
func (d *dispatcher) start(c *Call, r boundRow) {
	d.mu.Lock()
	if d.running >= maxRunning && r.concurrency != Global {
		d.mu.Unlock()
		d.answer(c, nil, Overloaded(overloadedMs))
		return
	}
	d.running++
	var turn <-chan struct{}
	unchain := func() {}
	if r.key != nil {
		turn, unchain = d.chain(c, r.key(c.params))
	}
	d.mu.Unlock()

	d.handlers.Go(func() {
		// Not given up when the client cancels: the handler sees a cancelled context
		// in its turn, so that a run answers as a run.
		if turn != nil {
			<-turn
		}
		defer func() {
			c.Release()
			unchain()
			d.mu.Lock()
			d.running--
			d.mu.Unlock()
		}()
		d.handle(c, r)
	})
}

// chain puts c behind the earlier calls with its key. turn, where not nil, is
// closed when the one before it is done; unchain forgets a chain that has ended.
// The caller holds mu.
func (d *dispatcher) chain(c *Call, key string) (turn <-chan struct{}, unchain func()) {
	quick := make(chan struct{})
	c.quick = quick
	turn = d.chains[key]
	d.chains[key] = quick
	return turn, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.chains[key] == quick {
			delete(d.chains, key)
		}
	}
}

// handle runs the handler of a request and answers it exactly once, whatever
// the handler does. It says whether the answer is a result.
func (d *dispatcher) handle(c *Call, r boundRow) (ok bool) {
	finished := false
	defer func() {
		if !finished {
			d.panicked(c.method, recover())
			d.answer(c, nil, Internal("%s failed unexpectedly; the log has the details", c.method))
		}
	}()
	result, err := r.handle(c.ctx, c, c.params)
	finished = true
	if err != nil {
		d.answer(c, nil, toWire(err, c.cancelled(), d.conn.cfg.Domain))
		return false
	}
	d.answer(c, result, nil)
	return true
}

// answer sends the response through jsonrpc2.
func (d *dispatcher) answer(c *Call, result json.RawMessage, why *Error) {
	c.result = result
	if why != nil {
		c.failure = why.Encode()
	}
	if err := d.conn.respond(c); err != nil {
		d.conn.report("answer "+c.method, err)
	}
	c.cancel(nil)
}

func (d *dispatcher) panicked(method string, value any) {
	stack := debug.Stack()
	if d.conn.cfg.Panicked != nil {
		d.conn.cfg.Panicked(method, value, stack)
	}
	d.conn.report("handle "+method, fmt.Errorf("panic: %v", value))
}
