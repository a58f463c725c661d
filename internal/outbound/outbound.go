// Package outbound is how a connection leaves this machine: directly or through a proxy, which
// authorities it trusts, and the certificate that says who is calling. It does not decide
// where a connection may go, keeps no connection, and no text of its errors has a password in it.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Settings say how connections leave this machine. The zero value is: directly, with the
// authorities of the system, without a certificate.
type Settings struct {
	// HTTP and HTTPS are the addresses of the proxies for targets of each scheme:
	// http://, https:// or socks5://, with user and password where it wants them; "" for none.
	HTTP, HTTPS string
	// NoProxy lists hosts that are connected to directly, in the form of NO_PROXY.
	NoProxy string
	// Origin is what a person has to change for another proxy: "network.proxy" or a variable.
	Origin string
	// ProxyResolves says that only the proxy can look up names. Nothing here looks at it: it is
	// for those who judge addresses.
	ProxyResolves bool
	// CAFile has authorities that are trusted beside those of the system, CertFile the
	// certificate of this machine and KeyFile its key, all in PEM. The paths are absolute,
	// "" for none; without KeyFile the key is in CertFile.
	CAFile, CertFile, KeyFile string
	// CertHosts are the only hosts that are shown the certificate, as "gateway.corp" or
	// "*.corp"; nil: each that asks.
	CertHosts []string
	// Broken is why what a person has written cannot be used, "" where it can. Nothing but this
	// machine is connected to then.
	Broken string
}

// Environment are the proxies that variables name, as other programs read them.
func Environment(env func(name string) string) Settings {
	either := func(name string) (string, string) {
		for _, one := range []string{name, strings.ToLower(name)} {
			if v := env(one); v != "" {
				return v, one
			}
		}
		return "", ""
	}
	var s Settings
	var plain string
	s.HTTP, plain = either("HTTP_PROXY")
	s.HTTPS, s.Origin = either("HTTPS_PROXY")
	s.NoProxy, _ = either("NO_PROXY")
	if s.Origin == "" {
		s.Origin = plain
	}
	return s
}

// Way is how connections leave this machine, with the files of its settings as they were when
// it was opened. Its methods are safe for concurrent use.
type Way struct {
	settings    Settings
	proxies     func(*url.URL) (*url.URL, error)
	roots       *x509.CertPool // nil: the system's
	authorities []*x509.Certificate
	own         *tls.Certificate
	badCA       error
	badCert     error
	stamps      []stamp
	dial        func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex // guards everything below
	hosts map[string]acquaintance
}

// Open reads the files that the settings name. What is wrong with them Problems says, and
// each connection that needs them. dial makes the connections; nil is the system's.
func Open(s Settings, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *Way {
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	rules := httpproxy.Config{HTTPProxy: s.HTTP, HTTPSProxy: s.HTTPS, NoProxy: s.NoProxy}
	w := &Way{settings: s, proxies: rules.ProxyFunc(), dial: dial}
	for _, text := range []string{s.HTTP, s.HTTPS} {
		if text != "" && !readable(text) && s.Broken == "" {
			w.settings.Broken = s.Origin + " must be like http://host:port, https://host:port or socks5://host:port"
		}
	}
	for _, path := range w.files() {
		w.stamps = append(w.stamps, stampOf(path))
	}
	w.readCA()
	w.readCertificate()
	return w
}

// readable says that a proxy is one that can be spoken to: one that cannot must not be passed
// by without a word.
func readable(text string) bool {
	if !strings.Contains(text, "://") {
		text = "http://" + text // as other programs take it
	}
	proxy, err := url.Parse(text)
	return err == nil && proxy.Hostname() != "" && defaultPorts[proxy.Scheme] != ""
}

// defaultPorts are those of the schemes that a target or a proxy may have.
var defaultPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// Settings are what the way was opened with.
func (w *Way) Settings() Settings { return w.settings }

// stamp tells whether a file is another than it was.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

func (w *Way) files() []string {
	var files []string
	for _, path := range []string{w.settings.CAFile, w.settings.CertFile, w.settings.KeyFile} {
		if path != "" {
			files = append(files, path)
		}
	}
	return files
}

// Stale says that a file of the settings is not as it was when the way was opened.
func (w *Way) Stale() bool {
	for i, path := range w.files() {
		if now := stampOf(path); now.size != w.stamps[i].size || !now.time.Equal(w.stamps[i].time) {
			return true
		}
	}
	return false
}

// Through is the proxy for a target of a scheme, "http" or "https", at host:port; nil where it
// is connected to directly. This machine always is.
func (w *Way) Through(scheme, addr string) (*url.URL, error) {
	if onThisMachine(addr) {
		return nil, nil
	}
	if w.settings.Broken != "" {
		return nil, &Failure{words: "nothing is connected to: " + w.settings.Broken, Lasting: true}
	}
	proxy, err := w.proxies(&url.URL{Scheme: scheme, Host: addr})
	if err != nil || proxy == nil || hostPort(proxy) == addr {
		return nil, err
	}
	return proxy, nil
}

// onThisMachine says that an address of a connection is this machine by its text.
func onThisMachine(addr string) bool {
	host := addr
	if name, _, err := net.SplitHostPort(addr); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// hostPort is the address of a connection for a URL.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = defaultPorts[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// takesRequests says that a proxy is sent plain requests as they are, and no CONNECT for them.
func takesRequests(proxy *url.URL) bool { return proxy.Scheme == "http" }

// isProxy says that an address is that of the proxy for plain requests.
func (w *Way) isProxy(addr string) bool {
	proxy, err := w.proxies(&url.URL{Scheme: "http", Host: "example.com"})
	return err == nil && proxy != nil && hostPort(proxy) == addr
}
