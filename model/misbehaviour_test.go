package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// rawServer answers every request with exact bytes and then closes, or, with
// endless, goes on writing more for ever.
func rawServer(t *testing.T, answer, endless string) *Catalog {
	c := testCatalog(t, func(http.ResponseWriter, *http.Request) {})
	c.Providers[0].Models = map[string]ModelConfig{"m": {Window: 1}} // no list is asked for
	c.Dial = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = server.Close() })
		go func() {
			defer server.Close()
			if req, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, err := io.WriteString(server, answer)
			for endless != "" && err == nil {
				_, err = io.WriteString(server, endless)
			}
		}()
		return client, nil
	}
	return c
}

// TestMisbehaviour: what comes from a provider that is broken in the protocol
// below ours ends, in bounded time and memory, with an error that can be read; and
// it is tried again, unless the same would come.
func TestMisbehaviour(t *testing.T) {
	const ok200 = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(answerOK))
	_ = z.Close()
	for _, row := range []struct {
		name, answer, endless string
		kind                  Kind // "" is an answer
		says                  string
		asked                 int
	}{
		{"closed at once", "", "", KindNetwork, "cut", 3},
		{"no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "", KindNetwork, "malformed", 3},
		{"another protocol's noise", "\x16\x03\x01\x00\x02\x02", "", KindNetwork, "", 3},
		{"an alert of TLS", "\x15\x03\x01\x00\x02\x02", "", KindNetwork, "", 1},
		{"a status that is none", "HTTP/1.1 OK\r\n\r\n", "", KindNetwork, "malformed", 3},
		{"headers cut", "HTTP/1.1 200 OK\r\nContent-", "", KindNetwork, "malformed", 3},
		{"headers without end", "HTTP/1.1 200 OK\r\n", "X: " + strings.Repeat("x", 64<<10) + "\r\n", KindNetwork, "", 3},
		{"interim answers without end", "", "HTTP/1.1 103 Early Hints\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", KindNetwork, "", 3},
		{"shorter than promised", ok200 + "Content-Length: 500\r\n\r\n" + halfway, "", KindNetwork, "cut", 3},
		{"shorter than promised, but finished", ok200 + "Content-Length: 500\r\n\r\n" + answerOK, "", "", "", 1},
		{"longer than promised", ok200 + "Content-Length: 20\r\n\r\n" + answerOK, "", KindNetwork, "cut", 3},
		{"two lengths", ok200 + "Content-Length: 20\r\nContent-Length: 21\r\n\r\n" + answerOK, "", KindNetwork, "", 3},
		{"a chunk that is none", ok200 + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + answerOK, "", KindNetwork, "", 3},
		{"cut in a chunk", ok200 + "Transfer-Encoding: chunked\r\n\r\nfff\r\n" + halfway, "", KindNetwork, "cut", 3},
		{"compressed without being asked", ok200 + "Content-Encoding: gzip\r\n\r\n" + zipped.String(), "", KindServer, "compressed", 1},
		{"compressed in a form that is a key", ok200 + "Content-Encoding: sk-test-key-1\r\n\r\n", "", KindServer, "compressed", 1},
		{"a broken call with a key where it is cut", "HTTP/1.1 400 Bad Request\r\n\r\n" + `{"error":{"code":"tool_use_failed","failed_generation":"` + strings.Repeat("x", 290) + `sk-test-key-1"}}`, "", KindRejected, "it wrote: xxx", 2},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", "", KindServer, "empty", 3},
		{"200 and nothing", ok200 + "Content-Length: 0\r\n\r\n", "", KindServer, "empty", 3},
		{"a refusal without end", "HTTP/1.1 400 Bad Request\r\n\r\n", strings.Repeat("bad ", 4096), KindRejected, "bad bad", 1},
		{"a line without end", ok200 + "\r\ndata: ", strings.Repeat("x", 64<<10), KindServer, "larger than 16 MiB", 3},
		{"an event without end", ok200 + "\r\n", "data: [" + strings.Repeat("x", 64<<10) + "\n", KindServer, "larger than 16 MiB", 3},
		{"a redirect to itself", "HTTP/1.1 308 Permanent Redirect\r\nLocation: /v1/chat/completions\r\n\r\n", "", KindRejected, "redirects", 1},
		{"a redirect with a secret", "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://u:secret-pw@evil.test/?k=sk-test-key-1\r\n\r\n", "", KindRejected, "https://evil.test/;", 1},
		{"switching protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "", KindRejected, "", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := rawServer(t, row.answer, row.endless)
				begun := time.Now()
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				e := h.modelError()
				if e.Kind != row.kind || (row.kind == "") != (h.done != nil) || h.ends != 1 {
					t.Fatalf("kind %q (%v), want %q", e.Kind, h.err, row.kind)
				}
				if row.kind == "" {
					return
				}
				if len(e.Attempts) != row.asked || !strings.Contains(e.Message, row.says) || len(e.Message) > maxMessage {
					t.Errorf("after %d attempts: %.300s", len(e.Attempts), e.Message)
				}
				if strings.Contains(h.err.Error(), "secret") || strings.Contains(h.err.Error(), "sk-test") {
					t.Errorf("holds a secret: %v", h.err)
				}
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
