package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// nameWait is how long DNS may take.
	nameWait = 2 * time.Second
	// connectWait is how long one of the addresses of a host may take.
	connectWait = 5 * time.Second
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
	roots   *x509.CertPool // nil: the system's
}

// transport makes connections for one request, each of them judged by g. A proxy
// of the environment is not used: it would connect in our place, and nobody would
// look where to.
func (n network) transport(g guard) *http.Transport {
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			if addr != g.to.dialled() {
				return nil, &refused{"the connection was asked for another host than the one that was judged"}
			}
			return n.dial(ctx, g)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: n.roots},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // what is decoded is counted
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  headerWait,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// dial connects to the first address of the host that may be connected to and
// answers.
func (n network) dial(ctx context.Context, g guard) (net.Conn, error) {
	addrs, err := n.lookup(ctx, g.to)
	if err != nil {
		return nil, err
	}
	var first error
	for _, ip := range addrs {
		conn, err := n.connect(ctx, "tcp", netip.AddrPortFrom(ip, g.to.port).String(), func(network, address string, _ syscall.RawConn) error {
			return g.check(network, address)
		})
		if err == nil {
			return conn, nil
		}
		var no *refused
		if first == nil || errors.As(err, &no) {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
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
