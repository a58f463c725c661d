package web

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxAddress is the longest URL that is fetched, in bytes.
const maxAddress = 8 << 10

// Address is a URL in the one spelling in which it is judged, shown, dialled and
// sent: lower case, Punycode, IPv4 with four decimal numbers, no default port, no
// user, no fragment, no "..", and no escapes that are not needed. Only
// ParseAddress makes one, so no two parts of a fetch can read it differently. The
// zero Address leads nowhere.
type Address struct {
	scheme string // "http" or "https"
	host   string // a name, or an IP address; IPv6 without brackets
	port   uint16
	rest   string     // "/path?query", all printable ASCII
	ip     netip.Addr // valid where host is an IP address
}

// ParseAddress reads a URL as a model, a page or a redirect may write it. What
// browsers and servers are known to read in different ways is an error instead of
// a guess: user names, backslashes, escapes and spaces in the host.
func ParseAddress(text string) (Address, error) {
	text = strings.Trim(text, " ")
	switch {
	case len(text) > maxAddress:
		return Address{}, fmt.Errorf("the URL is longer than %d bytes", maxAddress)
	case !utf8.ValidString(text):
		return Address{}, errors.New("the URL is not valid UTF-8")
	case strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7F && r < 0xA0 }):
		return Address{}, errors.New("the URL contains a control character")
	}
	scheme, rest, found := strings.Cut(text, "://")
	a := Address{scheme: strings.ToLower(scheme)}
	if !found || a.scheme != "http" && a.scheme != "https" {
		return Address{}, errors.New("the URL must begin with http:// or https://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, after := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, after = rest[:i], rest[i:]
	}
	pathPart, query, hasQuery := strings.Cut(after, "?")
	switch {
	case strings.ContainsRune(authority+pathPart, '\\'):
		return Address{}, errors.New("the URL contains a backslash")
	case strings.ContainsRune(authority, '@'):
		return Address{}, errors.New("the URL contains a user name or password, which are never sent")
	}
	if err := a.readHost(authority); err != nil {
		return Address{}, err
	}
	a.rest = normalEscapes(pathPart)
	if hasQuery {
		a.rest += "?" + normalEscapes(query)
	}
	u, err := url.Parse(a.String())
	if err != nil || u.Host != a.Host() {
		return Address{}, errors.New("the URL can be read in more than one way")
	}
	a.rest = new(url.URL).ResolveReference(u).RequestURI() // without "." and ".."
	if len(a.String()) > maxAddress {
		return Address{}, fmt.Errorf("the URL is longer than %d bytes", maxAddress)
	}
	return a, nil
}

// brief is as much of a wrong address as an error repeats: it may be a page's.
func brief(s string) string { return tool.CutLine(s, 60) }

// readHost takes what is between "//" and the path.
func (a *Address) readHost(authority string) error {
	host, port := authority, ""
	if inner, ok := strings.CutPrefix(authority, "["); ok {
		literal, behind, closed := strings.Cut(inner, "]")
		ip, err := netip.ParseAddr(literal)
		if !closed || err != nil || !ip.Is6() || ip.Zone() != "" || behind != "" && behind[0] != ':' {
			return fmt.Errorf("the host %q is not an IPv6 address", brief(authority))
		}
		a.host, a.ip = ip.String(), ip
		port = strings.TrimPrefix(behind, ":")
	} else {
		var more bool
		host, port, more = strings.Cut(authority, ":")
		if more && strings.Contains(port, ":") {
			return fmt.Errorf("the host %q is not valid; an IPv6 address must be in brackets", brief(authority))
		}
		name, err := hostName(host)
		if err != nil {
			return err
		}
		a.host = name
		if lastNumber().MatchString(name) {
			if a.ip, err = netip.ParseAddr(name); err != nil {
				return fmt.Errorf("the host %q is not an IPv4 address of four decimal numbers", brief(name))
			}
		}
	}
	return a.readPort(port)
}

func (a *Address) readPort(port string) error {
	if port == "" {
		a.port = defaultPorts[a.scheme]
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || strings.HasPrefix(port, "+") {
		return fmt.Errorf("the port %q is not valid", brief(port))
	}
	a.port = uint16(n)
	return nil
}

var defaultPorts = map[string]uint16{"http": 80, "https": 443}

// names reads host names as browsers do: it folds case and width and writes other
// scripts in Punycode.
var names = sync.OnceValue(func() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false))
})

// hostName is the canonical name of a host, in ASCII and without the dot that some
// write behind it.
func hostName(host string) (string, error) {
	bad := func() (string, error) { return "", fmt.Errorf("the host %q is not valid", brief(host)) }
	if host == "" {
		return "", errors.New("the URL names no host")
	}
	if strings.ContainsAny(host, "%\u200B\u200C\u200D\u2060\uFEFF\u00AD") {
		return bad() // escapes, and characters that cannot be seen
	}
	name, err := names().ToASCII(host)
	if err != nil {
		return bad()
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > 253 {
		return bad()
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool { return !inHost(r) }) {
			return bad()
		}
	}
	return name, nil
}

func inHost(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// lastNumber is a host that browsers and the C library take for an IPv4 address:
// "127.1", "0x7f.0.0.1" and "2130706433" are 127.0.0.1 to them.
var lastNumber = lazy.Regexp(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)

// normalEscapes writes what may not be in a URL as an escape, and what needs
// none without, so that a rule about a path cannot be passed by as "%70ath".
func normalEscapes(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if i += 2; unreserved(byte(n)) {
				b.WriteByte(byte(n))
				continue
			}
			c = byte(n)
		case c != '%' && c > 0x20 && c < 0x7F && !strings.ContainsRune("\"<>\\^`{|}", rune(c)):
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func unreserved(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0
}

// String is the URL.
func (a Address) String() string { return a.scheme + "://" + a.Host() + a.rest }

// Host is the host as it is in the URL: with its port where that is not the
// default one, and an IPv6 address in brackets.
func (a Address) Host() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.port == defaultPorts[a.scheme] {
		return host
	}
	return host + ":" + strconv.Itoa(int(a.port))
}

// Object is the address as rules and the audit know it.
func (a Address) Object() string { return "url:" + a.String() }

// dialled is host:port, as a transport asks for it.
func (a Address) dialled() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(a.port))
}

// sameHost says that two addresses are one host to a person: the same name and
// port, or the same name that only moved from plain HTTP to TLS.
func (a Address) sameHost(b Address) bool {
	return a.host == b.host && (a.port == b.port && a.scheme == b.scheme || a.scheme == "http" && a.port == 80 && b.scheme == "https" && b.port == 443)
}

// join reads a link of the page at a.
func (a Address) join(link string) (Address, error) {
	link = strings.Trim(link, " ")
	lower := strings.ToLower(link)
	switch {
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		return ParseAddress(link)
	case strings.HasPrefix(link, "//"):
		return ParseAddress(a.scheme + ":" + link)
	case strings.Contains(link, `\`):
		return Address{}, errors.New("the link contains a backslash")
	}
	page, err := url.Parse(a.String())
	if err != nil {
		return Address{}, err
	}
	link, _, _ = strings.Cut(link, "#")
	to, err := page.Parse(normalEscapes(link)) // old servers mean bytes that are no UTF-8 as they are
	if err != nil || to.Host != page.Host {
		return Address{}, errors.New("the link leads to no web page")
	}
	return ParseAddress(to.String())
}
