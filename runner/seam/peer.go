package seam

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// Handler takes what the other side says. Notifications are handed over one after the other, in
// order with the answers behind them; each request has a goroutine of its own.
type Handler interface {
	Request(ctx context.Context, method string, params json.RawMessage) (any, error)
	Notification(method string, params json.RawMessage)
}

// Peer is one end of the connection.
type Peer struct {
	conn     *jsonrpc2.Conn
	stop     func() // the beat
	requests answering
}

// answering counts the requests that are being answered. Some may still be read while the
// connection is closed: they get no answer.
type answering struct {
	mu   sync.Mutex // guards over
	over bool
	all  sync.WaitGroup
}

func (a *answering) begin(answer func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.all.Go(answer)
	}
}

// wait returns when all are answered. No other one begins.
func (a *answering) wait() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.all.Wait()
}

// Connect speaks over a pair of pipes, which it closes at the end. The connection ends with
// ctx, when a pipe ends, and when nothing has come for a silence.
func Connect(ctx context.Context, in io.ReadCloser, out io.WriteCloser, silence time.Duration, h Handler) *Peer {
	p := &Peer{}
	var framed *wire.Framed
	quiet := time.AfterFunc(silence, func() { _ = framed.Close() })
	framed = wire.NewFramed(in, out, func() { quiet.Reset(silence) })
	p.conn = jsonrpc2.NewConn(ctx, framed, handling{h, &p.requests}, jsonrpc2.SetLogger(silent{}))
	gone := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { p.beat(gone) })
	p.stop = sync.OnceFunc(func() {
		close(gone)
		quiet.Stop()
		beating.Wait()
	})
	return p
}

// beat says again and again that this side is there.
func (p *Peer) beat(gone chan struct{}) {
	t := time.NewTicker(Beat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			p.Tell(Alive, nil)
		case <-p.Gone():
			return
		case <-gone:
			return
		}
	}
}

// Gone is closed when the connection has ended.
func (p *Peer) Gone() <-chan struct{} { return p.conn.DisconnectNotify() }

// Close ends the connection, and returns when all that was asked is answered, though
// nobody hears it.
func (p *Peer) Close() {
	_ = p.conn.Close() // it has ended either way
	<-p.Gone()
	p.stop()
	p.requests.wait()
}

// Tell sends a notification. That nobody is there any more shows in what is asked.
func (p *Peer) Tell(method string, params any) {
	_ = p.conn.Notify(context.Background(), method, params)
}

// RoundTrip asks the other side whether it is there, and says how long the answer took: what
// any question takes beside the work for it.
func (p *Peer) RoundTrip(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	_, err := Ask[struct{}](ctx, p, Alive, nil)
	return time.Since(began), err
}

// ErrGone is why a question has no answer: the connection has ended.
var ErrGone = errors.New("the connection to the worker has ended")

// Ask asks the other side. An error that it answered with has its words.
func Ask[R any](ctx context.Context, p *Peer, method string, params any) (R, error) {
	var out R
	err := p.conn.Call(ctx, method, params, &out)
	said, answered := errors.AsType[*jsonrpc2.Error](err)
	switch {
	case err == nil:
		return out, nil
	case answered:
		return out, errors.New(said.Message)
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	}
	return out, ErrGone
}

// silent is told of damaged frames, of which who asks hears as well.
type silent struct{}

func (silent) Printf(string, ...any) {}

// handling lets jsonrpc2 call a Handler.
type handling struct {
	h        Handler
	requests *answering
}

func (a handling) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		if req.Method != Alive {
			a.h.Notification(req.Method, params)
		}
		return
	}
	a.requests.begin(func() {
		var result any = struct{}{}
		var err error
		if req.Method != Alive {
			result, err = a.h.Request(ctx, req.Method, params)
		}
		if err != nil {
			_ = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: wire.CodeFailed, Message: err.Error()})
			return
		}
		if err := conn.Reply(ctx, req.ID, result); err != nil { // it cannot be said, or it is too long
			_ = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: wire.CodeInternalError, Message: err.Error()})
		}
	})
}
