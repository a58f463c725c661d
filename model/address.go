package model

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// parseBase accepts what people paste: with or without the last part.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return nil, errors.New("the base URL cannot be read; write it like https://host/v1")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("base URL %q: write it like https://host/v1", shownURL(u))
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"), "/responses"), "/messages")
	if u.Path == "" {
		u.Path = "/" // a joined path must not be relative
	}
	u.Fragment = ""
	return u, nil
}

// Azure has an address for each deployment, wants an api-version there, and
// takes the key under a name of its own. A base URL that already names a
// deployment, or the newer /openai/v1, is taken as it is.
const (
	azureKeyHeader = "Api-Key"
	azureVersion   = "2024-10-21" // the newest dated one that is no preview
)

func isAzureHost(base *url.URL) bool {
	host := base.Hostname()
	return slices.ContainsFunc([]string{".openai.azure.com", ".openai.azure.us", ".cognitiveservices.azure.com", ".services.ai.azure.com"},
		func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// byDeployment: the model's name is a part of the address.
func byDeployment(p Provider, base *url.URL) bool {
	return (p.Name == azureProvider || isAzureHost(base)) && slices.Contains([]string{"", "/openai"}, strings.TrimRight(base.Path, "/"))
}

// askedAt is where requests for a model go.
func askedAt(p Provider, base *url.URL, model string, as api) *url.URL {
	if as == apiMessages {
		return messagesURL(base, model)
	}
	return chatURL(p, base, model)
}

// chatURL is where chat completions are asked for.
func chatURL(p Provider, base *url.URL, model string) *url.URL {
	u, version := *base, p.APIVersion
	if byDeployment(p, base) {
		u.Path = "/openai"
		u = *u.JoinPath("deployments", url.PathEscape(model))
		if version == "" {
			version = azureVersion
		}
	}
	return withVersion(u.JoinPath("chat", "completions"), version)
}

// responsesURL is where requests of the Responses API go: Azure has one address
// for all deployments, where the model is named in the body.
func responsesURL(p Provider, base *url.URL) *url.URL {
	u, version := *base, p.APIVersion
	if byDeployment(p, base) {
		u.Path, version = "/openai/v1", ""
	}
	return withVersion(u.JoinPath("responses"), version)
}

// listURL is where the provider names its models.
func listURL(p Provider, base *url.URL) *url.URL {
	u, version := *base, p.APIVersion
	if byDeployment(p, base) {
		u.Path = "/openai"
		if version == "" {
			version = azureVersion
		}
	}
	return withVersion(u.JoinPath("models"), version)
}

// withVersion adds the api-version, unless the address has one.
func withVersion(u *url.URL, version string) *url.URL {
	if q := u.Query(); version != "" && !q.Has("api-version") {
		q.Set("api-version", version)
		u.RawQuery = q.Encode()
	}
	return u
}

// keyHeader is the name under which the provider takes a key, "" for
// Authorization.
func keyHeader(p Provider, base *url.URL, as form) string {
	name := http.CanonicalHeaderKey(strings.TrimSpace(p.KeyHeader))
	switch {
	case name == "Authorization":
		return ""
	case name == "" && isAzureHost(base):
		return azureKeyHeader
	case name == "" && as.anthropic():
		return messagesKeyHeader
	}
	return name
}

// keys are the provider's keys; [""] where it needs none.
func (c *Catalog) keys(p Provider, base *url.URL) ([]string, error) {
	var keys []string
	add := func(k string) {
		if k = strings.TrimSpace(k); k != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range p.APIKeys {
		add(k)
	}
	for _, name := range p.APIKeyEnv {
		add(c.env(name))
	}
	if len(keys) > 0 {
		return keys, nil
	}
	needed := len(p.APIKeyEnv) > 0 && !isLocal(base) || knownHost(base)
	if needed && len(p.Headers) == 0 {
		hint := "add apiKeys or apiKeyEnv to it in the configuration"
		if len(p.APIKeyEnv) > 0 {
			hint = "set " + strings.Join(p.APIKeyEnv, " or ")
		}
		return nil, fmt.Errorf("%w for provider %q (%s): %s", ErrNoKey, p.Name, base.Host, hint)
	}
	return []string{""}, nil
}

func (c *Catalog) headers(p Provider, as form) http.Header {
	version := c.Version
	if version == "" {
		version = "dev"
	}
	h := http.Header{"User-Agent": {"agent-sidecar/" + version}}
	if as.anthropic() {
		h.Set("Anthropic-Version", messagesDate)
	}
	for name, value := range p.Headers {
		h.Set(name, value)
	}
	return h
}

// formOf is how a model is asked: as configured, else by its address and its name.
func formOf(configured, model string, base *url.URL) form {
	f := form{api: apiChat, host: base.Hostname()}
	switch {
	case needsMessages(configured, base):
		f.api, f.version, f.marks = apiMessages, messagesVersion(base), true
	case needsResponses(configured, model, base):
		f.api = apiResponses
	}
	f.marks = f.marks || f.api == apiChat && takesMarks(model, base)
	f.session = f.api != apiMessages && base.Hostname() == "api.openai.com"
	return f
}

// takesMarks: behind a gateway, Claude is cached where the parts to cache are marked. Its own
// compatible endpoint knows no caching, and services with models of their own no marks.
func takesMarks(model string, base *url.URL) bool {
	gateway := base.Hostname() == "openrouter.ai" || !knownHost(base)
	return gateway && strings.Contains(strings.ToLower(model), "claude")
}
