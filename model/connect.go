package model

import (
	"net"
	"net/http"
	"time"
)

// How long a connection may take to come about, and how a dead one is found.
const (
	dialWait = 15 * time.Second // also for the handshake of TLS
	// A connection of HTTP/2 is shared by all requests to a host. When its other
	// end is gone without a word (a laptop woke up elsewhere), every request on
	// it is silent; a ping that nobody answers finds that out.
	pingAfter = 20 * time.Second
	pingWait  = 10 * time.Second
	// sessionsAtOnce connections of HTTP/1 are kept for each host.
	sessionsAtOnce = 20
)

// http is the one client of the catalog. Time-outs of requests are the idleTimer's.
func (c *Catalog) http() *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.client
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialWait, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    dialWait,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingWait},
		DisableCompression:     true, // a compressed stream arrives in lumps
		MaxResponseHeaderBytes: 1 << 20,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    sessionsAtOnce,
	}
	if c.Dial != nil {
		t.Proxy, t.DialContext = nil, c.Dial
	}
	c.client = &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c.client
}

// Close closes idle connections. Streams end with their iteration.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.CloseIdleConnections()
		c.client = nil
	}
	return nil
}
