package model

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const (
	halfway = "data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n"
	started = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
	calling = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"pa\"}}]}}]}\n\n"
	ending  = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n"
)

// pulse is how often a provider says that it lives: never at the very moment
// when patience with it ends.
const pulse = 999 * time.Millisecond

// every sends body, and piece again and again, for ever.
func every(body, piece string) step {
	return step{status: 200, body: body, then: func(w http.ResponseWriter, r *http.Request) {
		for pause(r.Context(), pulse) == nil {
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}}
}

// TestSilence: wherever a provider stops, it is left after the configured
// silence, what was streamed is withdrawn, and the next attempt answers.
func TestSilence(t *testing.T) {
	short := RetryLimits{FirstByte: 5 * time.Second, Idle: 7 * time.Second}
	late := RetryLimits{FirstByte: 20 * time.Second, Idle: 3 * time.Second}
	heartbeat := "data: {\"choices\":[]}\n\n"
	for _, row := range []struct {
		name   string
		limits RetryLimits
		step   step
		left   time.Duration // when the second attempt begins is 2 s later
		kept   bool          // nothing is lost: no second attempt
	}{
		{"headers and nothing", short, hangs(""), 5 * time.Second, false},
		{"headers and nothing, idle is shorter", late, hangs(""), 20 * time.Second, false},
		{"an empty first event", short, hangs(started), 7 * time.Second, false},
		{"in the middle of the text", short, hangs(halfway), 7 * time.Second, false},
		{"in the middle of the text, the first byte may take longer", late, hangs(halfway), 3 * time.Second, false},
		{"in the middle of a call's arguments", short, hangs(calling), 7 * time.Second, false},
		{"in the middle of a line", short, hangs(halfway + `data: {"choices":[{"del`), 7 * time.Second, false},
		{"between the data and the blank line", short, hangs(halfway + "data: {\"choices\":\n"), 7 * time.Second, false},
		{"in the middle of a body that is no stream", short, hangs(`{"choices":[{"message":`), 7 * time.Second, false},
		{"after one comment", short, hangs(": connected\n\n"), 7 * time.Second, false},
		{"after one comment, while the first byte may take longer", late, hangs(": connected\n\n"), 20 * time.Second, false},
		{"a byte of a line each second", short, every("", "d"), 10 * time.Minute, false},
		{"comments for ever", short, every("", ": x\n\n"), 10 * time.Minute, false},
		{"comments for ever, after text", short, every(halfway, ": x\n\n"), 10 * time.Minute, false},
		{"empty events for ever", short, every("", heartbeat), 10 * time.Minute, false},
		{"empty events for ever, in a call", short, every(calling, heartbeat), 10 * time.Minute, false},
		{"after the finish", short, hangs(ending), 7 * time.Second, true},
		{"after the finish, idle is longer", RetryLimits{Idle: time.Minute}, hangs(ending), 15 * time.Second, true},
		{"comments after the finish", RetryLimits{Idle: time.Minute}, every(ending, ": x\n\n"), 15 * time.Second, true},
		{"empty events after the finish", RetryLimits{Idle: time.Minute}, every(ending, heartbeat), 15 * time.Second, true},
		{"after the marker", short, hangs(answerOK), afterMarker, true},
		{"in the text of a refusal", short, step{status: 503, body: `{"error":"over`, then: hangs("").then}, 10 * time.Second, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, seen := script(t, row.step, ok())
				c.Retry = row.limits
				begun := time.Now()
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if h.done == nil || h.text != "ok" || len(h.done.Calls) != 0 {
					t.Fatalf("%q, %+v, %v", h.text, h.done, h.err)
				}
				if row.kept {
					if took := time.Since(begun); took != row.left || len(*seen) != 1 {
						t.Errorf("ended after %v with %d requests, want %v", took, len(*seen), row.left)
					}
					return
				}
				if len(*seen) != 2 || (*seen)[1].at != row.left+2*time.Second {
					t.Errorf("asked at %s, want the second 2 s after %v", times(*seen), row.left)
				}
				if len(h.retries) != 1 || h.retries[0].Switch {
					t.Errorf("announced %+v", h.retries)
				}
			})
		})
	}
}

// A provider that stays silent is left for the next model.
func TestSilentProviderIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := byModel(t, map[string]step{"a": hangs(calling), "*": ok()})
		c.Retry = RetryLimits{Idle: time.Second}
		h := hear(t.Context(), open(t, c, "test/a", "test/b"), ask("hi"))
		if h.done == nil || h.done.Model != "b" || len(h.done.Calls) != 0 || len(*asked) != 4 {
			t.Errorf("asked %v: %+v %v", *asked, h.done, h.err)
		}
	})
}

// TestSilentConnection: nobody there, at every stage before an answer.
func TestSilentConnection(t *testing.T) {
	silent := func(say string) func(ctx context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				if req, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
				}
				_, _ = io.WriteString(server, say)
			}()
			return client, nil
		}
	}
	for _, row := range []struct {
		name string
		dial func(ctx context.Context) (net.Conn, error)
		took time.Duration
	}{
		{"the dial hangs", func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, context.Cause(ctx) }, 5 * time.Second},
		{"accepted, and not a byte", silent(""), 5 * time.Second},
		{"in the status line", silent("HTTP/1.1 20"), 5 * time.Second},
		{"in the headers", silent("HTTP/1.1 200 OK\r\nContent-Type: text/event"), 5 * time.Second},
		{"after an interim answer", silent("HTTP/1.1 103 Early Hints\r\n\r\n"), 5 * time.Second},
		{"the request is not read", func(context.Context) (net.Conn, error) { client, _ := net.Pipe(); return client, nil }, 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := testCatalog(t, func(http.ResponseWriter, *http.Request) {})
				c.Retry = RetryLimits{FirstByte: 5 * time.Second, MaxAttempts: 1}
				c.Providers[0].Models = map[string]ModelConfig{"m": {Window: 1}} // so that no list is asked for
				var dialled atomic.Int32
				c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
					dialled.Add(1)
					conn, err := row.dial(ctx)
					if err == nil {
						t.Cleanup(func() { _ = conn.Close() })
					}
					return conn, err
				}
				begun := time.Now()
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if took := time.Since(begun); took != row.took || h.modelError().Kind != KindNetwork {
					t.Errorf("took %v: %v", took, h.err)
				}
				if n := dialled.Load(); n != 1 {
					t.Errorf("dialled %d times", n)
				}
			})
		})
	}
}

// A cancel while a provider is silent is not taken for its silence.
func TestCancelDuringSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		c, seen := script(t, hangs(calling))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(why) })
		h := hear(ctx, open(t, c, "test/m"), ask("hi"))
		if !errors.Is(h.err, why) || len(*seen) != 1 || strings.Contains(h.err.Error(), "silent") {
			t.Errorf("%d requests, %v", len(*seen), h.err)
		}
	})
}
