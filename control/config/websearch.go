package config

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
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

// takeSearch decodes the provider. What is wrong with it is a diagnostic, and
// there is no search. Only the user's own file can name one: a repository's
// settings could send what is searched for to whom they like.
func (d *document) takeSearch(v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 {
		return
	}
	if d.source != "config" {
		d.say("warning", v.StartOffset, "webSearch applies only in the user's own configuration; here it is ignored")
		return
	}
	d.unknownMembers(object, searchMembers, "webSearch")
	plain := v.Clone()
	plain.Standardize()
	s := WebSearch{}
	s.Line, s.Column, _ = d.place(v.StartOffset)
	if err := jsonexp.Unmarshal(plain.Pack(), &s); err != nil {
		d.say("error", v.StartOffset, "webSearch cannot be read; there is no search: its members must be strings")
		return
	}
	if err := s.check(); err != nil {
		d.say("error", v.StartOffset, "webSearch: %v; there is no search", err)
		return
	}
	d.search = &s
}

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
