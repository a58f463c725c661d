package model

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
)

// pipeServer is a real HTTP server over net.Pipe: it has no sockets, so it also
// works inside a synctest bubble. It ends with the test.
type pipeServer struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipeServer) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeServer) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipeServer) Addr() net.Addr { return &net.IPAddr{} }

func (p *pipeServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// testCatalog is a catalog whose only provider "test" is served by handler, and
// has no list of models. Waits are not spread.
func testCatalog(t *testing.T, handler http.HandlerFunc) *Catalog {
	t.Helper()
	return listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		handler(w, r)
	})
}

// listingCatalog is the same with a handler that is also asked for lists.
func listingCatalog(t *testing.T, handler http.HandlerFunc) *Catalog {
	t.Helper()
	p := &pipeServer{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: handler}
	var served sync.WaitGroup
	served.Go(func() { _ = srv.Serve(p) })
	c := &Catalog{
		Providers: []Provider{{Name: "test", BaseURL: "http://model.test/v1", APIKeys: []string{"sk-test-key-1"}}},
		Dial:      p.dial,
		Rand:      func() float64 { return 0.5 },
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = srv.Close()
		served.Wait()
	})
	return c
}

func open(t *testing.T, c *Catalog, names ...string) Model {
	t.Helper()
	m, err := c.Open(names...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// heard is everything that one Stream yielded.
type heard struct {
	text, reasoning string // what stands after the last Retry
	deltas          map[int]string
	names           map[int]string
	retries         []Retry
	done            *Done
	err             error
	ends            int
}

func hear(ctx context.Context, m Model, req Request) heard {
	h := heard{deltas: map[int]string{}, names: map[int]string{}}
	for part, err := range m.Stream(ctx, req) {
		if err != nil {
			h.err = err
			h.ends++
			continue
		}
		switch p := part.(type) {
		case TextDelta:
			h.text += p.Text
		case ReasoningDelta:
			h.reasoning += p.Text
		case CallDelta:
			h.deltas[p.Index] += p.Text
			h.names[p.Index] = p.Name
		case Retry:
			h.retries = append(h.retries, p)
			h.text, h.reasoning = "", ""
			clear(h.deltas)
			clear(h.names)
		case Done:
			h.done = &p
			h.ends++
		}
	}
	return h
}

// modelError is h.err as *Error, or an empty one.
func (h heard) modelError() *Error {
	var e *Error
	if errors.As(h.err, &e) {
		return e
	}
	return &Error{}
}

func ask(text string) Request {
	return Request{Messages: []Message{{Role: "user", Text: text}}}
}
