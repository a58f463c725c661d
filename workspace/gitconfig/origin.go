package gitconfig

import (
	"net/url"
	"strings"
)

// Origin is where the text of a repository's configuration says that it comes from, as
// "host/path": without a user, a password, a port that says nothing, or the ".git" behind it.
// The same repository has the same one, however it was cloned. "": nowhere that other machines
// know.
func Origin(text string) string {
	at := ""
	for _, s := range Parse(text) {
		if s.Key == "remote.origin.url" {
			at = s.Value
		}
	}
	return placeOf(at)
}

// usualPorts are those that a form of address has by itself.
var usualPorts = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418", "git+ssh": "22", "ssh+git": "22"}

func placeOf(at string) string {
	if !strings.Contains(at, "://") { // user@host:path
		host, below, ok := strings.Cut(at, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 { // a path, or a drive
			return ""
		}
		return joined(host[strings.LastIndexByte(host, '@')+1:], below)
	}
	u, err := url.Parse(at)
	if err != nil || usualPorts[u.Scheme] == "" {
		return ""
	}
	host := u.Hostname()
	if port := u.Port(); port != "" && port != usualPorts[u.Scheme] {
		host = u.Host
	}
	return joined(host, u.Path)
}

func joined(host, below string) string {
	below = strings.TrimSuffix(strings.Join(strings.FieldsFunc(below, func(r rune) bool { return r == '/' }), "/"), ".git")
	if host == "" || below == "" {
		return ""
	}
	return strings.ToLower(host) + "/" + below
}
