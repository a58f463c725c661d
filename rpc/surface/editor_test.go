package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// editor is a client that a test plays by hand, past initialized; what it was
// sent is asked for. It is used inside a synctest bubble.
type editor struct {
	t    *testing.T
	conn *wire.Conn
	in   *io.PipeWriter
	code chan int // the exit code

	mu  sync.Mutex // guards got
	got bytes.Buffer
}

func startEditor(t *testing.T) *editor {
	in, w := io.Pipe()
	r := &editor{t: t, in: w, code: make(chan int, 1)}
	accept := func(*editor, context.Context, *wire.Call, wire.None) (wire.None, error) { return wire.None{}, nil }
	r.conn = wire.Connect(r, []wire.Row[*editor]{{Name: "initialize", Method: wire.Handle(accept)}}, wire.Config{In: in, Out: r, Gap: func(string, int64, int64) json.RawMessage { return nil }})
	go func() { r.code <- r.conn.Serve(context.Background()) }()
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	r.send(`{"jsonrpc":"2.0","method":"initialized"}`)
	if got := r.news(); len(got) != 1 {
		t.Fatalf("initialize was answered with %q", got)
	}
	return r
}

func (r *editor) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.Write(p)
}

func (r *editor) send(body string) {
	fmt.Fprintf(r.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// news are the bodies that came since it was asked last, once everything is at
// rest.
func (r *editor) news() (bodies [][]byte) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.got.Len() > 0 {
		var n int
		head, err := r.got.ReadString('\n')
		if _, bad := fmt.Sscanf(head, "Content-Length: %d", &n); bad != nil || err != nil {
			r.t.Fatalf("not a frame: %q", head)
		}
		bodies = append(bodies, bytes.Clone(r.got.Next(n + len("\r\n"))[len("\r\n"):]))
	}
	return bodies
}

// leave ends the input without shutdown, which is exit code 1.
func (r *editor) leave() {
	r.t.Helper()
	r.in.Close()
	if code := <-r.code; code != 1 {
		r.t.Errorf("exit code %d", code)
	}
}
