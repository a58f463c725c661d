package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// serveHTTP is an address that is gone when the test ends. Clients that still
// hang on it are cut off.
func serveHTTP(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// byHand answers as fast as a server can be written: what say returns is the
// whole body of an answer to a call.
func byHand(kind string, call func(gone context.Context, id json.RawMessage, w http.ResponseWriter)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m badMessage
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			w.Header().Set("Content-Type", kind)
			call(r.Context(), m.ID, w)
		default:
			if len(m.ID) == 0 {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		}
	})
}

// A real server, by its address, with the headers it needs on every request.
func TestHTTP(t *testing.T) {
	for _, plainJSON := range []bool{false, true} {
		real := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "1"}, nil)
		type in struct {
			Name string `json:"name"`
		}
		mcp.AddTool(real, &mcp.Tool{Name: "greet", Description: "Greets."}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + a.Name}}}, nil, nil
		})
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return real }, &mcp.StreamableHTTPOptions{JSONResponse: plainJSON})
		var without atomic.Int64
		url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "geheim" {
				without.Add(1)
			}
			handler.ServeHTTP(w, r)
		}))
		w := newWorld(t, "")
		tools := w.start(Server{Name: "web", URL: url, Headers: map[string]string{"X-Key": "geheim"}})
		if len(tools) != 1 || tools[0].Spec().Name != "mcp__web__greet" {
			t.Fatalf("%d tools, %+v", len(tools), w.Problems())
		}
		if _, err := tools[0].Plan(json.RawMessage(`{"name": 7}`)); err == nil {
			t.Error("the server's schema does not hold")
		}
		if r := outputtest.Run(t, tools[0], `{"name": "you"}`); r.Text != "hello you" || !r.Tainted {
			t.Errorf("%+v", r)
		}
		w.Close()
		if n := without.Load(); n > 0 {
			t.Errorf("%d requests without the header", n)
		}
	}
}

// What is too large is an error here, too: as one body, and as an event.
func TestHTTPLargeAnswer(t *testing.T) {
	text := strings.Repeat("0123456789 line\\n", 1_250_000) // 20 MB
	for kind, body := range map[string]string{
		"application/json":  "{\n\"jsonrpc\":\"2.0\",\n\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]},\n\"id\":%s}\n",
		"text/event-stream": "event: message\ndata: {\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]},\"id\":%s}\n\n",
	} {
		url := serveHTTP(t, byHand(kind, func(_ context.Context, id json.RawMessage, w http.ResponseWriter) { fmt.Fprintf(w, body, text, id) }))
		w := newWorld(t, "")
		tools := w.start(Server{Name: "web", URL: url})
		if len(tools) != 1 {
			t.Fatalf("%s: %+v", kind, w.Problems())
		}
		if r := outputtest.Run(t, tools[0], `{}`); !r.Failed || !strings.Contains(r.Text, "at most 8 MiB are taken") {
			t.Errorf("%s: %+v", kind, r)
		}
		w.Close()
	}
}

func TestHTTPMisbehaves(t *testing.T) {
	for _, row := range []struct {
		name, kind string
		call       func(context.Context, json.RawMessage, http.ResponseWriter)
		want       string
	}{
		{"says nothing", "text/event-stream", func(gone context.Context, _ json.RawMessage, w http.ResponseWriter) {
			w.(http.Flusher).Flush()
			<-gone.Done()
		}, "did not answer in time"},
		{"breaks off", "text/event-stream", func(context.Context, json.RawMessage, http.ResponseWriter) {}, "without response"},
		{"is no JSON", "application/json", func(gone context.Context, _ json.RawMessage, w http.ResponseWriter) { io.WriteString(w, "<html>") }, ""},
		{"refuses", "application/json", func(gone context.Context, _ json.RawMessage, w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
		}, "Internal Server Error"},
		{"floods", "text/event-stream", func(gone context.Context, _ json.RawMessage, w http.ResponseWriter) {
			for {
				if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n"); err != nil {
					return
				}
			}
		}, ""},
	} {
		url := serveHTTP(t, byHand(row.kind, row.call))
		w := newWorld(t, "")
		timeout, silent := 20*time.Second, row.name == "says nothing"
		if silent { // who answers something is not held to a clock
			timeout = time.Second
		}
		tools := w.start(Server{Name: "web", URL: url, Timeout: timeout})
		if len(tools) != 1 {
			t.Fatalf("%s: %+v", row.name, w.Problems())
		}
		r := outputtest.Run(t, tools[0], `{}`)
		if !r.Failed || !strings.Contains(r.Text, row.want) || strings.Contains(r.Text, "in time") != silent {
			t.Errorf("%s: %q", row.name, r.Text)
		}
		w.Close()
	}
}

// An address that leads on is not followed: the headers were meant for it alone.
func TestHTTPDoesNotFollow(t *testing.T) {
	var seen atomic.Int64
	elsewhere := serveHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	}))
	w := newWorld(t, "")
	w.start(Server{Name: "web", URL: url, Headers: map[string]string{"Authorization": "Bearer geheim"}})
	p := w.Problems()
	if len(p) != 1 || !p[0].Down || !strings.Contains(p[0].Message, "another address") || strings.Contains(p[0].Message, "geheim") || seen.Load() > 0 {
		t.Errorf("%+v, %d requests elsewhere", p, seen.Load())
	}
}

func TestHTTPNobodyThere(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	w := newWorld(t, "")
	w.start(Server{Name: "web", URL: server.URL})
	if p := w.Problems(); len(p) != 1 || !strings.Contains(p[0].Message, "connection refused") {
		t.Errorf("%+v", p)
	}
}
