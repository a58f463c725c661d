package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// instant is a model that answers without thinking. It notes when each request
// came and when its answer left.
type instant struct {
	url string
	// answer gives the parts of the answer to request n (from 0), each one a
	// delta of the stream.
	answer func(n int) []string

	mu      sync.Mutex // guards what follows
	came    []time.Time
	left    []time.Time
	request map[int][]byte // the bodies that keep names
	keep    map[int]bool
	work    func() time.Duration // processor time that the sidecar has used; nil: not noted
	worked  []time.Duration      // when each request came
	body    bytes.Buffer         // used again, so that reading it costs little
}

func newInstant(b *testing.B, answer func(n int) []string) *instant {
	m := &instant{answer: answer, request: map[int][]byte{}, keep: map[int]bool{}}
	server := httptest.NewServer(m)
	b.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// text and call are parts of an answer.
func text(s string) string { return fmt.Sprintf(`{"content":%q}`, s) }

func call(n int, tool, args string) string {
	return fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call-%d","type":"function","function":{"name":%q,"arguments":%q}}]}`, n, tool, args)
}

func (m *instant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	m.mu.Lock()
	n := len(m.came)
	m.came = append(m.came, came)
	if m.work != nil {
		m.worked = append(m.worked, m.work())
	}
	m.body.Reset()
	_, err := m.body.ReadFrom(r.Body)
	size := m.body.Len()
	if m.keep[n] {
		m.request[n] = bytes.Clone(m.body.Bytes())
	}
	m.mu.Unlock()
	if err != nil {
		return // the client is gone
	}
	parts := m.answer(n)
	finish := "stop"
	if strings.HasPrefix(parts[len(parts)-1], `{"tool_calls"`) {
		finish = "tool_calls"
	}
	var out strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&out, `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s}]}`+"\n\n", p)
	}
	fmt.Fprintf(&out, `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`+"\n\n", finish)
	fmt.Fprintf(&out, `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`+"\n\ndata: [DONE]\n\n", size/4)
	w.Header().Set("Content-Type", "text/event-stream")
	m.mu.Lock()
	m.left = append(m.left, time.Now())
	m.mu.Unlock()
	_, _ = io.WriteString(w, out.String()) // a client that has gone is its own affair
}

// marshal is how long it takes to encode a request of this size and shape: the
// part of a turn that nobody can do without.
func marshal(b *testing.B, body []byte) time.Duration {
	b.Helper()
	var request struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
		Tools    []any             `json:"tools"`
		Stream   bool              `json:"stream"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		b.Fatal(err)
	}
	type message struct {
		Role       string `json:"role"`
		Content    any    `json:"content"`
		ToolCalls  []any  `json:"tool_calls,omitempty"`
		ToolCallID string `json:"tool_call_id,omitempty"`
	}
	messages := make([]message, len(request.Messages))
	for i, raw := range request.Messages {
		if err := json.Unmarshal(raw, &messages[i]); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	for range 30 {
		start := time.Now()
		if _, err := json.Marshal(map[string]any{"model": request.Model, "messages": messages, "tools": request.Tools, "stream": request.Stream}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	return quartile(took)
}
