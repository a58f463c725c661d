package main

import (
	"crypto/x509"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// soonEnds is how long before its end a certificate is warned about.
const soonEnds = 30 * 24 * time.Hour

// checkNetwork says how connections leave this machine. What is wrong with the files is among
// the diagnostics of the configuration.
func (d *doctor) checkNetwork(s *config.Settings) {
	w := d.wiring()
	way := outbound.Open(w.network(s), nil)
	out := way.Settings()
	d.tellProxy(s, out, outbound.Open(w.networkOfPages(s), nil).Settings())
	if all := way.Authorities(); len(all) > 0 {
		first := slices.MinFunc(all, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
		d.certificate(first, said.That("%s: %d authorities beside those of the system", out.CAFile, len(all)))
	}
	if own := way.Certificate(); own != nil {
		d.certificate(own, said.That("%s: the client certificate of %s", out.CertFile, own.Subject.String()))
	}
}

// certificate says until when one may be used.
func (d *doctor) certificate(cert *x509.Certificate, what said.Text) {
	left := time.Until(cert.NotAfter)
	day := cert.NotAfter.UTC().Format(time.DateOnly)
	switch {
	case left < 0:
		d.say(false, "network", said.That("%s; expired since %s: %s", what, day, cert.Subject.String()))
	case time.Now().Before(cert.NotBefore):
		d.say(false, "network", said.That("%s; not valid before %s: %s", what, cert.NotBefore.UTC().Format(time.DateOnly), cert.Subject.String()))
	case left < soonEnds:
		d.tell("warn", "network", said.That("%s; it ends on %s", what, day))
	default:
		d.say(true, "network", said.That("%s; valid until %s", what, day))
	}
}

// tellProxy says which connections go through which proxy. pages are those of the web tools.
func (d *doctor) tellProxy(s *config.Settings, out, pages outbound.Settings) {
	var shown []string
	for _, proxy := range []string{out.HTTPS, out.HTTP} {
		if name := config.ShownProxy(proxy); proxy != "" && !slices.Contains(shown, name) {
			shown = append(shown, name)
		}
	}
	used := strings.Join(shown, ", ")
	switch {
	case out.Broken != "":
		d.say(false, "network", said.That("nothing is connected to but this machine: %s", out.Broken))
		return
	case used == "" && s.Network != nil && s.Network.Proxy == config.NoProxy:
		d.tell("info", "network", said.That(`no proxy is used (network.proxy is "none")`))
		return
	case used != "" && pages.HTTPS != "":
		d.tell("info", "network", said.That("models, MCP servers and pages are reached through the proxy %s (%s)", used, out.Origin))
	case used != "":
		d.tell("info", "network", said.That("models and MCP servers are reached through the proxy %s (%s)", used, out.Origin))
	}
	if pages.ProxyResolves {
		d.tell("warn", "web", said.That("the proxy looks up names (network.proxyResolves), so pages are not judged by the address they are at (docs/network.md)"))
	}
	for _, name := range proxies {
		if pages.HTTPS == "" && d.env(name) != "" {
			d.tell("info", "web", said.That("%s is set; web_fetch and web_search connect directly, because only network.proxy is used for pages (docs/network.md)", name))
			break
		}
	}
}
