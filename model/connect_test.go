package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// hole is a connection whose other end goes away without a word once dead is set:
// what is written vanishes, and nothing comes.
type hole struct {
	net.Conn
	dead   *atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (h *hole) Read(p []byte) (int, error) {
	for {
		n, err := h.Conn.Read(p)
		if !h.dead.Load() {
			return n, err
		}
		if err != nil {
			<-h.closed
			return 0, net.ErrClosed
		}
	}
}

func (h *hole) Write(p []byte) (int, error) {
	if h.dead.Load() {
		return len(p), nil
	}
	return h.Conn.Write(p)
}

func (h *hole) Close() error { h.once.Do(func() { close(h.closed) }); return h.Conn.Close() }

// certificate is one for example.com. There are no sockets in a bubble, so it is
// made outside.
func certificate() (tls.Certificate, *x509.Certificate) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0], s.Certificate()
}

// http2Catalog speaks HTTP/2 over TLS over pipes with handler.
func http2Catalog(t *testing.T, own tls.Certificate, root *x509.Certificate, handler http.HandlerFunc, dead *atomic.Bool) (c *Catalog, dialled *atomic.Int32) {
	roots := x509.NewCertPool()
	roots.AddCert(root)
	p := &pipeServer{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: handler, TLSConfig: &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{"h2", "http/1.1"}}}
	var served sync.WaitGroup
	served.Go(func() { _ = srv.ServeTLS(p, "", "") })
	dialled = new(atomic.Int32)
	c = &Catalog{
		Providers: []Provider{{Name: "test", BaseURL: "https://example.com/v1", APIKeys: []string{"sk-test-key-1"}, Models: map[string]ModelConfig{"m": {Window: 1}}}},
		Rand:      func() float64 { return 0.5 },
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dialled.Add(1)
			dead.Store(false)
			conn, err := p.dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &hole{Conn: conn, dead: dead, closed: make(chan struct{})}, nil
		},
	}
	c.http().Transport.(*outbound.Transport).TLSClientConfig = &tls.Config{RootCAs: roots, Time: func() time.Time { return root.NotBefore.Add(time.Hour) }}
	t.Cleanup(func() {
		_ = c.Close()
		_ = srv.Close()
		served.Wait()
	})
	return c, dialled
}

// A shared connection whose other end has gone is found out by a ping, long before
// the silence of the model would be too long, and the next attempt dials.
func TestDeadConnectionIsFound(t *testing.T) {
	own, root := certificate()
	synctest.Test(t, func(t *testing.T) {
		var dead atomic.Bool
		proto := ""
		c, dialled := http2Catalog(t, own, root, func(w http.ResponseWriter, r *http.Request) {
			proto = r.Proto
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, answerOK)
		}, &dead)
		m := open(t, c, "test/m")
		if h := hear(t.Context(), m, ask("hi")); h.done == nil || proto != "HTTP/2.0" {
			t.Fatalf("%s: %v", proto, h.err)
		}
		dead.Store(true)
		begun := time.Now()
		h := hear(t.Context(), m, ask("hi"))
		if h.done == nil || dialled.Load() != 2 {
			t.Fatalf("dialled %d times: %v", dialled.Load(), h.err)
		}
		if took := time.Since(begun); took > pingAfter+pingWait+3*time.Second {
			t.Errorf("found out after %v", took)
		}
	})
}

// A stream of HTTP/2 that the server resets is tried again, on the same
// connection.
func TestResetStream(t *testing.T) {
	own, root := certificate()
	synctest.Test(t, func(t *testing.T) {
		var dead atomic.Bool
		asked := 0
		c, dialled := http2Catalog(t, own, root, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if asked++; asked == 1 {
				_, _ = io.WriteString(w, halfway)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, answerOK)
		}, &dead)
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		if h.done == nil || h.text != "ok" || asked != 2 || dialled.Load() != 1 || h.retries[0].Err.Kind != KindNetwork {
			t.Errorf("asked %d times, dialled %d: %+v %v", asked, dialled.Load(), h.retries, h.err)
		}
	})
}
