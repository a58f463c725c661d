// Package proxy is a real HTTP proxy and a private authority of certificates, for tests. It
// shares no code with what it tests.
package proxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Options say how a proxy behaves.
type Options struct {
	// To is where connections really go, by the "host:port" that was asked for; "" is for all
	// others. What is not there the proxy cannot connect to (502).
	To map[string]string
	// User and Password are wanted of each request; "" lets everybody through.
	User, Password string
	// Refuse is the status of every answer; 0: the proxy does what it is asked.
	Refuse int
	// Raw is the whole answer to every CONNECT instead of one of HTTP; "" is none.
	Raw string
	// Over is the certificate of a proxy that is spoken to over TLS.
	Over *Authority
}

// Proxy is a proxy on this machine. It and all that it carries end with the test.
type Proxy struct {
	Addr string // host:port
	URL  string // http:// or https:// and Addr

	options Options
	work    sync.WaitGroup

	mu    sync.Mutex // guards everything below
	asked []string
	conns []net.Conn
	ended bool
}

// Start starts a proxy.
func Start(t testing.TB, o Options) *Proxy {
	t.Helper()
	p := &Proxy{options: o}
	server := httptest.NewUnstartedServer(p)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if o.Over == nil {
		server.Start()
	} else {
		server.TLS = o.Over.Server("127.0.0.1")
		server.StartTLS()
	}
	p.URL = server.URL
	p.Addr = server.Listener.Addr().String()
	t.Cleanup(func() {
		p.mu.Lock()
		p.ended = true
		for _, c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		server.CloseClientConnections()
		server.Close()
		p.work.Wait()
	})
	return p
}

// Asked is what was asked for, in order: "CONNECT host:port" or "GET http://…".
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if r.Method == http.MethodConnect {
		p.asked = append(p.asked, "CONNECT "+r.Host)
	} else {
		p.asked = append(p.asked, r.Method+" "+r.URL.String())
	}
	p.mu.Unlock()
	if p.options.User != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(p.options.User+":"+p.options.Password)) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="corp"`)
		http.Error(w, "who are you?", http.StatusProxyAuthRequired)
		return
	}
	if p.options.Refuse != 0 {
		http.Error(w, "the proxy says no", p.options.Refuse)
		return
	}
	if r.Method == http.MethodConnect {
		p.connect(w, r)
		return
	}
	p.forward(w, r)
}

func (p *Proxy) dial(ctx context.Context, addr string) (net.Conn, error) {
	to, known := p.options.To[addr]
	if !known {
		to, known = p.options.To[""]
	}
	if !known {
		return nil, fmt.Errorf("nobody is at %s", addr)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", to)
}

func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	var far net.Conn
	if p.options.Raw == "" {
		var err error
		if far, err = p.dial(r.Context(), r.Host); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
	}
	near, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if far == nil {
		p.keep(near)
		_, _ = io.WriteString(near, p.options.Raw)
		near.Close()
		return
	}
	if !p.keep(near, far) {
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	p.work.Go(func() { carry(far, buffered.Reader) })
	p.work.Go(func() { carry(near, bufio.NewReader(far)) })
}

// keep remembers connections for the end; false says that it has come.
func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, conns...)
	if p.ended {
		for _, c := range conns {
			c.Close()
		}
	}
	return !p.ended
}

// carry copies until either end is gone; then the other one is, too.
func carry(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from)
	to.Close()
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	over := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) { return p.dial(ctx, addr) }}
	defer over.CloseIdleConnections()
	out := r.Clone(r.Context())
	out.RequestURI = ""
	out.Header.Del("Proxy-Authorization")
	resp, err := over.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}
