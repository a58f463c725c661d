package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

const (
	// nameWait is how long DNS may take.
	nameWait = 2 * time.Second
	// connectWait is how long one of the addresses of a host may take.
	connectWait = 5 * time.Second
	// tunnelWait is how long a proxy may take to open a way, and a server for the handshake of TLS.
	tunnelWait = 10 * time.Second
	// headerWait is how long a server may take until it begins to answer.
	headerWait = 20 * time.Second
	// maxHeader bounds the head of an answer, in bytes.
	maxHeader = 64 << 10
)

// connector opens a connection to an IP address after control has said yes to the
// socket. Tests put another one in its place; the program has no way to.
type connector func(ctx context.Context, network, address string, control func(network, address string, c syscall.RawConn) error) (net.Conn, error)

func connect(ctx context.Context, network, address string, control func(network, address string, c syscall.RawConn) error) (net.Conn, error) {
	d := net.Dialer{Timeout: connectWait, Control: control}
	return d.DialContext(ctx, network, address)
}

// network is how connections are made.
type network struct {
	server  func(ctx context.Context, network, address string) (net.Conn, error) // the way to DNS; nil: the system's
	connect connector
	out     func() outbound.Settings // how connections leave this machine
}

// transport makes connections for one request, each of them judged by g. A proxy is asked
// for the address that was judged, so that it connects there and nowhere else; which is why none
// is used that only the environment names. own says that a person has configured the address, so
// that the certificate of this machine may be shown there.
func (n network) transport(g guard, own bool) *http.Transport {
	way := outbound.Open(n.out(), nil)
	config := way.TLS()
	config.ServerName = g.to.host
	if own {
		config = way.Showing(config, g.to.host)
	}
	dial := func(ctx context.Context, _, addr string) (net.Conn, error) {
		if addr != g.to.dialled() {
			return nil, &refused{"the connection was asked for another host than the one that was judged"}
		}
		return n.dial(ctx, way, g)
	}
	return &http.Transport{
		Proxy:       nil,
		DialContext: dial,
		DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return way.Secure(ctx, conn, g.to.host, config, tunnelWait)
		},
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // what is decoded is counted
		DisableKeepAlives:      true,
		ResponseHeaderTimeout:  headerWait,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// dial connects to the first address of the host that may be connected to and
// answers.
func (n network) dial(ctx context.Context, way *outbound.Way, g guard) (net.Conn, error) {
	through, err := way.Through(g.to.scheme, g.to.dialled())
	if err != nil {
		return nil, err
	}
	if through != nil && way.Settings().ProxyResolves {
		if err := g.byName(); err != nil {
			return nil, err
		}
		return way.Tunnel(ctx, through, g.to.dialled(), tunnelWait)
	}
	addrs, err := n.lookup(ctx, g.to)
	if err != nil && through != nil {
		return nil, fmt.Errorf("%w; if only the proxy can look up names, network.proxyResolves says so (docs/network.md)", err)
	}
	if err != nil {
		return nil, err
	}
	var first error
	for _, ip := range addrs {
		conn, err := n.dialAddress(ctx, way, through, g, netip.AddrPortFrom(ip.Unmap(), g.to.port))
		if err == nil {
			return conn, nil
		}
		var no *refused
		if first == nil || errors.As(err, &no) {
			first = err
		}
		if f := outbound.Explain(err); ctx.Err() != nil || f != nil && f.Lasting {
			break
		}
	}
	return nil, first
}

// dialAddress connects to one address of a host: by itself, or through a proxy. What is this
// machine is not the proxy's.
func (n network) dialAddress(ctx context.Context, way *outbound.Way, through *url.URL, g guard, at netip.AddrPort) (net.Conn, error) {
	if through == nil || at.Addr().IsLoopback() {
		return n.connect(ctx, "tcp", at.String(), func(network, address string, _ syscall.RawConn) error {
			return g.check(network, address)
		})
	}
	if err := g.check(tcp(at.Addr()), at.String()); err != nil {
		return nil, err
	}
	conn, err := way.Tunnel(ctx, through, at.String(), tunnelWait)
	if f := outbound.Explain(err); f != nil && f.Status/100 == 4 && f.Status != http.StatusProxyAuthRequired && !g.to.ip.IsValid() {
		return nil, f.And(". It was asked for the address of " + g.to.host + " that was judged; if it takes only names, network.proxyResolves says so (docs/network.md)")
	}
	return conn, err
}

// tcp is the network of an address.
func tcp(ip netip.Addr) string {
	if ip.Is4() {
		return "tcp4"
	}
	return "tcp6"
}

// maxAddresses is how many addresses of one host are tried.
const maxAddresses = 6

// lookup finds the addresses of a host. A name with a dot is asked for as it is,
// never with the search list of this machine behind it; localhost is this machine
// whatever a server says.
func (n network) lookup(ctx context.Context, to Address) ([]netip.Addr, error) {
	if to.ip.IsValid() {
		return []netip.Addr{to.ip}, nil
	}
	if isLoopbackName(to.host) {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	name := to.host
	if strings.Contains(name, ".") {
		name += "."
	}
	timed, cancel := context.WithTimeoutCause(ctx, nameWait, errNameWait)
	defer cancel()
	addrs, err := n.resolver(timed).LookupNetIP(timed, "ip", name)
	switch {
	case err != nil && timed.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: %w", to.host, errNameWait)
	case err != nil:
		return nil, notFound(to.host, err)
	case len(addrs) == 0:
		return nil, fmt.Errorf("%s has no address", to.host)
	}
	return addrs[:min(len(addrs), maxAddresses)], nil
}

// resolver asks DNS until ctx ends. Left to itself a lookup that nobody waits for
// any more goes on for seconds.
func (n network) resolver(ctx context.Context) *net.Resolver {
	server := n.server
	if server == nil {
		server = new(net.Dialer).DialContext
	}
	return &net.Resolver{
		PreferGo: runtime.GOOS == "linux" || n.server != nil, // elsewhere the system knows more than a file says
		Dial: func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := server(ctx, network, address)
			if err == nil {
				context.AfterFunc(ctx, func() { conn.Close() })
			}
			return conn, err
		},
	}
}

var errNameWait = errors.New("DNS did not answer within 2 s")

func notFound(host string, err error) error {
	var d *net.DNSError
	switch {
	case errors.As(err, &d) && d.IsNotFound:
		return fmt.Errorf("there is no host %s", host)
	case errors.As(err, &d) && d.IsTimeout:
		return fmt.Errorf("%s: %w", host, errNameWait)
	}
	return fmt.Errorf("%s cannot be looked up", host)
}
