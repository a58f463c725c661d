package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Network is how connections of the person's leave this machine.
type Network struct {
	// Proxy is the address of a proxy, "none", or "" for that of the environment.
	Proxy string `json:"proxy"`
	// NoProxy are hosts that are connected to directly, each in the form of NO_PROXY.
	NoProxy []string `json:"noProxy"`
	// ProxyResolves says that only the proxy can look up names.
	ProxyResolves bool `json:"proxyResolves"`
	// The files are absolute, below "~/", or names in the sidecar's home.
	CAFile   string `json:"caFile"`
	CertFile string `json:"certFile"`
	KeyFile  string `json:"keyFile"`
	// CertHosts are the only hosts that are shown the certificate; nil: each that asks.
	CertHosts []string `json:"certHosts"`

	// Broken is why none of it can be used; "" where it can.
	Broken       string `json:"-"`
	Line, Column int    `json:"-"` // where the value is in the user's file
}

// NoProxy is the value of Network.Proxy that switches proxies off.
const NoProxy = "none"

// networkMembers are what the value may say.
var networkMembers = []string{"proxy", "noProxy", "proxyResolves", "caFile", "certFile", "keyFile", "certHosts"}

// check never repeats the proxy: it may have a password in it.
func (n *Network) check() error {
	if err := checkProxy(n.Proxy); err != nil {
		return err
	}
	for _, host := range n.NoProxy {
		if host == "" || strings.ContainsAny(host, ", \t\r\n@") || strings.Contains(host, "://") {
			return fmt.Errorf(`noProxy must be hosts such as "corp.example", ".corp.example" or "10.0.0.0/8", not %q`, control.Title(host, 60))
		}
	}
	for _, file := range []string{n.CAFile, n.CertFile, n.KeyFile} {
		if err := checkFile(file); err != nil {
			return err
		}
	}
	for _, host := range n.CertHosts {
		if name := strings.TrimPrefix(host, "*."); name == "" || strings.ContainsAny(name, "*/:@, ") {
			return fmt.Errorf(`certHosts must be hosts such as "gateway.corp.example" or "*.corp.example", not %q`, control.Title(host, 60))
		}
	}
	if n.CertFile == "" && (n.KeyFile != "" || n.CertHosts != nil) {
		return errors.New("keyFile and certHosts need a certFile")
	}
	if n.ProxyResolves && (n.Proxy == "" || n.Proxy == NoProxy) {
		return errors.New("proxyResolves needs a proxy")
	}
	return nil
}

func checkProxy(proxy string) error {
	if proxy == "" || proxy == NoProxy {
		return nil
	}
	u, err := url.Parse(proxy)
	switch {
	case err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return errors.New(`proxy must be "none", or begin with http://, https:// or socks5:// and name a host; what in a user or password is no letter or digit is written as %40`)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return errors.New("proxy must end behind its port")
	}
	return nil
}

// checkFile says what is wrong with the name of a file of the person's.
func checkFile(file string) error {
	if file != "" && !filepath.IsAbs(file) && !strings.HasPrefix(file, "~/") && (file == "." || file == ".." || strings.ContainsAny(file, `/\`)) {
		return fmt.Errorf("the file %q must be absolute, below ~/, or a name in the sidecar's home", control.Title(file, 100))
	}
	return nil
}
