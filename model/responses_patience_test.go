package model

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestResponsesPatience: events that only say that the work goes on are no first
// byte, and reasoning may be silent as long as the first byte may take.
func TestResponsesPatience(t *testing.T) {
	const (
		created  = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n"
		progress = "data: {\"response\":{},\"type\":\"response.in_progress\"}\n\n"
		thinking = "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\"}}\n\n"
		text     = "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"\\\"response.created\\\"\"}\n\n"
		done     = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
	)
	type beat struct {
		after time.Duration
		says  string
	}
	every := func(says string, n int) (beats []beat) {
		for range n {
			beats = append(beats, beat{time.Minute, says})
		}
		return beats
	}
	for _, row := range []struct {
		name      string
		reasoning bool
		beats     []beat
		took      time.Duration
		ok        bool
	}{
		{"silent after created", true, []beat{{0, created}, {599 * time.Second, done}}, 599 * time.Second, true},
		{"too long", true, []beat{{0, created}, {601 * time.Second, done}}, 600 * time.Second, false},
		{"another model", false, []beat{{0, created}, {121 * time.Second, done}}, 120 * time.Second, false},
		{"silent while it thinks", true, []beat{{0, created + thinking}, {599 * time.Second, done}}, 599 * time.Second, true},
		{"too long, too", true, []beat{{0, created + thinking}, {601 * time.Second, done}}, 600 * time.Second, false},
		{"it thinks again later", true, []beat{{0, text}, {time.Minute, thinking}, {599 * time.Second, done}}, 659 * time.Second, true},
		{"silent in its text", true, []beat{{0, created + thinking + text}, {121 * time.Second, done}}, 120 * time.Second, false},
		{"kept alive", false, append(every(progress, 8), beat{time.Minute, done}), 9 * time.Minute, true},
		{"but not for ever", false, every(progress, 60), 10 * time.Minute, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
					for _, b := range row.beats {
						if pause(r.Context(), b.after) != nil {
							return
						}
						_, _ = io.WriteString(w, b.says)
						w.(http.Flusher).Flush()
					}
					<-r.Context().Done()
				})
				c.Retry.MaxAttempts = 1
				c.Providers[0].Models = map[string]ModelConfig{"m": {API: "responses", Reasoning: row.reasoning}}
				begun := time.Now()
				h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
				if took := time.Since(begun).Round(time.Second); took != row.took || (h.done != nil) != row.ok {
					t.Errorf("took %v: %v; want %v, %v", took, h.err, row.took, row.ok)
				}
			})
		})
	}
}
