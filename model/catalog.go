package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Provider is an OpenAI-compatible service (ruling 22). Requests go to
// <BaseURL>/chat/completions.
type Provider struct {
	Name      string                 `json:"name"`
	BaseURL   string                 `json:"baseUrl,omitempty"`
	APIKeys   []string               `json:"apiKeys,omitempty"`
	APIKeyEnv []string               `json:"apiKeyEnv,omitempty"` // names of environment variables
	Headers   map[string]string      `json:"headers,omitempty"`
	Models    map[string]ModelConfig `json:"models,omitempty"`
}

// ModelConfig is what the user knows about a model. Zero numbers are unknown.
type ModelConfig struct {
	Window    int64  `json:"window,omitempty"`
	MaxInput  int64  `json:"maxInput,omitempty"`
	MaxOutput int64  `json:"maxOutput,omitempty"`
	Vision    bool   `json:"vision,omitempty"`
	Reasoning bool   `json:"reasoning,omitempty"`
	API       string `json:"api,omitempty"` // "" or "chat"; "responses" (ruling 72)
}

// Errors of Open that a caller may want to answer with an offer of its own.
var (
	// ErrNoModel: nothing was named and nothing is configured.
	ErrNoModel = errors.New("no model is configured")
	// ErrNoKey: the provider is known, its key is not.
	ErrNoKey = errors.New("no API key")
)

// Catalog holds the providers and what was learned about their models. It owns
// the connections. Set the fields before the first call; the methods may be
// called from several goroutines.
type Catalog struct {
	Providers []Provider
	// Env gives environment variables; nil means that there are none.
	Env func(name string) string
	// Dial replaces the network; nil dials it, through the usual proxy
	// variables.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand gives numbers in [0,1) for the spread of waits; nil is random.
	Rand func() float64
	// Version is named in the User-Agent.
	Version string
	// Retry replaces the defaults of session §8 and ruling 99; zero keeps them.
	Retry RetryLimits

	mu     sync.Mutex // guards what follows
	client *http.Client
	notes  map[place]*note
}

// RetryLimits are the configuration keys agents.runtime.retry.
type RetryLimits struct {
	MaxAttempts int           // per model and key; 3
	FirstByte   time.Duration // 120 s, or 600 s for reasoning models
	Idle        time.Duration // 120 s
}

// place is what is remembered about: a model at an address.
type place struct{ url, model string }

// note is what was learned about a place.
type note struct {
	quirks map[string]bool
	rests  time.Time // until then others are asked first
	window int64     // from an overflow text
}

// Configure replaces the providers and the limits of retrying. What is under way
// keeps what it began with.
func (c *Catalog) Configure(providers []Provider, retry RetryLimits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Providers, c.Retry = slices.Clone(providers), retry
}

// retry is what Configure said last.
func (c *Catalog) retry() RetryLimits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Retry
}

// usualModel is asked where the environment has a key of OpenAI's own service and
// names no model: the mission lets OPENAI_MODEL be left out.
const usualModel = "gpt-5"

// Default is the model that the environment names: "openai/" and OPENAI_MODEL,
// or the usual one of OpenAI's own service where only its key is there, or "".
func (c *Catalog) Default() string {
	if m := c.env("OPENAI_MODEL"); m != "" {
		return envProvider + "/" + m
	}
	if c.env("OPENAI_API_KEY") != "" && c.env("OPENAI_BASE_URL") == "" {
		return envProvider + "/" + usualModel
	}
	return ""
}

// Open makes a model of names, the first to be asked first. A name is
// "provider/model", where what stands before the first slash is a provider only
// if one has that name, or the name of a model. Without names it is Default.
// The error says in a sentence what is missing.
func (c *Catalog) Open(names ...string) (Model, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.TrimSpace(n) == "" })
	if len(names) == 0 {
		d := c.Default()
		if d == "" {
			return nil, fmt.Errorf("%w: set OPENAI_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL for a server of your own), or name a model in the configuration", ErrNoModel)
		}
		names = []string{d}
	}
	m := &chain{catalog: c}
	for _, name := range names {
		e, err := c.endpoint(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(m.ends, func(old *endpoint) bool { return old.place() == e.place() }) {
			m.ends = append(m.ends, e)
		}
	}
	return m, nil
}

func (c *Catalog) endpoint(name string) (*endpoint, error) {
	p, model, err := c.resolve(name)
	if err != nil {
		return nil, err
	}
	base, err := parseBase(p.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", p.Name, err)
	}
	keys, err := c.keys(p, base)
	if err != nil {
		return nil, err
	}
	configured := p.Models[model]
	known := builtIn(model)
	e := &endpoint{
		catalog:      c,
		url:          base.JoinPath("chat", "completions"),
		keys:         keys,
		header:       c.headers(p),
		responses:    needsResponses(configured.API, model, base),
		responsesURL: base.JoinPath("responses"),
		azure:        strings.HasSuffix(base.Hostname(), ".openai.azure.com") || strings.HasSuffix(base.Hostname(), ".cognitiveservices.azure.com"),
		fixed:        configured.Window > 0 || configured.MaxInput > 0,
		info: Info{
			Name: model, Provider: p.Name,
			Window:    firstOf(configured.Window, known.Window),
			MaxInput:  configured.MaxInput,
			MaxOutput: firstOf(configured.MaxOutput, known.MaxOutput),
			Vision:    configured.Vision || known.Vision,
			Files:     (configured.Vision || known.Vision) && readsFiles(base),
			Reasoning: configured.Reasoning || known.Reasoning,
		},
	}
	secrets := slices.Clone(keys)
	for _, v := range p.Headers {
		secrets = append(secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	if secret, ok := base.User.Password(); ok {
		secrets = append(secrets, secret)
	}
	for _, values := range base.Query() {
		secrets = append(secrets, values...)
	}
	e.scrub = newScrubber(secrets)
	return e, nil
}

func firstOf(numbers ...int64) int64 {
	for _, n := range numbers {
		if n > 0 {
			return n
		}
	}
	return 0
}

// parseBase accepts what people paste: with or without the last part.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return nil, errors.New("the base URL cannot be read; write it like https://host/v1")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("base URL %q: write it like https://host/v1", shownURL(u))
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"), "/responses")
	if u.Path == "" {
		u.Path = "/" // a joined path must not be relative
	}
	u.Fragment = ""
	return u, nil
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

func (c *Catalog) headers(p Provider) http.Header {
	version := c.Version
	if version == "" {
		version = "dev"
	}
	h := http.Header{"User-Agent": {"agent-sidecar/" + version}}
	for name, value := range p.Headers {
		h.Set(name, value)
	}
	return h
}

func (c *Catalog) env(name string) string {
	if c.Env == nil {
		return ""
	}
	return strings.TrimSpace(c.Env(name))
}

func (c *Catalog) random() float64 {
	if c.Rand != nil {
		return c.Rand()
	}
	return rand.Float64()
}

func (c *Catalog) attempts() int {
	if n := c.retry().MaxAttempts; n > 0 {
		return n
	}
	return maxAttempts
}

// patience is that of one request; stop ends it.
func (c *Catalog) patience(reasoning bool, stop func(error)) *patience {
	limits := c.retry()
	p := &patience{stop: stop, first: limits.FirstByte, idle: limits.Idle, comments: commentsFor}
	if p.first <= 0 {
		p.first = firstByte
		if reasoning {
			p.first = firstByteReasoning
		}
	}
	if p.idle <= 0 {
		p.idle = idle
	}
	return p
}

// http is the one client of the catalog. Time-outs are patience's.
func (c *Catalog) http() *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.client
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    15 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // a compressed stream arrives in lumps
		MaxResponseHeaderBytes: 1 << 20,
		IdleConnTimeout:        90 * time.Second,
	}
	if c.Dial != nil {
		t.Proxy, t.DialContext = nil, c.Dial
	}
	c.client = &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c.client
}

// Close closes idle connections. Streams end with their iteration.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.CloseIdleConnections()
		c.client = nil
	}
	return nil
}

// note must be called with mu held.
func (c *Catalog) note(at place) *note {
	n := c.notes[at]
	if n == nil {
		n = &note{quirks: map[string]bool{}}
		if c.notes == nil {
			c.notes = map[place]*note{}
		}
		c.notes[at] = n
	}
	return n
}

func (c *Catalog) quirks(at place) map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.note(at).quirks)
}

func (c *Catalog) learnQuirk(at place, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).quirks[name] = true
}

func (c *Catalog) learnWindow(at place, window int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).window = window
}

func (c *Catalog) learned(at place) note {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.note(at)
}

func (c *Catalog) rest(at place, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).rests = until
}

// rested puts the endpoints that failed a moment ago behind the others.
func (c *Catalog) rested(ends []*endpoint) []*endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	var fresh, tired []*endpoint
	now := time.Now()
	for _, e := range ends {
		if c.note(e.place()).rests.After(now) {
			tired = append(tired, e)
		} else {
			fresh = append(fresh, e)
		}
	}
	return append(fresh, tired...)
}
