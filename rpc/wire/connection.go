package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// How long leaving takes at most (within 5 s of a dead parent).
const (
	drainGrace = 2 * time.Second // from the end until requests in flight are cancelled
	leaveGrace = time.Second     // for the client to take what is queued; half for each other step
)

// Config is what a connection is made of.
type Config struct {
	In  io.Reader // closed at the end if it can be
	Out io.Writer // written by one goroutine
	// Lines is one message a line in the place of the frames of LSP, and with it the lifecycle of
	// the Agent Client Protocol: initialize alone opens the connection, and a request is
	// cancelled by $/cancel_request.
	Lines bool

	// Log is where events are read again that did not fit into memory.
	Log EventLog
	// Gap makes the params of the ephemeral event gap.
	Gap func(session string, fromAfterSeq, droppedBytes int64) json.RawMessage
	// Report is told of failures that nobody else hears of: a broken pipe, an
	// unreadable log, a notification's error. nil: nobody is told.
	Report func(what string, err error)

	// Ended is called once, when exit or the end of the input has come in its
	// turn, or Serve's context ended: the time to stop runs. Requests in flight
	// are answered after it, for 2 s with their contexts alive.
	Ended func()
	// Domain gives the errors of other packages their form on the wire, nil for
	// those it does not know.
	Domain func(error) *Error
	// Forget is told of a document whose notification was too large; nil: nobody
	// keeps documents.
	Forget func(uri string)
	// Panicked is told of every handler's panic.
	Panicked func(method string, value any, stack []byte)
}

// Conn is one client: reader, dispatcher, outbox and jsonrpc2 between
// them.
type Conn struct {
	cfg        Config
	*outbox    // its exported methods say what is sent; none of them waits for the client
	stream     *stream
	rpc        *jsonrpc2.Conn
	calls      *calls
	dispatcher *dispatcher

	base    context.Context // parent of every handler's context
	stop    context.CancelCauseFunc
	present context.Context // ends when the client can answer no more
	gone    context.CancelCauseFunc

	start       chan struct{} // closed by Serve: nothing is read before its caller has the connection
	leaving     sync.Once
	left        chan struct{} // closed by leave
	code        int           // exit code; set before left is closed
	over        chan struct{} // closed when everything is answered and written
	dispatching sync.WaitGroup
	trace       atomic.Value // string
}

// Connect makes a connection that can write; Serve, which must be called, lets it
// read. The rows' handlers are methods of s.
func Connect[S any](s S, rows []Row[S], cfg Config) *Conn {
	c := &Conn{cfg: cfg, calls: newCalls(), start: make(chan struct{}), left: make(chan struct{}), over: make(chan struct{})}
	c.base, c.stop = context.WithCancelCause(context.Background())
	c.present, c.gone = context.WithCancelCause(context.Background())
	c.SetTrace("")
	c.outbox = newOutbox(cfg.Out, outboxConfig{log: cfg.Log, gap: cfg.Gap, report: cfg.Report, lines: cfg.Lines})
	c.dispatcher = newDispatcher(bind(s, rows), c)
	c.stream = &stream{
		frames: newIncoming(cfg.In, cfg.Lines), in: cfg.In, out: c.outbox,
		calls: c.calls, client: &clientCalls{}, report: c.report,
		start: c.start, base: c.base, refuse: c.refuse, forget: c.forget, ended: c.inputEnded, answered: c.answered,
	}
	c.dispatching.Go(c.dispatcher.run)
	c.rpc = jsonrpc2.NewConn(context.Background(), c.stream, received{c}, jsonrpc2.SetLogger(received{c}))
	return c
}

// Serve runs until exit, the end of the input or the end of ctx (which counts
// as exit without shutdown), lets everything that was read be answered and
// written, and returns the exit code. Each step has a time limit, so that a
// client that does not read, or a handler that does not end, cannot keep the
// process.
func (c *Conn) Serve(ctx context.Context) int {
	close(c.start)
	select {
	case <-c.left:
	case <-ctx.Done():
		c.leave(1)
	}
	began := time.Now()
	c.gone(ErrClientGone)
	if c.cfg.Ended != nil {
		c.cfg.Ended()
	}
	if !within(drainGrace-time.Since(began), c.calls.whenIdle()) {
		c.stop(ErrClientGone)
		if !within(leaveGrace/2, c.calls.whenIdle()) {
			c.report("leave", fmt.Errorf("unanswered: %v", c.calls.unanswered()))
		}
	}
	c.stop(ErrClientGone)
	c.outbox.close(true)
	if !within(leaveGrace, c.outbox.done) {
		c.outbox.close(false)
	}
	close(c.over)
	c.rpc.Close()
	c.dispatcher.close()
	if !within(leaveGrace/2, waited(&c.dispatching, &c.dispatcher.handlers)) {
		c.report("leave", fmt.Errorf("a handler did not end"))
	}
	return c.code
}

// leave says once with which code Serve is to end. Safe from any goroutine: the
// death of the parent comes this way too.
func (c *Conn) leave(code int) {
	c.leaving.Do(func() {
		c.code = code
		close(c.left)
	})
}

// End puts the end of the input into the queue, as if it had come now: what was
// read before is still answered.
func (c *Conn) End() { c.dispatcher.put(arrival{end: true}) }

// AwaitEarlier waits until every request that came before answered is answered,
// but not longer than limit; for shutdown, which is the last word.
func (c *Conn) AwaitEarlier(answered *Call, limit time.Duration) {
	within(limit, c.calls.whenOnly(answered))
}

// inputEnded puts the end of the input behind everything read before it and
// returns when all of that is answered, so that jsonrpc2 does not close over it.
func (c *Conn) inputEnded(err error) {
	if err != nil {
		c.report("read from the client", err)
	}
	c.gone(ErrClientGone)
	c.End()
	<-c.over
}

// refuse answers a message that is wrong in itself.
func (c *Conn) refuse(id json.RawMessage, why *Error) {
	c.dispatcher.put(arrival{refusal: response(id, nil, why.Encode())})
}

// forget lets the documents know of one whose text was lost.
func (c *Conn) forget(uri string) {
	if c.cfg.Forget != nil {
		c.dispatcher.put(arrival{forget: uri})
	}
}

// received is the jsonrpc2.Handler. It runs on the reader and waits for
// nothing: responses never come here, and $/cancelRequest is done at once.
type received struct{ c *Conn }

// Handle takes the message behind the envelope that the stream just returned.
func (r received) Handle(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) {
	msg, call := r.c.stream.current, r.c.stream.currentCall
	if cancelled := r.c.cancelling(); msg.kind == isNotification && msg.method == cancelled.method {
		r.c.cancelRequest(msg.params, cancelled.member)
		return
	}
	r.c.dispatcher.put(arrival{msg: msg, call: call})
}

// cancelling is the notification that takes a request back, and the member that names the request.
type cancelling struct{ method, member string }

func (c *Conn) cancelling() cancelling {
	if c.cfg.Lines {
		return cancelling{"$/cancel_request", "requestId"}
	}
	return cancelling{"$/cancelRequest", "id"}
}

// cancelRequest compares the client's raw id.
func (c *Conn) cancelRequest(params json.RawMessage, member string) {
	if len(params) == 0 || params[0] != '{' {
		return
	}
	eachMember(params, func(name string, value []byte) bool {
		if name == member && LegalID(value) {
			c.calls.cancel(value, errCancelledByClient)
		}
		return true
	})
}

// respond passes a finished call through jsonrpc2 to WriteObject. When jsonrpc2
// is closed the response is lost, and with it the place kept for it.
func (c *Conn) respond(answered *Call) error {
	null := json.RawMessage("null")
	err := c.rpc.SendResponse(context.Background(), &jsonrpc2.Response{
		ID: jsonrpc2.ID{Num: uint64(answered.id)}, Result: &null,
	})
	if err == nil || c.calls.take(answered.id) == nil {
		return err
	}
	answered.mu.Lock()
	defer answered.mu.Unlock()
	if answered.place != nil {
		answered.place.release()
	}
	c.calls.finish(answered)
	return err
}

// SetTrace is `trace` of initialize and $/setTrace; anything but messages and
// verbose is off.
func (c *Conn) SetTrace(value string) {
	if value != "messages" && value != "verbose" {
		value = "off"
	}
	c.trace.Store(value)
}

// logTrace sends $/logTrace if the client asked for it; verbose is sent only
// where it asked for that.
func (c *Conn) logTrace(message, verbose string) {
	level, _ := c.trace.Load().(string)
	if level == "off" {
		return
	}
	params := map[string]string{"message": message}
	if level == "verbose" && verbose != "" {
		params["verbose"] = verbose
	}
	if encoded, err := EncodeJSON(params); err == nil {
		c.outbox.notify("$/logTrace", encoded)
	}
}

func (c *Conn) report(what string, err error) {
	if c.cfg.Report != nil {
		c.cfg.Report(what, err)
	}
}

// Printf makes it jsonrpc2's logger as well.
func (r received) Printf(format string, args ...any) {
	r.c.report("jsonrpc2", fmt.Errorf(format, args...))
}

// within waits for done, but not longer than limit.
func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// waited returns a channel that is closed when all groups are done.
func waited(groups ...*sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, g := range groups {
			g.Wait()
		}
	}()
	return done
}

// Notify queues a notification that stays where it is: everything that is not an
// event. params may be what Ask takes; nil leaves them out.
func (c *Conn) Notify(method string, params any) error {
	if params == nil {
		c.outbox.notify(method, nil)
		return nil
	}
	encoded, err := encodeValue(params)
	if err != nil {
		return fmt.Errorf("encode the params of %s: %w", method, err)
	}
	c.outbox.notify(method, encoded)
	return nil
}
