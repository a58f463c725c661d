package model

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/testclient/proxy"
)

// gateway is a model behind TLS that only a proxy can reach, as gw.corp.example; over is nil for
// a plain one.
func gateway(t *testing.T, over *tls.Config) (addr string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, answerOK)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if over == nil {
		server.Start()
	} else {
		server.TLS = over
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func behind(t *testing.T, url string, network outbound.Settings) *Catalog {
	t.Helper()
	c := &Catalog{
		Providers: []Provider{{Name: "test", BaseURL: url, APIKeys: []string{"sk-test-key-1", "sk-test-key-2"}, Models: map[string]ModelConfig{"m": {Window: 1}}}},
		Network:   network, Rand: func() float64 { return 0.5 },
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A model is asked through the proxy, its certificate trusted by the file of authorities, and
// shown the certificate that it asks for. What of that is wrong ends the question at the first
// attempt, in words that say what to do and have no password.
func TestModelThroughAProxy(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	dir := t.TempDir()
	to := map[string]string{
		"gw.corp.example:443": gateway(t, corp.Asking("gw.corp.example")), "old.corp.example:443": gateway(t, corp.Expired("old.corp.example")),
		"odd.corp.example:443": gateway(t, corp.Server("other.example")), "plain.corp.example:80": gateway(t, nil),
	}
	p := proxy.Start(t, proxy.Options{User: "me", Password: "hunter22", To: to})
	address := strings.Replace(p.URL, "//", "//me:hunter22@", 1)
	good := outbound.Settings{HTTP: address, HTTPS: address, Origin: "network.proxy", CAFile: corp.File(dir)}
	good.CertFile, good.KeyFile = corp.Client(dir, "ada", time.Now().Add(time.Hour))
	for _, url := range []string{"https://gw.corp.example/v1", "http://plain.corp.example/v1"} {
		if h := hear(t.Context(), open(t, behind(t, url, good), "test/m"), ask("hi")); h.text != "ok" {
			t.Errorf("%s: %v", url, h.err)
		}
	}
	change := func(f func(*outbound.Settings)) outbound.Settings {
		s := good
		f(&s)
		return s
	}
	stranger := change(func(s *outbound.Settings) {
		s.HTTP = p.URL
		s.HTTPS = p.URL
	})
	refusing := strings.Replace(proxy.Start(t, proxy.Options{Refuse: 403}).URL, "//", "//me:hunter22@", 1)
	for what, row := range map[string]struct {
		url  string
		with outbound.Settings
		says string
	}{
		"who is it":          {"https://gw.corp.example/v1", stranger, "wants a user and password (HTTP 407); write them into network.proxy"},
		"who is it, plain":   {"http://plain.corp.example/v1", stranger, "wants a user and password (HTTP 407); write them into network.proxy"},
		"forbidden":          {"https://gw.corp.example/v1", change(func(s *outbound.Settings) { s.HTTPS = refusing }), "does not allow a connection to gw.corp.example:443 (HTTP 403)"},
		"unknown authority":  {"https://gw.corp.example/v1", change(func(s *outbound.Settings) { s.CAFile = "" }), "name its file in network.caFile"},
		"authorities gone":   {"https://gw.corp.example/v1", change(func(s *outbound.Settings) { s.CAFile = "/nonexistent/corp.pem" }), "network.caFile /nonexistent/corp.pem cannot be used: there is no such file"},
		"no certificate":     {"https://gw.corp.example/v1", change(func(s *outbound.Settings) { s.CertFile = "" }), "asks for a client certificate: network.certFile"},
		"certificate broken": {"https://gw.corp.example/v1", change(func(s *outbound.Settings) { s.CertFile = "/nonexistent/me.pem" }), "asks for a client certificate: network.certFile /nonexistent/me.pem cannot be used"},
		"expired":            {"https://old.corp.example/v1", good, "the certificate of old.corp.example is valid only from"},
		"another name":       {"https://odd.corp.example/v1", good, "is for other.example"},
		"broken":             {"https://gw.corp.example/v1", outbound.Settings{Broken: "network in the configuration cannot be used"}, "nothing is connected to: network in the configuration"},
	} {
		h := hear(t.Context(), open(t, behind(t, row.url, row.with), "test/m"), ask("hi"))
		e := h.modelError()
		if !strings.Contains(e.Message, row.says) || len(e.Attempts) != 1 || e.Kind != KindNetwork || strings.Contains(e.Error(), "hunter22") {
			t.Errorf("%s: %d attempts, %v", what, len(e.Attempts), h.err)
		}
	}
}

// BypassProxyPasswordInAnError: whatever a proxy does, its password is in no error.
func TestBypassProxyPasswordInAnError(t *testing.T) {
	raw := proxy.Start(t, proxy.Options{Raw: "HTTP/1.1 500 me:hunter22\r\nX: me:hunter22\r\n\r\nme:hunter22"})
	for _, address := range []string{
		strings.Replace(raw.URL, "//", "//me:hunter22@", 1), "http://me:hunter22@127.0.0.1:1", "https://me:hunter22@" + raw.Addr,
		"socks5://me:hunter22@127.0.0.1:1", "http://me:hunter22@no-such-host.invalid", "ftp://me:hunter22@x", "http://me:hunter22@[x", "http://me:hunter22@x y",
	} {
		for _, url := range []string{"https://gw.corp.example/v1", "http://gw.corp.example/v1"} {
			c := behind(t, url, outbound.Settings{HTTP: address, HTTPS: address, Origin: "network.proxy"})
			c.Retry.MaxAttempts = 1
			h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
			if h.err == nil || strings.Contains(h.err.Error(), "hunter22") {
				t.Errorf("%s: %v", address, h.err)
			}
		}
	}
}

// The files are read again when they have changed, and the settings when they are replaced.
func TestWayOutIsReplaced(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	dir := t.TempDir()
	p := proxy.Start(t, proxy.Options{To: map[string]string{"gw.corp.example:443": gateway(t, corp.Server("gw.corp.example"))}})
	s := outbound.Settings{HTTPS: p.URL, Origin: "network.proxy", CAFile: dir + "/authority.pem"}
	c := behind(t, "https://gw.corp.example/v1", s)
	answers := func() bool {
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		return h.err == nil
	}
	if answers() {
		t.Error("without the authority")
	}
	corp.File(dir)
	if !answers() {
		t.Error("the file has come and is not read")
	}
	s.HTTPS = ""
	s.Broken = "gone"
	c.Leave(s)
	if answers() {
		t.Error("the old way out is still used")
	}
}

// A proxy that takes connections and says nothing is not asked again and again.
func TestSilentProxyIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var far []net.Conn
		c := behind(t, "https://gw.corp.example/v1", outbound.Settings{HTTPS: "http://me:hunter22@proxy.corp:3128", Origin: "network.proxy"})
		c.Dial = func(_ context.Context, _, addr string) (net.Conn, error) {
			near, end := net.Pipe()
			far = append(far, end)
			go func() { _, _ = io.Copy(io.Discard, end) }()
			return near, nil
		}
		begun := time.Now()
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		if e := h.modelError(); time.Since(begun) > 2*dialWait || !strings.Contains(e.Message, "the proxy proxy.corp:3128 did not answer within 15s") {
			t.Errorf("after %v: %v", time.Since(begun), h.err)
		}
		for _, end := range far {
			end.Close()
		}
	})
}
