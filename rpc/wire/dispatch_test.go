package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// live is a connection that a test talks to while it runs.
type live struct {
	t     *testing.T
	scene *scene
	in    *io.PipeWriter
	wire  *tap
	told  *reports
	code  chan int
	seen  int
}

func start(t *testing.T, s *scene, rows []Row[*scene]) *live {
	r, w := io.Pipe()
	l := &live{t: t, scene: s, in: w, wire: newTap(true), told: &reports{}, code: make(chan int, 1)}
	s.conn = Connect(s, rows, Config{
		In: r, Out: l.wire,
		Gap: gapJSON, Report: l.told.add,
		Panicked: func(string, any, []byte) {},
	})
	go func() { l.code <- s.conn.Serve(context.Background()) }()
	l.send(initFrame, inited)
	l.expect(initReply)
	return l
}

func (l *live) send(bodies ...string) { io.WriteString(l.in, framesOf(bodies...)) }

// expect wants exactly these new messages, once everything is at rest.
func (l *live) expect(want ...string) {
	l.t.Helper()
	synctest.Wait()
	got := bodies(l.t, l.wire.read())[l.seen:]
	l.seen += len(got)
	if !slices.Equal(got, want) {
		l.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (l *live) exit(want int) {
	l.t.Helper()
	l.in.Close()
	if code := <-l.code; code != want {
		l.t.Errorf("exit code %d, want %d", code, want)
	}
}

func ask(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func answer(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// TestOrder: a request starts after the notifications sent before it, and
// notifications are handled in order.
func TestOrder(t *testing.T) {
	var in, want []string
	for i := range 500 {
		in = append(in, fmt.Sprintf(`{"jsonrpc":"2.0","method":"note","params":{"text":"%d"}}`, i))
		want = append(want, fmt.Sprintf("note %d", i))
		if i%50 == 0 {
			in = append(in, ask(fmt.Sprint(i), "text", fmt.Sprintf(`{"text":"%d"}`, i)))
			want = append(want, fmt.Sprintf("text %d", i))
		}
	}
	s := &scene{}
	out, _, _ := play(t, s, framesOf(append([]string{initFrame, inited}, in...)...))
	if !slices.Equal(s.seen, want) {
		t.Errorf("handled in another order: %v", s.seen)
	}
	if len(out) != 11 {
		t.Errorf("%d answers", len(out))
	}
}

// TestCancelRequest: by the client's raw id, "1" not being 1; an error becomes
// -32800 and a result stays one (protocol §7).
func TestCancelRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{gate: make(chan struct{}), started: make(chan string, 9)}
		l := start(t, s, sceneRows())
		l.send(ask(`1`, "wait", `{"text":"number"}`), ask(`"1"`, "wait", `{"text":"string"}`), ask(`0`, "await", `{}`))
		l.expect()
		l.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}`)
		l.expect(fault(`1`, -32800, "request cancelled"))
		l.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}}`)
		l.expect(answer(`0`, `{"stopReason":"cancelled"}`))
		close(s.gate)
		l.expect(answer(`"1"`, `"string"`))
		l.exit(1)
	})
}

// TestCancelInOneWrite: a request cancelled before its turn still answers as
// itself.
func TestCancelInOneWrite(t *testing.T) {
	out, _, _ := play(t, &scene{}, framesOf(initFrame, inited, ask(`5`, "await", `{}`), `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}`))
	if want := answer(`5`, `{"stopReason":"cancelled"}`); out[len(out)-1] != want {
		t.Errorf("got %q", out)
	}
}

// TestDuplicateID: the second request with an id in flight is refused, and the
// id is free again once the first is answered.
func TestDuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{gate: make(chan struct{}), started: make(chan string, 9)}
		l := start(t, s, sceneRows())
		l.send(ask(`"a"`, "wait", `{"text":"x"}`), ask(`"\u0061"`, "echo", `{}`))
		l.expect(fault(`"\u0061"`, -32600, "a request with this id is being answered"))
		close(s.gate)
		l.expect(answer(`"a"`, `"x"`))
		l.send(ask(`"a"`, "echo", `{}`))
		l.expect(answer(`"a"`, `{}`))
		l.exit(1)
	})
}

// TestPanic: a panic is the -32603 of its request only.
func TestPanic(t *testing.T) {
	out, _, told := play(t, &scene{}, framesOf(initFrame, inited, ask(`1`, "explode", `{}`)))
	if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"explode failed unexpectedly; the log has the details","data":{"kind":"internal","retryable":false}}}`; out[1] != want {
		t.Errorf("got %s", out[1])
	}
	if !strings.Contains(told.String(), "boom") {
		t.Errorf("reported: %s", told)
	}
}

// TestChains: calls of one session take turns, those of others do not wait, and
// release lets the next one start.
func TestChains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		gates := map[string]chan struct{}{"a1": make(chan struct{}), "a2": make(chan struct{}), "b1": make(chan struct{})}
		step := func(s *scene, ctx context.Context, c *Call, p textParams) (string, error) {
			s.see("start " + p.Text)
			if p.Text == "b1" {
				c.Release()
				c.Release()
			}
			if gate := gates[p.Text]; gate != nil {
				<-gate
			}
			return p.Text, nil
		}
		l := start(t, s, append(sceneRows(), Row[*scene]{Name: "step", Concurrency: PerSession, Method: Handle(step)}))
		for i, p := range []string{"a1", "a2", "a3", "b1", "b2"} {
			l.send(ask(fmt.Sprint(i), "step", fmt.Sprintf(`{"sessionId":"%c","text":"%s"}`, p[0], p)))
			synctest.Wait()
		}
		l.expect(answer("4", `"b2"`))
		if want := []string{"start a1", "start b1", "start b2"}; !slices.Equal(s.seen, want) {
			t.Errorf("started %v, want %v", s.seen, want)
		}
		close(gates["a1"])
		l.expect(answer("0", `"a1"`))
		close(gates["a2"])
		l.expect(answer("1", `"a2"`), answer("2", `"a3"`))
		close(gates["b1"])
		l.expect(answer("3", `"b1"`))
		if n := len(s.conn.dispatcher.chains); n != 0 {
			t.Errorf("%d chains are left", n)
		}
		l.exit(1)
	})
}

// TestReserve: what a handler causes comes behind its response (O2), also when
// the handler fails.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		run := func(s *scene, _ context.Context, c *Call, p textParams) (string, error) {
			c.Reserve()
			s.conn.out.event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
			switch p.Text {
			case "fail":
				return "", own(CodeFailed, "session_not_found", false, "session %q not found", "7").With("sessionId", "7")
			case "panic":
				panic("boom")
			}
			return "ack", nil
		}
		l := start(t, s, append(sceneRows(), Row[*scene]{Name: "go", Concurrency: PerSession, Method: Handle(run)}))
		evt := `{"jsonrpc":"2.0","method":"agent/event","params":{"seq":1}}`
		l.send(ask("1", "go", `{}`))
		l.expect(answer("1", `"ack"`), evt)
		l.send(ask("2", "go", `{"text":"fail"}`))
		l.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32803,"message":"session \"7\" not found","data":{"kind":"session_not_found","retryable":false,"sessionId":"7"}}}`, evt)
		l.send(ask("3", "go", `{"text":"panic"}`))
		l.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"go failed unexpectedly; the log has the details","data":{"kind":"internal","retryable":false}}}`, evt)
		l.exit(1)
	})
}

// TestAskClient: our requests have string ids, their answers come through
// whatever else is going on, and a cancelled one is withdrawn and forgotten.
func TestAskClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		l := start(t, s, sceneRows())
		answers := make(chan string, 9)
		call := func(ctx context.Context) {
			go func() {
				var got protocol.MessageActionItem
				asked, err := s.conn.Ask(ctx, "window/showMessageRequest", &protocol.ShowMessageRequestParams{Message: "<ok?>"})
				if err == nil {
					err = asked.Wait(&got)
				}
				answers <- fmt.Sprintf("%s %v %v", got.Title, err, IsMethodNotFound(err))
			}()
			synctest.Wait()
		}
		asked := func(id string) string {
			return `{"jsonrpc":"2.0","id":"` + id + `","method":"window/showMessageRequest","params":{"type":0,"message":"<ok?>"}}`
		}
		call(t.Context())
		l.expect(asked("s1"))
		l.send(`{"jsonrpc":"2.0","id":0,"result":{"title":"Yes"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":1,"result":{"title":"Yes"}}`)
		synctest.Wait()
		if len(answers) != 0 {
			t.Fatalf("a stranger's response was taken: %s", <-answers)
		}
		l.send(`{"jsonrpc":"2.0","id":"s1","result":{"title":"Yes"}}`)
		if got := <-answers; got != "Yes <nil> false" {
			t.Errorf("got %q", got)
		}

		call(t.Context())
		l.expect(asked("s2"))
		l.send(`{"jsonrpc":"2.0","id":"s2","error":{"code":-32601,"message":"no"}}`)
		if got := <-answers; got != " client answered -32601: no true" {
			t.Errorf("got %q", got)
		}

		call(t.Context())
		l.expect(asked("s3"))
		l.send(`{"jsonrpc":"2.0","id":"s3","result":null}`)
		if got := <-answers; got != "  false" && got != " <nil> false" {
			t.Errorf("got %q", got)
		}

		call(t.Context())
		l.expect(asked("s4"))
		l.send(`{"id":"s4","result":{"title":"Yes"}}`) // malformed: never a yes, never for ever
		if got := <-answers; got != " client answered -32600: malformed response false" {
			t.Errorf("got %q", got)
		}
		l.expect(fault("null", -32600, `jsonrpc must be "2.0"`))

		ctx, cancel := context.WithCancel(t.Context())
		call(ctx)
		l.expect(asked("s5"))
		cancel()
		if got := <-answers; got != " context canceled false" {
			t.Errorf("got %q", got)
		}
		l.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"s5"}}`)
		l.send(`{"jsonrpc":"2.0","id":"s5","result":{"title":"Yes"}}`, ask("1", "echo", `{}`))
		l.expect(answer("1", `{}`))
		if n := len(s.conn.stream.client.pending); n != 0 {
			t.Errorf("%d requests of ours are still pending", n)
		}

		call(t.Context())
		l.expect(asked("s6"))
		l.in.Close()
		if got := <-answers; got != " the client is gone false" {
			t.Errorf("got %q", got)
		}
		l.exit(1)
	})
}

// TestLeaving is how connections end (protocol §2, ruling 75).
func TestLeaving(t *testing.T) {
	const (
		shutdown = `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`
		exit     = `{"jsonrpc":"2.0","method":"exit"}`
		down     = `{"jsonrpc":"2.0","id":1,"result":null}`
	)
	refused := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the server is shutting down","data":{"kind":"shutting_down","retryable":false}}}`
	}
	tests := []struct {
		name string
		in   []string
		want []string
		code int
	}{
		{"shutdown and exit in one write", []string{initFrame, inited, shutdown, exit}, []string{initReply, down}, 0},
		{"shutdown and end of input", []string{initFrame, inited, shutdown}, []string{initReply, down}, 0},
		{"end of input", []string{initFrame, inited}, []string{initReply}, 1},
		{"nothing at all", nil, nil, 1},
		{"exit without shutdown", []string{initFrame, inited, exit}, []string{initReply}, 1},
		{"exit before initialize", []string{exit}, nil, 1},
		{"request after shutdown", []string{initFrame, inited, shutdown, ask("2", "echo", "{}"), ask("3", "shutdown", "{}"), ask("4", "no/such", "{}"), exit}, []string{initReply, down, refused("2"), refused("3"), refused("4")}, 0},
		{"request before initialize", []string{ask("0", "echo", "{}"), shutdown, initFrame}, []string{fault("0", -32002, "initialize comes first"), fault("1", -32002, "initialize comes first"), initReply}, 1},
		{"notification before initialize", []string{`{"jsonrpc":"2.0","method":"note","params":{"text":"early"}}`, initFrame}, []string{initReply}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scene{}
			got, code, _ := play(t, s, framesOf(test.in...))
			if !slices.Equal(got, test.want) || code != test.code || len(s.seen) != 0 {
				t.Errorf("got code %d, handled %v,\n%s\nwant code %d\n%s", code, s.seen, strings.Join(got, "\n"), test.code, strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestInitializeFails: the client may try again, and until then nothing else
// counts.
func TestInitializeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := sceneRows()
		rows[0].Method = Handle(func(_ *scene, _ context.Context, _ *Call, p textParams) (None, error) {
			if p.Text == "" {
				return None{}, Missing("text")
			}
			return None{}, nil
		})
		s := &scene{}
		r, w := io.Pipe()
		l := &live{t: t, scene: s, in: w, wire: newTap(true), told: &reports{}, code: make(chan int, 1)}
		s.conn = Connect(s, rows, Config{In: r, Out: l.wire, Gap: gapJSON})
		go func() { l.code <- s.conn.Serve(context.Background()) }()
		l.send(initFrame, ask("1", "echo", "{}"), ask("2", "initialize", `{"text":"x"}`), ask("3", "echo", "{}"))
		l.expect(`{"jsonrpc":"2.0","id":"init","error":{"code":-32602,"message":"params.text: is missing","data":{"field":"text","kind":"invalid_params","retryable":false}}}`,
			fault("1", -32002, "initialize comes first"), answer("2", "null"), answer("3", "{}"))
		l.exit(1)
	})
}

// TestEndDrains: what was read before the end of the input is answered, slow or
// not; what takes too long is cancelled and answered all the same.
func TestEndDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{gate: make(chan struct{}), started: make(chan string, 9)}
		l := start(t, s, sceneRows())
		l.send(ask("1", "wait", `{"text":"slow"}`))
		<-s.started
		l.in.Close()
		time.AfterFunc(drainGrace/2, func() { close(s.gate) })
		if code := <-l.code; code != 1 {
			t.Errorf("code %d", code)
		}
		l.expect(answer("1", `"slow"`))

		s = &scene{gate: make(chan struct{}), started: make(chan string, 9)}
		l = start(t, s, sceneRows())
		l.send(ask("1", "wait", `{"text":"never"}`))
		<-s.started
		began := time.Now()
		l.in.Close()
		<-l.code
		l.expect(fault("1", -32800, "request cancelled"))
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("leaving took %v", took)
		}
	})
}

// TestStuckAtTheEnd: a client that does not read cannot keep the process.
func TestStuckAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		l := start(t, s, sceneRows())
		l.wire.set(false)
		l.send(ask("1", "echo", `{}`))
		began := time.Now()
		l.exit(1)
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("leaving took %v", took)
		}
		l.wire.set(true) // lets the writer go; in the process it would just be left behind
	})
}

// TestReaderNeverBlocks: while the client reads nothing, it can still cancel and
// answer (O9).
func TestReaderNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{gate: make(chan struct{}), started: make(chan string, 9)}
		l := start(t, s, sceneRows())
		l.wire.set(false)
		for i := range 100 {
			l.send(ask(fmt.Sprint(i), "echo", `{"p":"`+strings.Repeat("x", 10_000)+`"}`))
		}
		l.send(ask(`"w"`, "wait", `{"text":"x"}`))
		<-s.started
		l.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"w"}}`)
		synctest.Wait()
		if n := len(s.conn.calls.byID); n != 0 {
			t.Errorf("%d requests are not answered", n)
		}
		l.wire.set(true)
		synctest.Wait()
		if got := bodies(t, l.wire.read()); len(got) != 102 || got[101] != fault(`"w"`, -32800, "request cancelled") {
			t.Errorf("%d messages, the last %s", len(got), got[len(got)-1])
		}
		l.exit(1)
	})
}

// TestTrace: $/setTrace decides what $/logTrace sends.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		l := start(t, s, sceneRows())
		s.conn.logTrace("a", "b")
		l.send(`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"messages"}}`)
		synctest.Wait()
		s.conn.logTrace("c", "d")
		l.send(`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"verbose"}}`)
		synctest.Wait()
		s.conn.logTrace("e", "f")
		l.send(`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"nonsense"}}`)
		synctest.Wait()
		s.conn.logTrace("g", "h")
		l.expect(`{"jsonrpc":"2.0","method":"$/logTrace","params":{"message":"c"}}`, `{"jsonrpc":"2.0","method":"$/logTrace","params":{"message":"e","verbose":"f"}}`)
		l.exit(1)
	})
}

// BenchmarkNotifications is bytes in to handler called, over the whole wire.
func BenchmarkNotifications(b *testing.B) {
	for _, size := range []int{50, 1000, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			frame := frameOf(`{"jsonrpc":"2.0","method":"note","params":{"text":"` + strings.Repeat("x", size) + `"}}`)
			s := &scene{}
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			quiet := []Row[*scene]{
				{Name: "initialize", Concurrency: Ordered, Method: Handle((*scene).initialize)},
				{Name: "note", Method: Notice(func(*scene, context.Context, textParams) error { return nil })},
			}
			in := io.MultiReader(strings.NewReader(framesOf(initFrame, inited)), &repeat{frame: []byte(frame), left: b.N})
			var wire bytes.Buffer
			c := Connect(s, quiet, Config{In: in, Out: &wire, Gap: gapJSON})
			c.Serve(context.Background())
		})
	}
}

// repeat reads the same frame again and again.
type repeat struct {
	frame []byte
	at    int
	left  int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.frame[r.at:])
	if r.at += n; r.at == len(r.frame) {
		r.at, r.left = 0, r.left-1
	}
	return n, nil
}
