package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// looking is what it takes to answer a question about the tree of writeTree: some
// searches, and reading where they lead to.
func looking() (calls []string) {
	for _, pattern := range []string{"func handle", "register\\\\(", "NOTE"} {
		calls = append(calls, fmt.Sprintf(`grep {"pattern": "%s", "limit": 200}`, pattern))
	}
	for n := range 8 {
		calls = append(calls, fmt.Sprintf(`read {"path": "part%02d/file%d.go"}`, n, n))
	}
	return calls
}

// writeTree writes a hundred files of five hundred lines.
func writeTree(t *testing.T, dir string) {
	for n := range 100 {
		var text strings.Builder
		fmt.Fprintf(&text, "package part%02d\n\n", n/10)
		for line := 3; line <= 500; line++ {
			switch line % 50 {
			case 7:
				fmt.Fprintf(&text, "func handle%d_%d(w writer, r *request) error { // NOTE: answer\n", n, line)
			case 9:
				fmt.Fprintf(&text, "\tregister(\"/path/%d/%d\", handle%d_%d)\n", n, line, n, line)
			default:
				fmt.Fprintf(&text, "\tvalue%d = compute(value%d, %d) // line %d of what a program is made of\n", line, line-1, n, line)
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("part%02d", n/10), fmt.Sprintf("file%d.go", n%10))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// watching is a model that looks for itself when the prompt is "alone" and sends an
// explorer otherwise, which then does the very same. It measures what is sent to it.
type watching struct {
	answer  string
	looking []string // the calls it takes
	at      int      // how many explorers it sends at once

	mu    sync.Mutex // guards sizes
	sizes []int      // of the main conversation's requests
}

func (m *watching) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	_ = json.Unmarshal(body, &request) // an empty one is answered all the same
	results, alone, explorer := 0, false, strings.Contains(string(body), "You are the explore agent")
	for _, message := range request.Messages {
		switch text, _ := message.Content.(string); {
		case message.Role == "tool":
			results++
		case message.Role == "user" && text == "alone":
			alone = true
		}
	}
	if !explorer {
		m.mu.Lock()
		m.sizes = append(m.sizes, len(body))
		m.mu.Unlock()
	}
	calls := []string{`task {"agent": "explore", "prompt": "Where are requests handled?"}`}
	if alone || explorer {
		calls = m.looking
	}
	delta := map[string]any{"content": m.answer}
	reason := "stop"
	if results < len(calls) {
		name, arguments, _ := strings.Cut(calls[results], " ")
		var together []any
		for n := range max(1, m.at) {
			if n > 0 && name != "task" {
				break
			}
			together = append(together, map[string]any{"index": n, "id": fmt.Sprintf("c%d.%d", results, n), "type": "function", "function": map[string]string{"name": name, "arguments": arguments}})
		}
		delta, reason = map[string]any{"tool_calls": together}, "tool_calls"
	}
	answer, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}}})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", answer)
}

// grown is by how much the conversation has grown until the last request, in bytes.
func (m *watching) grown() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	grown := m.sizes[len(m.sizes)-1] - m.sizes[0]
	m.sizes = nil
	return grown
}

// TestParentGrowsByTheAnswer: whoever sends an explorer into a tree of 50,000 lines
// is sent its answer, the call and a line around it, and nothing of what it read.
// The same search in the conversation itself is beside it.
func TestParentGrowsByTheAnswer(t *testing.T) {
	// frame is what JSON, the call and the line about resuming may take.
	const frame = 600
	short := "Requests are handled by the functions handle…, each registered two lines below: `part00/file0.go:7` `func handle0_7(w writer, r *request) error {`."
	long := strings.Repeat("part01/file1.go:7 handles a request and is registered below it.\n", 1000)
	for _, row := range []struct {
		name, answer string
		most         int // by which the parent may grow, in bytes
	}{
		{"a short answer", short, len(short) + frame},
		{"a report of 64 KB", long, 8<<10 + frame}, // the report is an artifact, and this much of it is shown
	} {
		t.Run(row.name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			writeTree(t, dir)
			watch := &watching{answer: row.answer, looking: looking()}
			c, ctx := watchedClient(t, watch, dir, home)
			grown := map[string]int{}
			for _, prompt := range []string{"alone", "send"} {
				result, err := c.Call(ctx, "agent/run", map[string]any{"prompt": prompt, "await": true})
				if err != nil || !strings.Contains(string(result), `"stopReason":"end_turn"`) {
					t.Fatalf("%s: %s, %v", prompt, result, err)
				}
				grown[prompt] = watch.grown()
			}
			t.Logf("the conversation grew by %d bytes looking for itself, by %d sending an explorer (its answer has %d): %d times less",
				grown["alone"], grown["send"], len(row.answer), grown["alone"]/grown["send"])
			if grown["send"] > row.most {
				t.Errorf("grew by %d bytes, at most %d are the answer, the call and a line around it", grown["send"], row.most)
			}
			if grown["alone"] < 100_000 {
				t.Errorf("looking for itself cost only %d bytes: nothing is compared", grown["alone"])
			}
		})
	}
}

// TestFourExplorersAreBounded: four explorers at once, each of which reads 1.4 MB in
// 28 turns, cost the process a bounded amount of memory.
func TestFourExplorersAreBounded(t *testing.T) {
	const most = 64 << 20
	dir, home := t.TempDir(), t.TempDir()
	var calls []string
	for n := range 40 {
		name := fmt.Sprintf("wide%d.txt", n)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(strings.Repeat("words ", 20)+"\n", 500)), 0o600); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, fmt.Sprintf(`read {"path": %q}`, name))
	}
	calls = calls[:28] // of the thirty turns that an explorer has
	c, ctx := watchedClient(t, &watching{answer: "Words: wide1.txt:1.", looking: calls, at: 4}, dir, home)
	memory := func() int {
		var status struct{ RSSBytes int }
		raw, err := c.Call(ctx, "agent/status", map[string]any{})
		if err == nil {
			err = json.Unmarshal(raw, &status)
		}
		if err != nil || status.RSSBytes == 0 {
			t.Skipf("no figure of this machine: %s, %v", raw, err)
		}
		return status.RSSBytes
	}
	before := memory()
	result, err := c.Call(ctx, "agent/run", map[string]any{"prompt": "send", "await": true})
	if err != nil || !strings.Contains(string(result), `"stopReason":"end_turn"`) {
		t.Fatalf("%s, %v", result, err)
	}
	after := memory()
	t.Logf("%d MB before, %d MB after four explorers that read %d KB each", before>>20, after>>20, len(calls)*50)
	if after-before > most {
		t.Errorf("grew by %d MB", (after-before)>>20)
	}
}

// watchedClient is a client of the real program, whose model is watch.
func watchedClient(t *testing.T, watch *watching, dir, home string) (*testclient.Client, context.Context) {
	model := httptest.NewServer(watch)
	t.Cleanup(model.Close)
	config := fmt.Sprintf(`{"model": "x/m", "providers": {"x": {"baseUrl": %q, "models": {"m": {}}}}}`, model.URL)
	if err := errors.Join(testclient.AskingHome(home), os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	server, err := startBinary(t)(testclient.Env{Vault: dir, Args: []string{"--home", home, "--trust-client"}, Env: map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	c := testclient.NewClient(server.Stdin, server.Stdout)
	t.Cleanup(func() {
		cancel()
		c.CloseInput()
		server.Wait()
		if t.Failed() {
			t.Logf("%s", server.Stderr())
		}
	})
	if _, err := c.Call(ctx, "initialize", json.RawMessage(fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "capabilities": {"experimental": {"agentSidecar": {"versions": [1]}}}, "initializationOptions": {"agentSidecar": {"trusted": true}}}`, dir))); err != nil {
		t.Fatal(err)
	}
	c.Send(json.RawMessage(`{"jsonrpc": "2.0", "method": "initialized", "params": {}}`))
	return c, ctx
}
