package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestEndDrains: what was read before the end of the input is answered, slow or
// not; what takes too long is cancelled and answered all the same.
func TestEndDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waiting()
		l := start(t, s, sceneRows())
		l.send(ask("1", "wait", `{"text":"slow"}`))
		<-s.started
		l.in.Close()
		time.AfterFunc(drainGrace/2, func() { close(s.gate) })
		if code := <-l.code; code != 1 {
			t.Errorf("code %d", code)
		}
		l.expect(answer("1", `"slow"`))

		s = waiting()
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
		s := waiting()
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
