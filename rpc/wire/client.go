package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// clientCalls are our requests that the client has not answered. Their ids are
// strings, "s1" and up: some clients take 0 for no id, and a string is never
// mistaken for one of their own.
type clientCalls struct {
	mu      sync.Mutex // guards everything below
	last    int64
	pending map[string]*clientCall
}

// clientCall is one request of ours.
type clientCall struct {
	id, method string
	params     json.RawMessage
	answer     message // set before jsonrpc2 is told of it
	abandoned  bool    // nobody waits; the late answer is dropped
	turn       *turn   // of the answer among the client's requests; nil: it has none
}

func (cs *clientCalls) add(method string, params json.RawMessage, t *turn) *clientCall {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.pending == nil {
		cs.pending = map[string]*clientCall{}
	}
	cs.last++
	c := &clientCall{id: "s" + strconv.FormatInt(cs.last, 10), method: method, params: params, turn: t}
	cs.pending[c.id] = c
	return c
}

// settle keeps a response for anyone who waits and says what it answers. nil means
// that it answers no request of ours and jsonrpc2 must not see it.
func (cs *clientCalls) settle(m message) *clientCall {
	if len(m.id) == 0 || m.id[0] != '"' {
		return nil
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.pending[unquote(m.id)]
	if c == nil {
		return nil
	}
	delete(cs.pending, c.id)
	if !c.abandoned {
		c.answer = m
	}
	return c
}

// abandon stops waiting for c. It says whether the client is still to be told.
func (cs *clientCalls) abandon(c *clientCall) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.abandoned || cs.pending[c.id] != c {
		return false
	}
	c.abandoned = true
	return true
}

// write sends the request that jsonrpc2 made an envelope of.
func (cs *clientCalls) write(id json.RawMessage, out *outbox) error {
	cs.mu.Lock()
	c := cs.pending[unquote(id)]
	cs.mu.Unlock()
	if c == nil {
		return fmt.Errorf("request %s is not one of ours", id)
	}
	body := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	body = strconv.AppendQuote(append(body, `,"method":`...), c.method)
	if string(c.params) != "null" { // params, where there are any, must be structured
		body = append(append(body, `,"params":`...), c.params...)
	}
	out.request(append(body, '}'))
	return nil
}

// Asking is a request of ours on its way to the client.
type Asking struct {
	conn   *Conn
	call   *clientCall
	waiter jsonrpc2.Waiter
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   func() bool

	ctxEnded bool // Wait returned without an answer
}

// errWithdrawn is why a request of ours that was retracted has no answer.
var errWithdrawn = errors.New("withdrawn")

// Ask asks the client: when it returns the request has its place in the outbox,
// and Wait, which must be called once, has the answer. params may be a type of
// ours, an LSP type or raw JSON. When ctx ends first, $/cancelRequest is sent and
// a late answer is dropped.
func (c *Conn) Ask(ctx context.Context, method string, params any) (*Asking, error) {
	return c.ask(ctx, method, params, nil)
}

func (c *Conn) ask(ctx context.Context, method string, params any, t *turn) (*Asking, error) {
	encoded, err := encodeValue(params)
	if err != nil {
		return nil, fmt.Errorf("encode the params of %s: %w", method, err)
	}
	a := &Asking{conn: c}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.stop = context.AfterFunc(c.present, func() { a.cancel(context.Cause(c.present)) })
	if a.ctx.Err() != nil {
		defer a.done()
		return nil, context.Cause(a.ctx)
	}
	a.call = c.stream.client.add(method, encoded, t)
	a.waiter, err = c.rpc.DispatchCall(a.ctx, method, nil, jsonrpc2.PickID(jsonrpc2.ID{Str: a.call.id, IsString: true}))
	if err != nil {
		a.done()
		return nil, fmt.Errorf("ask the client for %s: %w", method, err)
	}
	return a, nil
}

// Wait returns when the client has answered. result is a pointer to what params
// may be, or nil; a null leaves it as it is (json.RawMessage gets the null). A no
// of the client is an error, see IsMethodNotFound; without an answer the error is
// the cause of Ask's ctx. It must not be called from an Ordered handler, behind
// which nothing is dispatched, but responses always come through.
func (a *Asking) Wait(result any) error {
	defer a.done()
	if err := a.waiter.Wait(a.ctx, nil); err != nil {
		a.ctxEnded = true
		if a.ctx.Err() == nil {
			return ErrClientGone // jsonrpc2 is closed
		}
		a.Retract()
		return context.Cause(a.ctx)
	}
	if a.call.answer.failure != nil {
		return decodeFailure(a.call.answer.failure)
	}
	return decodeResult(a.call.method, a.call.answer.result, result)
}

// Retract tells the client that the answer is not needed any more, unless it has
// come already; Wait returns.
func (a *Asking) Retract() {
	if a.conn.stream.client.abandon(a.call) {
		cancelled := a.conn.cancelling()
		a.conn.outbox.notify(cancelled.method, json.RawMessage(`{"`+cancelled.member+`":"`+a.call.id+`"}`))
	}
	a.cancel(errWithdrawn)
}

func (a *Asking) done() {
	a.stop()
	a.cancel(nil)
}

func decodeFailure(raw json.RawMessage) error {
	var failure clientError
	if json.Unmarshal(raw, &failure) != nil {
		failure = clientError{Code: CodeInternalError, Message: "malformed error: " + CutText(string(raw), 200)}
	}
	return &failure
}

func decodeResult(method string, raw json.RawMessage, result any) error {
	switch into := result.(type) {
	case nil:
		return nil
	case *json.RawMessage:
		*into = raw
		return nil
	}
	if string(raw) == "null" {
		return nil
	}
	if err := codecFor(reflect.TypeOf(result)).unmarshal(raw, result); err != nil {
		return fmt.Errorf("decode the client's answer to %s: %w", method, err)
	}
	return nil
}
