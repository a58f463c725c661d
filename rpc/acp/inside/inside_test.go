package inside

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// TestClient: answers and what the server sends by itself are heard in their order, an error keeps its kind, a request
// that is given up is taken back and its answer waited for, and once the server has left nobody waits any more.
func TestClient(t *testing.T) {
	toServer, fromUs := io.Pipe()
	fromServer, toUs := io.Pipe()
	c := New(fromServer, fromUs)
	var heard []string
	c.Hear = func(method string, id, _ json.RawMessage) {
		heard = append(heard, method)
		if id != nil {
			c.Refuse(id, method)
		}
	}
	read := make(chan struct{})
	go func() { c.Read(); close(read) }()
	server := wire.NewFramed(toServer, toUs, func() {})
	next := func() (m envelope) {
		t.Helper()
		if err := server.ReadObject(&m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	say := func(text string) {
		t.Helper()
		if err := server.WriteObject(json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
	}

	got := make(chan error, 1)
	var into struct{ A int }
	go func() {
		got <- c.AskInTurn(t.Context(), "one", map[string]int{"x": 1}, &into, func() { heard = append(heard, "the answer") })
	}()
	if m := next(); m.Method != "one" || string(m.Params) != `{"x":1}` {
		t.Errorf("%+v", m)
	}
	say(`{"jsonrpc":"2.0","method":"before"}`)
	say(`{"jsonrpc":"2.0","id":1,"result":{"a":5}}`)
	say(`{"jsonrpc":"2.0","method":"behind"}`)
	if err := <-got; err != nil || into.A != 5 {
		t.Errorf("%v, %+v", err, into)
	}
	go func() { got <- c.Ask(t.Context(), "two", struct{}{}, nil) }()
	next()
	say(`{"jsonrpc":"2.0","id":"x","method":"question","params":{}}`)
	if m := next(); string(m.ID) != `"x"` || m.Error == nil || m.Error.Code != wire.CodeMethodNotFound {
		t.Errorf("a question that is not known: %+v", m)
	}
	say(`{"jsonrpc":"2.0","id":2,"error":{"code":-32803,"message":"no","data":{"kind":"locked","retryable":true,"pid":7}}}`)
	failed, is := errors.AsType[*wire.Error](<-got)
	if !is || failed.Kind != "locked" || !failed.Retryable || failed.Data["pid"] != 7.0 {
		t.Errorf("%+v", failed)
	}
	if want := []string{"before", "the answer", "behind", "question"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { got <- c.Ask(ctx, "three", struct{}{}, nil) }()
	next()
	cancel()
	if m := next(); m.Method != "$/cancelRequest" || !strings.Contains(string(m.Params), "3") {
		t.Errorf("%+v", m)
	}
	say(`{"jsonrpc":"2.0","id":3,"result":null}`)
	if err := <-got; err != nil {
		t.Errorf("an answer behind a cancel: %v", err)
	}

	go func() { got <- c.Ask(t.Context(), "four", struct{}{}, nil) }()
	next()
	toUs.Close()
	if err := <-got; !errors.Is(err, ErrGone) {
		t.Errorf("the server has left: %v", err)
	}
	<-read
	if err := c.Ask(t.Context(), "five", struct{}{}, nil); !errors.Is(err, ErrGone) {
		t.Errorf("behind its end: %v", err)
	}
}
