package wire

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
)

// TestCancelRequest: by the client's raw id, "1" not being 1; an error becomes
// -32800 and a result stays one.
func TestCancelRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waiting()
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
		s := waiting()
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

// TestReserve: what a handler causes comes behind its response (O2), also when
// the handler fails.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		run := func(s *scene, _ context.Context, c *Call, p textParams) (string, error) {
			c.Reserve()
			s.conn.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
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
