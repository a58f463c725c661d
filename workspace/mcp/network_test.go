package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/testclient/proxy"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// A server behind an address is reached as models are: through the proxy, by the authorities of
// the person, with their certificate. What is wrong is said where the server is named.
func TestHTTPThroughAProxy(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	dir := t.TempDir()
	handler := byHand("application/json", func(_ context.Context, id json.RawMessage, w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"result":{"content":[{"type":"text","text":"reached"}]}}`)
	})
	server := httptest.NewUnstartedServer(handler)
	server.TLS = corp.Asking("tools.corp.example")
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	plain := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		plain.CloseClientConnections()
		plain.Close()
	})
	p := proxy.Start(t, proxy.Options{User: "me", Password: "hunter22", To: map[string]string{
		"tools.corp.example:443": server.Listener.Addr().String(), "plain.corp.example:80": plain.Listener.Addr().String(),
	}})
	address := strings.Replace(p.URL, "//", "//me:hunter22@", 1)
	good := outbound.Settings{HTTP: address, HTTPS: address, Origin: "network.proxy", CAFile: corp.File(dir)}
	good.CertFile, good.KeyFile = corp.Client(dir, "ada", time.Now().Add(time.Hour))
	for _, url := range []string{"https://tools.corp.example/mcp", "http://plain.corp.example/mcp"} {
		w := newWorld(t, "")
		tools := w.start(Server{Name: "web", URL: url, Network: good})
		if len(tools) != 1 {
			t.Fatalf("%s: %+v", url, w.Problems())
		}
		if r := outputtest.Run(t, tools[0], `{}`); r.Text != "reached" {
			t.Errorf("%s: %+v", url, r)
		}
		w.Close()
	}
	stranger := good
	stranger.HTTP = p.URL
	stranger.HTTPS = p.URL
	unknown := good
	unknown.CAFile = ""
	nobody := good
	nobody.CertFile = ""
	for says, server := range map[string]Server{
		"wants a user and password (HTTP 407); write them into network.proxy": {Name: "web", URL: "https://tools.corp.example/mcp", Network: stranger},
		`plain.corp.example/mcp": the proxy `:                                 {Name: "web", URL: "http://plain.corp.example/mcp", Network: stranger},
		"name its file in network.caFile":                                     {Name: "web", URL: "https://tools.corp.example/mcp", Network: unknown},
		"asks for a client certificate: network.certFile":                     {Name: "web", URL: "https://tools.corp.example/mcp", Network: nobody},
	} {
		w := newWorld(t, "")
		w.start(server)
		if found := w.Problems(); len(found) != 1 || !strings.Contains(found[0].Message, says) || strings.Contains(found[0].Message, "hunter22") {
			t.Errorf("%s: %+v", says, found)
		}
		w.Close()
	}
	w := newWorld(t, "")
	defer w.Close()
	s := newMCPServer(w.Servers, Server{Name: "web", URL: "https://tools.corp.example/mcp", Network: stranger})
	defer s.stop()
	if err := s.live(); !lasting(err) {
		t.Errorf("it is tried again and again: %v", err)
	}
}
