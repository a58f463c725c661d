package web

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"code.dny.dev/ssrf"
)

// ports are the only ones that are fetched from unless a rule opens others.
var ports = []uint16{80, 443, 8080, 8443}

// Where development servers are: an explicit rule for their host opens these.
// What else is not the public internet stays closed in every mode: link-local
// addresses, where clouds keep credentials, multicast, documentation, and every
// form of IPv6 that has an IPv4 address inside.
var (
	near4 = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
	near6 = prefixes("::1/128", "fc00::/7")
)

// metadata are addresses outside the link-local range where clouds give
// credentials to anyone who asks. Nothing opens them.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("fd00:42::42"),
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// guard decides which network addresses a connection for one Address may go to.
// It is asked by the dialer for each of them, right before it connects, so what a
// name stood for a moment ago does not matter.
type guard struct {
	to     Address
	opened bool
	rules  *ssrf.Guardian
}

// newGuard makes the guard of one request. opened says that a rule names the very
// host: then its port and addresses on this machine or network are open, for a
// host that is an IP address only that one.
func newGuard(to Address, opened bool) guard {
	if !opened {
		return guard{to: to, rules: ssrf.New(ssrf.WithPorts(ports...))}
	}
	open4, open6 := near4, near6
	if to.ip.IsValid() {
		open4, open6 = nil, nil
		one := netip.PrefixFrom(to.ip, to.ip.BitLen())
		switch {
		case slices.ContainsFunc(near4, func(p netip.Prefix) bool { return p.Contains(to.ip) }):
			open4 = []netip.Prefix{one}
		case slices.ContainsFunc(near6, func(p netip.Prefix) bool { return p.Contains(to.ip) }):
			open6 = []netip.Prefix{one}
		}
	}
	return guard{to: to, opened: true, rules: ssrf.New(ssrf.WithPorts(to.port), ssrf.WithAllowedV4Prefixes(open4...), ssrf.WithAllowedV6Prefixes(open6...))}
}

// refused is why an address is not connected to.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }

// check judges a network address that is about to be connected to.
func (g guard) check(network, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &refused{"the network address " + address + " cannot be judged"}
	}
	if slices.Contains(metadata, at.Addr()) {
		return g.refuse(at.Addr())
	}
	switch err := g.rules.Safe(network, address, nil); {
	case errors.Is(err, ssrf.ErrProhibitedPort):
		return &refused{fmt.Sprintf("port %d is not fetched from: only 80, 443, 8080 and 8443 are%s", at.Port(), g.hint())}
	case err != nil:
		return g.refuse(at.Addr())
	}
	return nil
}

func (g guard) refuse(ip netip.Addr) error {
	what := "not on the public internet"
	switch {
	case ip.IsLoopback():
		what = "this machine"
	case ip.IsPrivate():
		what = "on a private network"
	case ip.IsLinkLocalUnicast():
		what = "a link-local address"
	}
	hint := ""
	if !g.opened && !slices.Contains(metadata, ip) && slices.ContainsFunc(slices.Concat(near4, near6), func(p netip.Prefix) bool { return p.Contains(ip) }) {
		hint = g.hint()
	}
	if ip.String() == g.to.host {
		return &refused{fmt.Sprintf("%s is %s, which is not fetched from%s", ip, what, hint)}
	}
	return &refused{fmt.Sprintf("%s leads to %s, which is %s and not fetched from%s", g.to.host, ip, what, hint)}
}

// hint says what a person could do who means it.
func (g guard) hint() string {
	if g.opened {
		return ""
	}
	pattern := fmt.Sprintf("url:%s://%s/*", g.to.scheme, g.to.Host())
	if g.to.scheme == "http" && g.to.port == 80 && !g.to.ip.IsValid() && !isLocal(g.to.host) {
		return "" // no rule opens it: anyone who answers for the name could point it anywhere
	}
	return fmt.Sprintf(`. If it is a development server, this rule in the user's configuration opens it: {"domain":"web_fetch","pattern":%q,"decision":"allow"}`, pattern)
}

// beforehand judges what can be known without asking anybody where the host is:
// the port, and an address that is written as numbers.
func (g guard) beforehand() error {
	ip := g.to.ip
	if !ip.IsValid() {
		if isLoopbackName(g.to.host) {
			ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		} else {
			ip = netip.AddrFrom4([4]byte{8, 8, 8, 8}) // any public address: only the port is judged
		}
	}
	return g.check(tcp(ip), netip.AddrPortFrom(ip, g.to.port).String())
}

// byName judges what a proxy is asked for that alone can say where it is: all that is
// known of it is its text.
func (g guard) byName() error {
	if !g.to.ip.IsValid() && !g.opened && isLocal(g.to.host) {
		return &refused{g.to.host + " is a name of a private network, which is not fetched from" + g.hint()}
	}
	return g.beforehand()
}

// isLocal says that a host name means something only near this machine: nobody on
// the internet can say where it leads.
func isLocal(host string) bool {
	if isLoopbackName(host) || !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc([]string{".local", ".test", ".internal", ".lan", ".home.arpa"}, func(end string) bool { return strings.HasSuffix(host, end) })
}

func isLoopbackName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
