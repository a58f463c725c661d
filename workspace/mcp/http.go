package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

const (
	// goodbye is how long the end of a session may take that nobody waits for.
	goodbye = time.Second
	// dialWait is how long a connection, a way through a proxy and the handshake of TLS may each take.
	dialWait = 15 * time.Second
	// retries is how often a broken event stream is opened again before the
	// connection counts as dead.
	retries = 2
)

// httpWire is a server behind an address (streamable HTTP). Its headers are sent
// to that host and to no other; bodies pass frames, as the output of a program
// does.
type httpWire struct {
	url    string
	client *http.Client
	base   *outbound.Transport
	signIn auth.OAuthHandler // nil: nobody can sign in
}

func newMCPHTTP(c Server, signIn auth.OAuthHandler) *httpWire {
	base := outbound.Open(c.Network, nil).Transport(dialWait)
	base.IdleConnTimeout = 90 * time.Second
	h := &httpWire{url: c.URL, base: base, signIn: signIn}
	h.client = &http.Client{
		Transport: &rounds{base: base, headers: c.Headers},
		// The address is what a person wrote down; where it moves to is not.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server leads to another address; configure that one")
		},
	}
	return h
}

func (h *httpWire) transport() mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: h.url, HTTPClient: h.client, OAuthHandler: h.signIn, MaxRetries: retries, MaxEventSize: 2 * frameBytes}
}

func (h *httpWire) stop() {}

func (h *httpWire) close() { h.base.CloseIdleConnections() }

func (h *httpWire) why(err error) error { return err }

// lasting says that the next try would end as this one did: a proxy that refuses a password
// counts the tries, and nobody has signed in meanwhile.
func lasting(err error) bool {
	if needsSignIn(err) {
		return true
	}
	f := outbound.Explain(err)
	return f != nil && f.Lasting
}

// rounds sends requests with the configured headers and bounds what comes
// back.
type rounds struct {
	base    http.RoundTripper
	headers map[string]string
}

func (t *rounds) RoundTrip(req *http.Request) (*http.Response, error) {
	var cancel context.CancelFunc = func() {}
	ctx := req.Context()
	if req.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(ctx, goodbye)
	}
	req = req.Clone(ctx)
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	resp, err := t.base.RoundTrip(req)
	if f := outbound.Explain(err); f != nil {
		err = f
	}
	if err != nil {
		cancel()
		return nil, err
	}
	f := newFrames(resp.Body, nil)
	_, f.hidden, _ = strings.Cut(req.Header.Get("Authorization"), " ")
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	f.events, f.single = kind == "text/event-stream", kind != "text/event-stream"
	resp.Body = &body{f, resp.Body, cancel}
	resp.ContentLength = -1
	return resp, nil
}

type body struct {
	io.Reader
	body   io.Closer
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.body.Close()
}
