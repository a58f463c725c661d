package config

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// WebSearch is the search provider that a person has configured.
type WebSearch struct {
	Provider  string `json:"provider"`  // one of searchProviders
	URL       string `json:"url"`       // of the instance; "" where the provider has one
	APIKey    string `json:"apiKey"`    // literally, or
	APIKeyEnv string `json:"apiKeyEnv"` // the variable that holds it

	Line, Column int `json:"-"` // where the value is in the user's file
}

// searchProviders are the ones there is a protocol for, and whether they need an
// address or a key.
var searchProviders = map[string]struct{ url, key bool }{
	"searxng": {url: true},
	"brave":   {key: true},
}

// searchMembers are what the value may say.
var searchMembers = []string{"provider", "url", "apiKey", "apiKeyEnv"}

func (s WebSearch) check() error {
	needs, known := searchProviders[s.Provider]
	switch {
	case !known:
		return fmt.Errorf("provider must be searxng or brave, not %q", control.Title(s.Provider, 60))
	case needs.url && s.URL == "":
		return fmt.Errorf("%s needs the url of an instance", s.Provider)
	case needs.key && s.APIKey == "" && s.APIKeyEnv == "":
		return fmt.Errorf("%s needs apiKey or apiKeyEnv", s.Provider)
	case strings.ContainsAny(s.APIKey, "\r\n\x00") || strings.ContainsAny(s.APIKeyEnv, "=\x00"):
		return fmt.Errorf("the key is not valid")
	case s.URL == "":
		return nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("url must begin with http:// or https:// and name a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url must not contain a user, password, query or fragment")
	}
	return nil
}
