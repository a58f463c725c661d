package mcp

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// longestAddress is how long an address may be, in bytes, for a person to see all of it in a question.
const longestAddress = 700

// toOpen asks the person whether the address that the server named from wants them to visit may
// be opened, and opens it after a yes. The host stands first, by itself: no other part of the
// address can pass for it. What can not be shown as it is, is not asked about.
func toOpen(ctx context.Context, sink tool.Sink, asks tool.Inquirer, from string, p *mcp.ElicitParams) (action string) {
	browser, is := sink.(tool.Browser)
	if !is || !browser.CanBrowse() {
		return cancel
	}
	host, address, plain := plainAddress(p.URL)
	if !plain {
		return decline
	}
	text := host + "\n" + address + "\n" + bounded(p.Message)
	answers, ok, err := asks.Inquire(ctx, from, []tool.Inquiry{{Text: text, Options: []string{accept, decline}}})
	switch {
	case err != nil || !ok || len(answers) == 0:
		return cancel
	case strings.Join(answers[0].Choices, "") != accept:
		return decline
	case ctx.Err() != nil || !browser.Browse(ctx, address):
		return cancel
	}
	return accept
}

// plainAddress is an address that says where it leads: of printable characters, with https or
// to this machine, without a user, and with a host as the network knows it (xn--… for others).
func plainAddress(text string) (host, address string, ok bool) {
	if len(text) > longestAddress || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\\"<>`{}|^", r) }) {
		return "", "", false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || !plainHost(u.Hostname()) {
		return "", "", false
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && thisMachine(u.Hostname())) {
		return "", "", false
	}
	return u.Host, u.String(), true
}

// plainHost says that a host is an address of the network, or a name of letters, digits, "-" and ".".
func plainHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return !strings.Contains(host, "%")
	}
	return host != "" && strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
