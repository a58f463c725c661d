package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Sync is the person's own server, which keeps copies of their sessions.
type Sync struct {
	// URL is tls://host:port, or nats:// of this machine.
	URL string `json:"url"`
	// Credentials is a file of the server's tools, and CA one with certificates: absolute,
	// below "~/", or a name in the sidecar's home.
	Credentials string `json:"credentials"`
	CA          string `json:"ca"`
	// Workspaces names folders of this machine that have no repository with an origin, or another
	// name than that; "": sessions there are not copied.
	Workspaces map[string]string `json:"workspaces"`

	Line, Column int `json:"-"` // where the value is in the user's file
}

// syncMembers are what the value may say.
var syncMembers = []string{"url", "credentials", "ca", "workspaces"}

func (s Sync) check() error {
	if s.URL == "" {
		return errors.New("it needs a url")
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "tls" && u.Scheme != "nats":
		return errors.New("url must begin with tls:// and name a host")
	case u.Scheme == "nats" && !onThisMachine(u.Hostname()):
		return errors.New("url must begin with tls://, unless the server is on this machine")
	case u.User != nil:
		return errors.New("url must not contain a user or password; name a file in credentials")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return errors.New("url must end behind its port")
	}
	for _, file := range []string{s.Credentials, s.CA} {
		if err := checkFile(file); err != nil {
			return err
		}
	}
	for path, name := range s.Workspaces {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("workspaces: %q is not an absolute path", control.Title(path, 100))
		}
		if len(name) > maxWorkspaceName || strings.TrimSpace(name) != name {
			return fmt.Errorf("workspaces: the name of %q has blanks around it, or is over %d bytes", control.Title(path, 100), maxWorkspaceName)
		}
	}
	return nil
}

// maxWorkspaceName is how long the name of a workspace may be, in bytes.
const maxWorkspaceName = 200

// onThisMachine says that a host is this machine by its name alone.
func onThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
