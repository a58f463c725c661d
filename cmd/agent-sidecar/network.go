package main

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// network is how connections to models and to MCP servers leave this machine: as the
// configuration says, else through the proxies that the environment names.
func (w *wiring) network(s *config.Settings) outbound.Settings {
	var out outbound.Settings
	if w.env != nil {
		out = outbound.Environment(w.env)
	}
	n := s.Network
	if n == nil {
		return out
	}
	switch n.Proxy {
	case "":
	case config.NoProxy:
		out = outbound.Settings{}
	default:
		out = outbound.Settings{HTTP: n.Proxy, HTTPS: n.Proxy, Origin: "network.proxy"}
	}
	if n.NoProxy != nil {
		out.NoProxy = strings.Join(n.NoProxy, ",")
	}
	out.ProxyResolves = n.ProxyResolves
	out.CAFile = homeFile(w, n.CAFile)
	out.CertFile = homeFile(w, n.CertFile)
	out.KeyFile = homeFile(w, n.KeyFile)
	out.CertHosts = n.CertHosts
	out.Broken = n.Broken
	return out
}

// networkOfPages is the same for the tools of the web. A proxy that only the environment names
// is not theirs: nobody has said that it may connect where pages lead.
func (w *wiring) networkOfPages(s *config.Settings) outbound.Settings {
	out := w.network(s)
	if n := s.Network; n == nil || n.Proxy == "" {
		out.HTTP = ""
		out.HTTPS = ""
	}
	return out
}

// networkProblems is what is wrong with the files that the configuration names.
func (w *wiring) networkProblems(s *config.Settings) []error {
	return outbound.Open(w.network(s), nil).Problems()
}
