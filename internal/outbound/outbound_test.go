package outbound

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-sidecar/agent-sidecar/testclient/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve is a server that says hello, over TLS where config is not nil.
func serve(t *testing.T, config *tls.Config) (addr string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = io.WriteString(w, "hello "+who+" over "+r.Proto)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if config == nil {
		server.Start()
	} else {
		server.TLS = config
		server.EnableHTTP2 = true
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// get asks for an address over a way, and says what came or why nothing did.
func get(t *testing.T, s Settings, url string) string {
	t.Helper()
	transport := Open(s, nil).Transport(10 * time.Second)
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(url)
	if f := Explain(err); f != nil {
		return f.Error()
	}
	if err != nil {
		return "unexplained: " + err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.Status + " " + string(text)
}

func through(url string) Settings {
	return Settings{HTTP: url, HTTPS: url, Origin: "network.proxy"}
}

func expect(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s: %q does not say %q", what, got, part)
		}
	}
	if strings.Contains(got, "hunter22") {
		t.Errorf("%s: the password is in %q", what, got)
	}
}

// Requests go through the proxy, TLS in a tunnel, with the user and password where it wants
// them; and what is said of them never has the password.
func TestThroughAProxy(t *testing.T) {
	authority := proxy.NewAuthority(t, "Corp Root")
	secure := serve(t, authority.Server("llm.corp.example"))
	plain := serve(t, nil)
	p := proxy.Start(t, proxy.Options{To: map[string]string{"llm.corp.example:443": secure, "plain.corp.example:80": plain}, User: "me", Password: "hunter22"})
	withUser := through(strings.Replace(p.URL, "//", "//me:hunter22@", 1))
	withUser.CAFile = authority.File(t.TempDir())
	expect(t, "TLS", get(t, withUser, "https://llm.corp.example/"), "200 OK hello nobody over HTTP/2.0")
	expect(t, "plain", get(t, withUser, "http://plain.corp.example/x"), "200 OK hello nobody over HTTP/1.1")
	if asked := strings.Join(p.Asked(), ", "); asked != "CONNECT llm.corp.example:443, GET http://plain.corp.example/x" {
		t.Error(asked)
	}
	expect(t, "no user", get(t, through(p.URL), "https://llm.corp.example/"), p.Addr, "wants a user and password (HTTP 407)", "network.proxy")
	wrong := through(strings.Replace(p.URL, "//", "//me:hunter22x@", 1))
	expect(t, "wrong password", get(t, wrong, "https://llm.corp.example/"), "does not accept the user and password in network.proxy")
	expect(t, "nobody there", get(t, withUser, "https://other.corp.example/"), "cannot connect to other.corp.example:443 (HTTP 502)")
}

// What a proxy may answer instead of letting through.
func TestProxyThatRefuses(t *testing.T) {
	for what, row := range map[string]struct {
		options proxy.Options
		says    string
	}{
		"forbids":       {proxy.Options{Refuse: 403}, "does not allow a connection to llm.example:443 (HTTP 403)"},
		"is confused":   {proxy.Options{Refuse: 400}, "(HTTP 400)"},
		"is rubbish":    {proxy.Options{Raw: "SSH-2.0-OpenSSH_9.9\r\n"}, "is no proxy that takes CONNECT; is network.proxy right?"},
		"says nothing":  {proxy.Options{Raw: " "}, "is no proxy"},
		"floods":        {proxy.Options{Raw: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)}, "is no proxy"},
		"speaks first":  {proxy.Options{Raw: "HTTP/1.1 200 OK\r\n\r\nhello"}, "is no proxy"},
		"no such proxy": {proxy.Options{Refuse: -1}, "cannot be reached: connection refused"},
	} {
		address := ""
		if row.options.Refuse == -1 {
			gone, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address = "http://" + gone.Addr().String()
			gone.Close()
		} else {
			address = proxy.Start(t, row.options).URL
		}
		address = strings.Replace(address, "//", "//me:hunter22@", 1)
		expect(t, what, get(t, through(address), "https://llm.example/"), row.says)
	}
	expect(t, "a name that is none", get(t, through("http://me:hunter22@no-such-host.invalid:1"), "https://llm.example/"), "there is no host no-such-host.invalid")
}

// A proxy that is spoken to over TLS is judged like any server, and shown no certificate.
func TestProxyOverTLS(t *testing.T) {
	authority := proxy.NewAuthority(t, "Corp Root")
	secure := serve(t, authority.Server("llm.corp.example"))
	plain := serve(t, nil)
	p := proxy.Start(t, proxy.Options{Over: authority, To: map[string]string{"llm.corp.example:443": secure, "llm.corp.example:80": plain}})
	s := through(p.URL)
	expect(t, "unknown authority", get(t, s, "https://llm.corp.example/"), "the certificate of 127.0.0.1", "network.caFile")
	s.CAFile = authority.File(t.TempDir())
	expect(t, "known", get(t, s, "https://llm.corp.example/"), "200 OK")
	expect(t, "plain", get(t, s, "http://llm.corp.example/"), "200 OK")
	if asked := strings.Join(p.Asked(), ", "); asked != "CONNECT llm.corp.example:443, CONNECT llm.corp.example:80" {
		t.Error(asked)
	}
}

// This machine is never asked for through a proxy, nor what NO_PROXY names.
func TestNoProxy(t *testing.T) {
	plain := serve(t, nil)
	_, port, _ := net.SplitHostPort(plain)
	p := proxy.Start(t, proxy.Options{To: map[string]string{"": plain}})
	s := through(p.URL)
	s.NoProxy = "10.0.0.0/8,.corp.example,one.example:81"
	for _, host := range []string{"127.0.0.1", "localhost", "a.localhost"} {
		if host == "a.localhost" {
			continue // not every system knows it
		}
		expect(t, host, get(t, s, "http://"+host+":"+port+"/"), "200 OK")
	}
	if asked := p.Asked(); len(asked) > 0 {
		t.Error(asked)
	}
	w := Open(s, nil)
	for addr, want := range map[string]bool{
		"127.0.0.1:80": false, "[::1]:80": false, "127.9.9.9:1": false, "a.localhost:80": false, "localhost.:80": false, "LOCALHOST:80": false,
		"10.1.2.3:443": false, "a.corp.example:443": false, "one.example:81": false,
		"one.example:80": true, "corp.example:443": true, "11.0.0.1:443": true, p.Addr: false,
	} {
		if got, err := w.Through("https", addr); err != nil || (got != nil) != want {
			t.Errorf("%s: %v %v", addr, got, err)
		}
	}
}

// The variables are read as other programs read them, and "HTTPS_PROXY" is named where it is
// wrong.
func TestEnvironment(t *testing.T) {
	env := map[string]string{"http_proxy": "http://plain:1", "HTTPS_PROXY": "secure:2", "no_proxy": "corp.example"}
	s := Environment(func(name string) string { return env[name] })
	w := Open(s, nil)
	for addr, want := range map[string]string{"http a.example:80": "http://plain:1", "https a.example:443": "http://secure:2", "https corp.example:443": ""} {
		scheme, addr, _ := strings.Cut(addr, " ")
		got, err := w.Through(scheme, addr)
		if err != nil || (got == nil) != (want == "") || got != nil && got.String() != want {
			t.Errorf("%s: %v %v", addr, got, err)
		}
	}
	if s.Origin != "HTTPS_PROXY" {
		t.Error(s.Origin)
	}
	expect(t, "wrong", get(t, Settings{HTTPS: "ftp://me:hunter22@x", Origin: "HTTPS_PROXY"}, "https://a.example/"), "HTTPS_PROXY must be like http://host:port")
	expect(t, "not a URL", get(t, Settings{HTTP: "http://me:hunter22@[x", Origin: "HTTP_PROXY"}, "http://a.example/"), "HTTP_PROXY must be like")
}

// What cannot be used is not passed by: nothing is connected to but this machine.
func TestBrokenSettings(t *testing.T) {
	plain := serve(t, nil)
	s := Settings{Broken: "network.proxy must be a text"}
	expect(t, "elsewhere", get(t, s, "http://a.example/"), "nothing is connected to: network.proxy must be a text")
	expect(t, "elsewhere", get(t, s, "https://a.example/"), "nothing is connected to")
	expect(t, "here", get(t, s, "http://"+plain+"/"), "200 OK")
}

// Whose certificate does not fit is not spoken to, and it is said what to do.
func TestCertificates(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	other := proxy.NewAuthority(t, "Another Root")
	dir := t.TempDir()
	url := func(config *tls.Config) string {
		_, port, _ := net.SplitHostPort(serve(t, config))
		return "https://127.0.0.1:" + port + "/"
	}
	good := url(corp.Server("127.0.0.1"))
	known := Settings{CAFile: corp.File(dir)}
	expect(t, "unknown authority", get(t, Settings{}, good), "an authority that this machine does not know (Corp Root)", "network.caFile")
	expect(t, "known", get(t, known, good), "200 OK")
	expect(t, "another authority", get(t, known, url(other.Server("127.0.0.1"))), "Another Root", known.CAFile, "does not have it either")
	expect(t, "wrong name", get(t, known, url(corp.Server("gateway.example"))), "the certificate that answers for 127.0.0.1 is for gateway.example")
	expect(t, "expired", get(t, known, url(corp.Expired("127.0.0.1"))), "is valid only from", "is the clock of this machine right?")

	missing := Settings{CAFile: filepath.Join(dir, "gone.pem")}
	expect(t, "no file", get(t, missing, good), "network.caFile "+missing.CAFile+" cannot be used: there is no such file")
	empty := Settings{CAFile: filepath.Join(dir, "empty.pem")}
	if err := os.WriteFile(empty.CAFile, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, "no certificate", get(t, empty, good), "it has no certificate in PEM")
	if w := Open(Settings{CAFile: dir}, nil); len(w.Problems()) != 1 {
		t.Error("a directory is no file", w.Problems())
	}
	w := Open(known, nil)
	if w.Stale() || len(w.Problems()) != 0 || len(w.Authorities()) != 1 {
		t.Error(w.Problems(), w.Authorities())
	}
	if err := os.Remove(known.CAFile); err != nil || !w.Stale() {
		t.Error("a file that has gone is not noticed", err)
	}
}

// A host that asks who is calling is shown the certificate, where the settings do not keep it
// from that host; one that is not shown it, or a wrong one, says so.
func TestClientCertificate(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(serve(t, corp.Asking("127.0.0.1", "localhost")))
	url := "https://127.0.0.1:" + port + "/"
	s := Settings{CAFile: corp.File(dir)}
	s.CertFile, s.KeyFile = corp.Client(dir, "ada", time.Now().Add(time.Hour))
	expect(t, "shown", get(t, s, url), "200 OK hello ada over HTTP/2.0")
	if w := Open(s, nil); w.Certificate() == nil || w.Certificate().Subject.CommonName != "ada" {
		t.Error(w.Problems())
	}
	none := Settings{CAFile: s.CAFile}
	expect(t, "none", get(t, none, url), "asks for a client certificate: network.certFile")

	named := s
	named.CertHosts = []string{"*.corp.example", "127.0.0.1"}
	expect(t, "named", get(t, named, url), "hello ada")
	expect(t, "not named", get(t, named, "https://localhost:"+port+"/"), "asks for a client certificate")
	for host, want := range map[string]bool{"a.corp.example": true, "A.Corp.Example": true, "corp.example": false, "xcorp.example": false, "127.0.0.1": true, "127.0.0.11": false} {
		if got := Open(named, nil).mayBeShown(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}

	stranger := s
	stranger.CertFile, stranger.KeyFile = proxy.NewAuthority(t, "Another").Client(t.TempDir(), "eve", time.Now().Add(time.Hour))
	expect(t, "a stranger's", get(t, stranger, url), "refuses the client certificate")
	noKey := s
	noKey.KeyFile = ""
	expect(t, "no key", get(t, noKey, url), "network.certFile "+s.CertFile+" cannot be used: it and the key", "are no pair")
	gone := s
	gone.KeyFile = filepath.Join(dir, "gone.key")
	expect(t, "key gone", get(t, gone, url), "127.0.0.1 asks for a client certificate: network.keyFile", "there is no such file")
	locked := s
	locked.KeyFile = filepath.Join(dir, "locked.key")
	if err := os.WriteFile(locked.KeyFile, []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, "key locked", get(t, locked, url), "locked with a passphrase")
}

// A proxy that takes a connection and says nothing is given up after the wait, and that is
// said; so is the end of a handshake that never comes.
func TestSilentProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []net.Conn
		silent := func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			ends = append(ends, far)
			go func() { _, _ = io.Copy(io.Discard, far) }()
			return near, nil
		}
		defer func() {
			for _, c := range ends {
				c.Close()
			}
		}()
		for proxy, says := range map[string]string{
			"http://proxy.example:3128":   "the proxy proxy.example:3128 did not answer within 15s",
			"https://proxy.example:3128":  "the proxy proxy.example:3128 did not answer within 15s",
			"socks5://proxy.example:1080": "the proxy proxy.example:1080 did not answer within 15s",
			"":                            "llm.example did not finish the handshake of TLS within 15s",
		} {
			begun := time.Now()
			transport := Open(through(proxy), silent).Transport(15 * time.Second)
			_, err := (&http.Client{Transport: transport}).Get("https://llm.example/")
			f := Explain(err)
			if f == nil || !strings.Contains(f.Error(), says) || time.Since(begun) != 15*time.Second {
				t.Errorf("%q: after %v: %v", proxy, time.Since(begun), err)
			}
			transport.CloseIdleConnections()
		}
	})
}
