package outbound

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Transport sends requests to addresses that a person has configured. Its errors are Failures
// where something can be said that helps.
type Transport struct {
	*http.Transport
	way *Way
}

// acquaintance is what is known of a host that is spoken to over TLS.
type acquaintance struct {
	asked    bool // for the certificate of this machine
	shown    bool // it was shown one
	answered bool // there has been an answer
}

// Transport makes one. Reaching a proxy, opening a way through it and the handshake of TLS may
// each take wait. The caller sets the other limits.
func (w *Way) Transport(wait time.Duration) *Transport {
	t := &http.Transport{TLSClientConfig: w.TLS(), ForceAttemptHTTP2: true}
	// A plain request goes to an HTTP proxy as it is: many of them open tunnels only for TLS.
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme == "https" {
			return nil, nil
		}
		proxy, err := w.Through(r.URL.Scheme, hostPort(r.URL))
		if proxy == nil || !takesRequests(proxy) {
			return nil, err
		}
		return proxy, nil
	}
	t.DialContext = func(ctx context.Context, _, addr string) (net.Conn, error) {
		proxy, err := w.Through("http", addr)
		if err != nil {
			return nil, err
		}
		if proxy != nil && !takesRequests(proxy) {
			return w.Tunnel(ctx, proxy, addr, wait)
		}
		conn, err := w.direct(ctx, addr, wait)
		if err != nil && w.isProxy(addr) {
			return nil, w.unreached(addr, err)
		}
		return conn, err
	}
	t.DialTLSContext = func(ctx context.Context, _, addr string) (net.Conn, error) {
		proxy, err := w.Through("https", addr)
		if err != nil {
			return nil, err
		}
		var conn net.Conn
		if proxy == nil {
			conn, err = w.direct(ctx, addr, wait)
		} else {
			conn, err = w.Tunnel(ctx, proxy, addr, wait)
		}
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		return w.Secure(ctx, conn, host, w.Showing(t.TLSClientConfig, host), wait)
	}
	return &Transport{t, w}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(req)
	if err != nil {
		if f := t.way.unwanted(req, err); f != nil {
			return nil, f
		}
		return nil, err
	}
	if resp.StatusCode == http.StatusProxyAuthRequired {
		// Only proxies say that; this one was sent the request as it is.
		resp.Body.Close()
		addr := hostPort(req.URL)
		if proxy, err := t.way.Through(req.URL.Scheme, addr); err == nil && proxy != nil {
			return nil, t.way.Refusal(proxy, resp.StatusCode, addr)
		}
		return nil, &Failure{words: "a proxy on the way wants a user and password (HTTP 407); name it in network.proxy", Status: resp.StatusCode, Lasting: true}
	}
	if req.URL.Scheme == "https" {
		t.way.note(req.URL.Hostname(), func(a *acquaintance) { a.answered = true })
	}
	return resp, nil
}

// note keeps something about a host.
func (w *Way) note(host string, change func(*acquaintance)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hosts == nil {
		w.hosts = map[string]acquaintance{}
	}
	a := w.hosts[host]
	change(&a)
	w.hosts[host] = a
}

// unwanted is why a host ends connections on which it has asked who is calling; nil where it is
// something else. In today's TLS it answers only behind the handshake, and the request
// that is on its way then mostly breaks before the answer is read.
func (w *Way) unwanted(req *http.Request, err error) *Failure {
	if f := Explain(err); f != nil {
		return f
	}
	host := req.URL.Hostname()
	w.mu.Lock()
	a := w.hosts[host]
	w.mu.Unlock()
	if req.Context().Err() != nil || !a.asked || a.answered {
		return nil
	}
	if a.shown {
		return &Failure{words: host + " refuses the client certificate of network.certFile: it ends the connection after it has seen it", Lasting: true}
	}
	return &Failure{words: host + askedFor, Lasting: true}
}

// direct connects within wait.
func (w *Way) direct(ctx context.Context, addr string, wait time.Duration) (net.Conn, error) {
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return w.dial(timed, "tcp", addr)
}
