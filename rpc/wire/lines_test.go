package wire

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLines: one body a line, however it comes; a line that is too long costs itself alone, and what the
// end of the input has cut is nothing.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxFrameBytes)
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"two":              {"{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		"carriage returns": {"{\"a\":1}\r\n\r\n  \n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}},
		"cut at the end":   {"{\"a\":1}\n{\"b\":", []string{`{"a":1}`}},
		"longer than a buffer": {
			`{"a":"` + long[:200<<10] + "\"}\n{}\n", []string{`{"a":"` + long[:200<<10] + `"}`, "{}"},
		},
		"too long":           {`{"a":"` + long + "\"}\n{}\n", []string{errLineTooLong.Error(), "{}"}},
		"too long, no end":   {`{"a":"` + long + long, nil},
		"nothing":            {"", nil},
		"no object, but one": {"[]\nnull\n", []string{"[]", "null"}},
	} {
		for way, in := range map[string]io.Reader{"at once": strings.NewReader(c.in), "halves": iotest.HalfReader(strings.NewReader(c.in))} {
			lines := newIncoming(in, true)
			var got []string
			for {
				body, err := lines.next()
				if err != nil && !lines.recoverable(err) {
					if !errors.Is(err, io.EOF) {
						t.Errorf("%s, %s: %v", name, way, err)
					}
					break
				}
				if err != nil {
					body = []byte(err.Error())
				}
				got = append(got, string(body))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %d bodies, want %d", name, way, len(got), len(c.want))
			}
		}
	}
}

// TestLinesConnection: over lines a connection is open once initialize is answered, shutdown and exit are
// nothing, and a request is taken back by the name that the protocol has for it.
func TestLinesConnection(t *testing.T) {
	in, out := io.Pipe()
	read, write := io.Pipe()
	conn := Connect(lineServer{}, []Row[lineServer]{
		{Name: "initialize", Method: Handle(lineServer.initialize)},
		{Name: "wait", Concurrency: Read, Method: Handle(lineServer.wait)},
	}, Config{In: in, Out: write, Lines: true})
	code := make(chan int, 1)
	go func() { code <- conn.Serve(t.Context()); write.Close() }()
	answers := newIncoming(read, true)
	for _, step := range []struct{ say, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
		{`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: shutdown"}}`},
		{`{"jsonrpc":"2.0","method":"exit"}` + "\n" + `not json`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"malformed JSON"}}`},
		{`{"jsonrpc":"2.0","id":"w","method":"wait"}` + "\n" + `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"w"}}`, `{"jsonrpc":"2.0","id":"w","error":{"code":-32800,"message":"request cancelled"}}`},
	} {
		if _, err := io.WriteString(out, step.say+"\n"); err != nil {
			t.Fatal(err)
		}
		got, err := answers.next()
		if err != nil || string(got) != step.want {
			t.Errorf("%s: %s, %v; want %s", step.say, got, err, step.want)
		}
	}
	out.Close()
	if got := <-code; got != 0 {
		t.Errorf("the end of the input gives %d", got)
	}
}

// lineServer answers what the test asks.
type lineServer struct{}

func (lineServer) initialize(context.Context, *Call, None) (None, error) { return None{}, nil }

func (lineServer) wait(ctx context.Context, _ *Call, _ None) (None, error) {
	<-ctx.Done()
	return None{}, context.Cause(ctx)
}
