package model

import (
	"net/http"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// How long a connection may take to come about, and how a dead one is found.
const (
	dialWait = 15 * time.Second // also for a way through a proxy, and for the handshake of TLS
	// A connection of HTTP/2 is shared by all requests to a host. When its other
	// end is gone without a word (a laptop woke up elsewhere), every request on
	// it is silent; a ping that nobody answers finds that out.
	pingAfter = 20 * time.Second
	pingWait  = 10 * time.Second
	// sessionsAtOnce connections of HTTP/1 are kept for each host.
	sessionsAtOnce = 20
)

// http is the one client of the catalog, as long as the way out is as it was. Time-outs of
// requests are the idleTimer's.
func (c *Catalog) http() *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil && !c.way.Stale() {
		return c.client
	}
	c.letGo()
	c.way = outbound.Open(c.Network, c.Dial)
	t := c.way.Transport(dialWait)
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingWait}
	t.DisableCompression = true // a compressed stream arrives in lumps
	t.MaxResponseHeaderBytes = 1 << 20
	t.IdleConnTimeout = 90 * time.Second
	t.MaxIdleConnsPerHost = sessionsAtOnce
	c.client = &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c.client
}

// letGo closes what is idle; what is under way ends by itself. The lock is held.
func (c *Catalog) letGo() {
	if c.client != nil {
		c.client.CloseIdleConnections()
		c.client = nil
	}
}

// Close closes idle connections. Streams end with their iteration.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.letGo()
	return nil
}
