package wire

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"
)

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
