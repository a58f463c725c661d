package model

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const answerOK = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// step is one answer of the scripted server.
type step struct {
	status int
	header map[string]string
	body   string
	then   func(w http.ResponseWriter, r *http.Request) // after the body
}

func ok() step { return step{status: 200, body: answerOK} }

func refuse(status int, body string, header ...string) step {
	s := step{status: status, body: body, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		s.header[header[i]] = header[i+1]
	}
	return s
}

func hangs(body string) step {
	return step{status: 200, body: body, then: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
}

func cut(body string) step {
	return step{status: 200, body: body, then: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
}

// request is one that the server saw.
type request struct {
	at    time.Duration
	model string
	key   string
	body  string
}

// script answers one request after the other; the last step repeats.
func script(t *testing.T, steps ...step) (*Catalog, *[]request) {
	begun := time.Now()
	var seen []request
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, model, _ := strings.Cut(string(body), `"model":"`)
		model, _, _ = strings.Cut(model, `"`)
		seen = append(seen, request{time.Since(begun), model, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), string(body)})
		s := steps[min(len(seen), len(steps))-1]
		for name, value := range s.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
		w.(http.Flusher).Flush()
		if s.then != nil {
			s.then(w, r)
		}
	})
	return c, &seen
}

func times(seen []request) string {
	var at []string
	for _, r := range seen {
		at = append(at, r.at.String())
	}
	return strings.Join(at, " ")
}

// TestRetryTiming: which failures are tried again, and when. The spread of the
// waits is fixed in the middle.
func TestRetryTiming(t *testing.T) {
	soon := time.Date(2000, 1, 1, 0, 0, 9, 0, time.UTC) // a bubble begins at midnight
	for _, row := range []struct {
		name  string
		steps []step
		at    string
		kind  Kind // "" is an answer
	}{
		{"no failure", []step{ok()}, "0s", ""},
		{"one 500", []step{refuse(500, "oops"), ok()}, "0s 2s", ""},
		{"two 503", []step{refuse(503, ""), refuse(503, ""), ok()}, "0s 2s 6s", ""},
		{"three 500", []step{refuse(500, "oops")}, "0s 2s 6s", KindServer},
		{"three 529", []step{refuse(529, "overloaded")}, "0s 2s 6s", KindOverloaded},
		{"408", []step{refuse(408, ""), ok()}, "0s 2s", ""},
		{"409", []step{refuse(409, ""), ok()}, "0s 2s", ""},
		{"425", []step{refuse(425, ""), ok()}, "0s 2s", ""},
		{"429", []step{refuse(429, ""), ok()}, "0s 2s", ""},
		{"Retry-After in seconds", []step{refuse(429, "", "Retry-After", "7"), ok()}, "0s 7s", ""},
		{"Retry-After as a date", []step{refuse(503, "", "Retry-After", soon.Format(http.TimeFormat)), ok()}, "0s 9s", ""},
		{"retry-after-ms wins", []step{refuse(429, "", "Retry-After", "11", "Retry-After-Ms", "1250"), ok()}, "0s 1.25s", ""},
		{"try again in 4.77s", []step{refuse(429, `{"error":{"message":"Please try again in 4.77s."}}`), ok()}, "0s 4.77s", ""},
		{"Gemini's retryDelay", []step{refuse(429, `[{"error":{"code":429,"details":[{"retryDelay":"48s"}]}}]`), ok()}, "0s 48s", ""},
		{"60 s are borne", []step{refuse(429, "", "Retry-After", "60"), ok()}, "0s 1m0s", ""},
		{"61 s are too long", []step{refuse(429, "", "Retry-After", "61")}, "0s", KindRateLimited},
		{"401 is final", []step{refuse(401, "")}, "0s", KindAuth},
		{"402 is final", []step{refuse(402, "")}, "0s", KindQuota},
		{"404 is final", []step{refuse(404, "")}, "0s", KindNotFound},
		{"400 is final", []step{refuse(400, `{"error":{"message":"bad"}}`)}, "0s", KindRejected},
		{"422 is final", []step{refuse(422, `{"detail":"bad"}`)}, "0s", KindRejected},
		{"overflow is the session's", []step{refuse(400, `{"error":{"message":"maximum context length is 4096 tokens","code":"context_length_exceeded"}}`)}, "0s", KindOverflow},
		{"413", []step{refuse(413, "")}, "0s", KindOverflow},
		{"429 is no overflow", []step{refuse(429, `{"error":{"message":"maximum context length reached per minute"}}`), ok()}, "0s 2s", ""},
		{"429 that never fits", []step{refuse(429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000"}}`)}, "0s", KindOverflow},
		{"a redirect is not followed", []step{refuse(307, "", "Location", "http://evil.test/v1")}, "0s", KindRejected},
		{"a 200 that is an error", []step{refuse(200, `{"error":{"code":502,"message":"Provider returned error"}}`), ok()}, "0s 2s", ""},
		{"an error in the stream", []step{refuse(200, "data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\ndata: {\"error\":{\"message\":\"server_error\"}}\n\n"), ok()}, "0s 2s", ""},
		{"cut in the middle", []step{cut("data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n"), ok()}, "0s 2s", ""},
		{"cut after the finish", []step{cut("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n")}, "0s", ""},
		{"ended in the middle", []step{refuse(200, "data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n"), ok()}, "0s 2s", ""},
		{"garbled", []step{refuse(200, "data: {\"choices\":\n\n"), ok()}, "0s 2s", ""},
		{"a web page", []step{refuse(200, "<html><title>Hi</title></html>")}, "0s", KindServer},
		{"silent before the first byte", []step{hangs(""), ok()}, "0s 2m2s", ""},
		{"silent in the middle", []step{hangs("data: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n"), ok()}, "0s 2m2s", ""},
		{"silent for ever", []step{hangs("")}, "0s 2m2s 4m6s", KindNetwork},
		{"silent after the finish", []step{hangs("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n")}, "0s", ""},
		{"tool_use_failed once", []step{refuse(400, `{"error":{"code":"tool_use_failed"}}`), ok()}, "0s 0s", ""},
		{"tool_use_failed twice", []step{refuse(400, `{"error":{"code":"tool_use_failed"}}`)}, "0s 0s", KindRejected},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, seen := script(t, row.steps...)
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if got := times(*seen); got != row.at {
					t.Errorf("asked at %s, want %s", got, row.at)
				}
				if h.ends != 1 {
					t.Errorf("%d ends", h.ends)
				}
				if row.kind == "" && (h.done == nil || h.text != "ok") {
					t.Errorf("no answer: %q, %v", h.text, h.err)
				}
				if row.kind != "" && h.modelError().Kind != row.kind {
					t.Errorf("kind %q (%v), want %q", h.modelError().Kind, h.err, row.kind)
				}
				if row.kind != "" && len(h.modelError().Attempts) != len(*seen) {
					t.Errorf("%d attempts listed of %d", len(h.modelError().Attempts), len(*seen))
				}
				if want := len(*seen) - 1; len(h.retries) != want {
					t.Errorf("%d retries announced, want %d", len(h.retries), want)
				}
			})
		})
	}
}

func TestBackoffSpread(t *testing.T) {
	for _, row := range []struct {
		n      int
		random float64
		want   time.Duration
	}{
		{1, 0, 1600 * time.Millisecond}, {1, 0.5, 2 * time.Second}, {2, 0.5, 4 * time.Second},
		{3, 0.5, 8 * time.Second}, {5, 0.5, 30 * time.Second}, {60, 0.5, 30 * time.Second},
	} {
		if got := backoff(row.n, row.random); got.Round(time.Millisecond) != row.want {
			t.Errorf("after %d with %v: %v, want %v", row.n, row.random, got, row.want)
		}
	}
	if got := backoff(1, 0.999999); got > 2400*time.Millisecond || got < 2399*time.Millisecond {
		t.Errorf("the longest first wait is %v", got)
	}
}

// Silence is longer for reasoning models, and comments are life for a while.
func TestPatience(t *testing.T) {
	comments := func(every, upTo time.Duration, after string) step {
		return step{status: 200, then: func(w http.ResponseWriter, r *http.Request) {
			for waited := time.Duration(0); waited < upTo; waited += every {
				if pause(r.Context(), every) != nil {
					return
				}
				_, _ = io.WriteString(w, ": still here\n\n")
				w.(http.Flusher).Flush()
			}
			_, _ = io.WriteString(w, after)
			w.(http.Flusher).Flush()
			if after == "" {
				<-r.Context().Done()
			}
		}}
	}
	for _, row := range []struct {
		name      string
		reasoning bool
		step      step
		took      time.Duration
		ok        bool
	}{
		{"reasoning is silent for 10 minutes", true, hangs(""), 600 * time.Second, false},
		{"others for 2", false, hangs(""), 120 * time.Second, false},
		{"comments keep it alive", false, comments(time.Minute, 9*time.Minute, answerOK), 9 * time.Minute, true},
		{"but not for ever", false, comments(time.Minute, time.Hour, ""), 10 * time.Minute, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, row.step)
				c.Retry.MaxAttempts = 1
				c.Providers[0].Models = map[string]ModelConfig{"m": {Reasoning: row.reasoning}}
				begun := time.Now()
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if got := time.Since(begun).Round(time.Second); got != row.took {
					t.Errorf("took %v, want %v", got, row.took)
				}
				if (h.done != nil) != row.ok {
					t.Errorf("answer %v, error %v", h.done, h.err)
				}
			})
		})
	}
}

// A provider that keeps the connection open after its finish reason, without
// the marker, is given 15 s to say its usage.
func TestSilenceAfterTheFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, hangs("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n"))
		begun := time.Now()
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		if took := time.Since(begun); h.done == nil || took != 15*time.Second {
			t.Errorf("took %v, %v", took, h.err)
		}
	})
}

// A consumer that takes its time is not silence of the provider.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, refuse(200, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"+answerOK))
		for part, err := range open(t, c, "test/m").Stream(t.Context(), ask("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := part.(TextDelta); ok {
				_ = pause(t.Context(), time.Hour)
			}
		}
	})
}

// A cancelled context ends the sequence at once, with its cause, and closes
// the connection, wherever it is; the bubble would notice a goroutine that
// stays.
func TestCancel(t *testing.T) {
	why := errors.New("the person changed their mind")
	for name, s := range map[string]step{
		"before the first byte": hangs(""),
		"in the middle":         hangs("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"),
		"while waiting":         refuse(429, "", "Retry-After", "60"),
		"after the finish":      hangs("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				closed := make(chan struct{})
				if then := s.then; then != nil {
					s.then = func(w http.ResponseWriter, r *http.Request) { then(w, r); close(closed) }
				} else {
					close(closed)
				}
				c, _ := script(t, s)
				ctx, cancel := context.WithCancelCause(t.Context())
				begun := time.Now()
				time.AfterFunc(10*time.Second, func() { cancel(why) })
				h := hear(ctx, open(t, c, "test/m"), ask("hi"))
				if !errors.Is(h.err, why) || h.ends != 1 {
					t.Errorf("ended %d times with %v", h.ends, h.err)
				}
				if took := time.Since(begun); took != 10*time.Second {
					t.Errorf("took %v", took)
				}
				<-closed
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c, seen := script(t, ok())
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if h := hear(ctx, open(t, c, "test/m"), ask("hi")); !errors.Is(h.err, why) || len(*seen) != 0 {
			t.Errorf("%d requests, %v", len(*seen), h.err)
		}
	})
}

// Stopping the iteration closes the connection.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		c, _ := script(t, step{status: 200, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", then: func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			close(closed)
		}})
		for range open(t, c, "test/m").Stream(t.Context(), ask("hi")) {
			break
		}
		<-closed
	})
}

// Connections are used again after whole answers, those of many sessions, too.
func TestConnectionsAreReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialled atomic.Int32
		c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			_ = pause(r.Context(), time.Second) // so that all are asked at once
			_, _ = io.WriteString(w, answerOK)
		})
		dial := c.Dial
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dialled.Add(1)
			return dial(ctx, network, addr)
		}
		c.Providers[0].Models = map[string]ModelConfig{"m": {Window: 1}} // no list is asked for
		for range 3 {
			var all sync.WaitGroup
			for range sessionsAtOnce {
				all.Go(func() { hear(t.Context(), open(t, c, "test/m"), ask("hi")) })
			}
			all.Wait()
		}
		if n := dialled.Load(); n != sessionsAtOnce {
			t.Errorf("%d connections for 3 times %d requests", n, sessionsAtOnce)
		}
	})
}
