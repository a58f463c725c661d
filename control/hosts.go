package control

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// hostPattern is the pattern that allows an entry of web.allowedHosts: a host
// ("go.dev", "*.example.com", "localhost:8080"), which stands for all its pages
// over either scheme, or the beginning of a URL ("https://go.dev/doc"), which
// stands for what is below it.
func hostPattern(entry string) string {
	scheme, rest, given := strings.Cut(strings.TrimSpace(entry), "://")
	if !given {
		scheme, rest = "*", scheme
	}
	return "url:" + scheme + "://" + strings.TrimSuffix(strings.TrimSuffix(rest, "/*"), "/") + "/*"
}

// HostRules let only these hosts be fetched.
func HostRules(hosts []string) []Rule {
	rules := []Rule{{Domain: tool.DomainWebFetch, Pattern: "*", Decision: "deny"}}
	for _, h := range hosts {
		rules = append(rules, Rule{Domain: tool.DomainWebFetch, Pattern: hostPattern(h), Decision: "allow"})
	}
	return rules
}

// opensHost says that a rule opens a development server: it allows the URL, and it
// spells out the host. For a name that anybody on the internet can point anywhere,
// it must also be certain who answers: over TLS the certificate says it, and over
// plain HTTP the user's own rule must name the port, because nobody writes a port
// behind a public site. Else a host that was allowed once could have itself looked
// up as this machine.
func opensHost(c *compiled, o object) bool {
	if c.verdict != Allow || c.bad || !c.pattern.match(o, false) || !namesHost(c, o) {
		return false
	}
	scheme, _, _ := strings.Cut(o.rest, "://")
	name, _ := splitPort(hostOf(o.rest))
	if nearName(name) || strings.EqualFold(scheme, "https") {
		return true
	}
	_, port := splitPort(hostOf(c.pattern.text))
	return port != "" && !c.answered()
}

// nearName says that a host is an address, or a name that means something only
// near this machine.
func nearName(name string) bool {
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc([]string{".localhost", ".local", ".test", ".internal", ".lan", ".home.arpa"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// namesHost says that an allow spells out the host of a URL.
func namesHost(c *compiled, o object) bool {
	if c == nil || c.source == BuiltIn || c.pattern.any || c.pattern.re != nil {
		return false
	}
	return c.pattern.exact != "" || hostOf(c.pattern.text) == hostOf(o.rest) && hostOf(o.rest) != ""
}

func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(host)
}
