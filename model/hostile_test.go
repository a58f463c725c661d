package model

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// flood gives a byte until it is not asked for any more, and counts.
type flood struct {
	b    byte
	sent atomic.Int64
}

func (f *flood) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = f.b
	}
	f.sent.Add(int64(len(p)))
	return len(p), nil
}

// TestFloods: an answer without an end costs a bounded number of bytes and of
// memory, and is an error in words.
func TestFloods(t *testing.T) {
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	zeros := bytes.Repeat([]byte("data: "), 1<<20)
	for range 40 {
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	for _, row := range []struct {
		name   string
		status int
		header map[string]string
		start  string // in front of the flood
		flood  bool
		most   int64 // bytes that are read of it
		says   string
	}{
		{"one line of 50 MB and more", 200, nil, `data: {"choices":[{"delta":{"content":"`, true, 18 << 20, "a line of the answer is larger than 16 MiB"},
		{"an item that never ends", 200, nil, `data: {"type":"response.output_item.done","item":"`, true, 18 << 20, "a line of the answer is larger than 16 MiB"},
		{"a body that is no stream", 200, map[string]string{"Content-Type": "application/json"}, `{"choices":"`, true, 18 << 20, "larger than 16 MiB"},
		{"an error without an end", 400, nil, `{"error":{"message":"no`, true, 4 << 20, `{"error":{"message":"no`},
		{"a packed stream", 200, map[string]string{"Content-Encoding": "gzip"}, packed.String(), false, 0, "the answer is compressed"},
		{"a packed error", 429, map[string]string{"Content-Encoding": "br"}, packed.String(), false, 0, "the answer is compressed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := &flood{b: 'x'}
			c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
				for name, value := range row.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.start)
				if row.flood {
					_, _ = io.Copy(w, f)
				}
			})
			c.Retry.MaxAttempts = 1
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
			runtime.ReadMemStats(&after)
			if !strings.Contains(h.modelError().Message, row.says) {
				t.Errorf("%v, want %q", h.err, row.says)
			}
			if sent := f.sent.Load(); sent > row.most {
				t.Errorf("%d bytes were taken, want at most %d", sent, row.most)
			}
			// Growing a buffer to 16 MiB by doubling costs about four times that.
			if cost := after.TotalAlloc - before.TotalAlloc; cost > 160<<20 {
				t.Errorf("it cost %d MiB of memory", cost>>20)
			}
		})
	}
}

// TestEndlessHeader: a header without an end is an error, not a wait.
func TestEndlessHeader(t *testing.T) {
	for _, row := range []struct{ name, start string }{
		{"one line", "HTTP/1.1 200 OK\r\nX: "},
		{"a status line", "HTTP/1.1 200 "},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := &flood{b: 'x'}
			var served sync.WaitGroup
			c := testCatalog(t, nil)
			c.Retry.MaxAttempts = 1
			c.Dial = func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				served.Go(func() { _, _ = io.Copy(io.Discard, server) })
				served.Go(func() {
					defer server.Close()
					if _, err := io.WriteString(server, row.start); err == nil {
						_, _ = io.Copy(server, f)
					}
				})
				return client, nil
			}
			h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
			if h.modelError().Kind != KindNetwork {
				t.Errorf("%v", h.err)
			}
			_ = c.Close()
			served.Wait() // the connection is given up
			if sent := f.sent.Load(); sent > 3<<20 {
				t.Errorf("%d bytes of header were taken", sent)
			}
		})
	}
}

// TestRedirects: neither the conversation nor the key goes to where an answer
// points, whichever way it says so.
func TestRedirects(t *testing.T) {
	var visits atomic.Int64
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer evil.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, api := range []string{"chat", "responses"} {
			c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", evil.URL+"/v1?key="+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
				w.Header().Set("Refresh", "0; url="+evil.URL)
				w.WriteHeader(status)
			})
			c.Retry.MaxAttempts = 1
			c.Providers[0].Models = map[string]ModelConfig{"m": {API: api}}
			pipe := c.Dial
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if addr != "model.test:80" {
					visits.Add(1)
				}
				return pipe(ctx, network, addr)
			}
			h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
			e := h.modelError()
			if visits.Load() > 0 || !strings.Contains(e.Message, "the server redirects to "+evil.URL) || strings.Contains(fmt.Sprint(h.err, e), "sk-test-key-1") {
				t.Fatalf("%d %s: %d visits, %v", status, api, visits.Load(), h.err)
			}
			if _, err := listOne(t, c, "test"); err == nil || visits.Load() > 0 {
				t.Fatalf("%d: the list of models followed it: %v", status, err)
			}
		}
	}
}

// TestErrorBodies: the sentence of a refusal is found whatever its form.
func TestErrorBodies(t *testing.T) {
	for _, row := range []struct {
		name, body, says string
		status           int
		kind             Kind
	}{
		{"the usual", `{"error":{"message":"Bad words","type":"invalid_request_error"}}`, "Bad words", 400, KindRejected},
		{"error is a text", `{"code":"Client specified an invalid argument","error":"Bad words"}`, "Bad words", 400, KindRejected},
		{"an array", `[{"error":{"code":400,"message":"Bad words","status":"INVALID_ARGUMENT"}}]`, "Bad words", 400, KindRejected},
		{"flat", `{"object":"error","message":"Bad words","code":400}`, "Bad words", 400, KindRejected},
		{"detail", `{"detail":"Invalid API Key"}`, "Invalid API Key", 401, KindAuth},
		{"detail is a list", `{"detail":[{"loc":["body","x"],"msg":"Bad words"}]}`, "Bad words", 422, KindRejected},
		{"a page", `<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>`, "502 Bad Gateway", 502, KindServer},
		{"plain text", "Bad words", "Bad words", 400, KindRejected},
		{"nothing", "", "Bad Request", 400, KindRejected},
		{"null", "null", "Bad Request", 400, KindRejected},
		{"wrapped", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Bad words\"}}","provider_name":"X"}}}`, "Provider returned error (X: Bad words)", 400, KindRejected},
		{"of the Responses API", `{"error":{"message":"Bad words","type":"invalid_request_error","param":"input","code":"invalid_value"}}`, "Bad words", 400, KindRejected},
		{"its overflow", `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, "exceeds the context window", 400, KindOverflow},
	} {
		for _, api := range []string{"chat", "responses"} {
			c, _ := script(t, refuse(row.status, row.body))
			c.Retry.MaxAttempts = 1
			c.Providers[0].Models = map[string]ModelConfig{"m": {API: api}}
			h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
			if e := h.modelError(); !strings.Contains(e.Message, row.says) || e.Kind != row.kind || e.Status != row.status {
				t.Errorf("%s, %s: %v of kind %s", row.name, api, h.err, e.Kind)
			}
		}
	}
}
