package signin

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

const (
	// dialWait is how long a connection, a way through a proxy and the handshake of TLS may each take.
	dialWait = 15 * time.Second
	// exchangeWait bounds one question to a server that signs people in.
	exchangeWait = 30 * time.Second
)

// client asks those who sign people in for a server. Its requests are followed nowhere else:
// they carry codes, tokens and secrets.
func client(s Server) (c *http.Client, release func()) {
	base := outbound.Open(s.Network, nil).Transport(dialWait)
	c = &http.Client{
		Timeout:   exchangeWait,
		Transport: &guarded{base: base, local: local(s.URL)},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it leads to another address, which is not followed")
		},
	}
	return c, base.CloseIdleConnections
}

// guarded lets requests through to addresses that may be asked, whoever has named them.
type guarded struct {
	base  http.RoundTripper
	local bool // the server is on this machine
}

// RoundTrip implements http.RoundTripper.
func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := fit(req.URL, g.local); err != nil {
		return nil, err
	}
	resp, err := g.base.RoundTrip(req)
	if f := outbound.Explain(err); f != nil {
		return nil, f
	}
	return resp, err
}

// fit says why an address may not be asked or shown to a person. A server elsewhere has no
// business on this machine.
func fit(u *url.URL, fromHere bool) error {
	here := onThisMachine(u.Hostname())
	switch {
	case u.User != nil || u.Host == "":
		return fmt.Errorf("the address %.200q is not of a host alone", u.Redacted())
	case here && !fromHere:
		return fmt.Errorf("the server leads to %.200q on this machine", u.Host)
	case u.Scheme == "https", u.Scheme == "http" && here:
		return nil
	}
	return fmt.Errorf("the address at %.200q does not use https", u.Host)
}

// fitText is fit for an address as a text.
func fitText(address string, fromHere bool) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it is no address")
	}
	return fit(u, fromHere)
}

func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && onThisMachine(u.Hostname())
}

func onThisMachine(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}
