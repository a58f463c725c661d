package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

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
