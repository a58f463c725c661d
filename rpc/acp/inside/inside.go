// Package inside is a client of the sidecar's own protocol over a pair of pipes: what an editor
// is to a server, for a front end in the same process.
package inside

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// Client is the connection to one server. One goroutine reads, and what it calls must not wait for an answer of
// the same server.
type Client struct {
	framed *wire.Framed
	out    io.Closer // what the server reads
	// Hear takes what the server sends by itself; id is nil for a notification. It is set before Read.
	Hear func(method string, id, params json.RawMessage)

	mu      sync.Mutex // guards everything below
	last    int64
	waiting map[int64]func(Answer)
	over    bool
}

// Answer is what the server said to a request.
type Answer struct {
	Result json.RawMessage
	Err    error
}

// envelope is one message of the server.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *failure        `json:"error"`
}

// failure is an error of the server. Its code, kind and data are handed on as they are.
type failure struct {
	Code    int64          `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data"`
}

// asError is the same error for our own client.
func (f *failure) asError() *wire.Error {
	e := &wire.Error{Code: f.Code, Message: f.Message}
	for name, value := range f.Data {
		switch name {
		case "kind":
			e.Kind, _ = value.(string)
		case "retryable":
			e.Retryable, _ = value.(bool)
		default:
			e = e.With(name, value)
		}
	}
	return e
}

// ErrGone is why a request has no answer once the server has left.
var ErrGone = errors.New("the workspace was closed")

// New is a client that reads from in and writes to out; Close closes both.
func New(in io.ReadCloser, out io.WriteCloser) *Client {
	return &Client{out: out, framed: wire.NewFramed(in, out, func() {}), waiting: map[int64]func(Answer){}}
}

// Read hands on what comes until the server leaves.
func (i *Client) Read() {
	for {
		var m envelope
		if i.framed.ReadObject(&m) != nil {
			break
		}
		if m.Method != "" {
			i.Hear(m.Method, m.ID, m.Params)
			continue
		}
		got := Answer{Result: m.Result}
		if m.Error != nil {
			got.Err = m.Error.asError()
		}
		id, _ := strconv.ParseInt(string(m.ID), 10, 64) // all of ours are numbers
		if then := i.take(id); then != nil {
			then(got)
		}
	}
	i.mu.Lock()
	i.over = true
	left := i.waiting
	i.waiting = nil
	i.mu.Unlock()
	for _, then := range left {
		then(Answer{Err: ErrGone})
	}
}

func (i *Client) take(id int64) func(Answer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	then := i.waiting[id]
	delete(i.waiting, id)
	return then
}

// Post sends a request. then is called with the answer by the reader, in its turn among what
// the server sends.
func (i *Client) Post(method string, params any, then func(Answer)) (id int64) {
	i.mu.Lock()
	over := i.over
	if !over {
		i.last++
		id = i.last
		i.waiting[id] = then
	}
	i.mu.Unlock()
	if over {
		then(Answer{Err: ErrGone})
		return 0
	}
	if err := i.framed.WriteObject(call{"2.0", id, method, params}); err != nil {
		if then := i.take(id); then != nil {
			then(Answer{Err: ErrGone})
		}
	}
	return id
}

type call struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *failure        `json:"error"`
}

// Notify sends a notification.
func (i *Client) Notify(method string, params any) {
	_ = i.framed.WriteObject(notification{"2.0", method, params}) // a server that has left hears nothing
}

// Respond answers a request of the server.
func (i *Client) Respond(id json.RawMessage, result any) {
	_ = i.framed.WriteObject(response{"2.0", id, result})
}

// Refuse answers a request that this client does not know.
func (i *Client) Refuse(id json.RawMessage, method string) {
	_ = i.framed.WriteObject(refusal{"2.0", id, &failure{Code: wire.CodeMethodNotFound, Message: method}})
}

// Ask sends a request and waits for the answer, which is decoded into into, a pointer or nil. When ctx
// ends the server is told, and its answer is waited for all the same: it always comes.
func (i *Client) Ask(ctx context.Context, method string, params, into any) error {
	return i.AskInTurn(ctx, method, params, into, func() {})
}

// AskInTurn asks as Ask does. turn is called by the reader when the answer has come, before what the server sends
// behind it is heard.
func (i *Client) AskInTurn(ctx context.Context, method string, params, into any, turn func()) error {
	got := make(chan Answer, 1)
	id := i.Post(method, params, func(a Answer) {
		turn()
		got <- a
	})
	var a Answer
	select {
	case a = <-got:
	case <-ctx.Done():
		i.Notify("$/cancelRequest", map[string]any{"id": id})
		a = <-got
	}
	if a.Err != nil || into == nil {
		return a.Err
	}
	if raw, is := into.(*json.RawMessage); is {
		*raw = a.Result
		return nil
	}
	return json.Unmarshal(a.Result, into)
}

// Leave closes the pipe that the server reads: it stops what runs, says what is left to say, and leaves.
func (i *Client) Leave() { _ = i.out.Close() }
