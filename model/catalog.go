package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// Provider is an OpenAI-compatible service. Requests go to
// <BaseURL>/chat/completions.
type Provider struct {
	Name      string   `json:"name"`
	BaseURL   string   `json:"baseUrl,omitempty"`
	APIKeys   []string `json:"apiKeys,omitempty"`
	APIKeyEnv []string `json:"apiKeyEnv,omitempty"` // names of environment variables
	// KeyHeader is the header that takes the key as it is; "" or "Authorization"
	// takes it as "Bearer <key>".
	KeyHeader string `json:"keyHeader,omitempty"`
	// APIVersion is Azure's api-version.
	APIVersion string            `json:"apiVersion,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	// Quirks are parameters that the service is known to refuse (quirk.go). In a
	// configuration an empty list says that it refuses none; nil takes the preset's.
	Quirks []string               `json:"quirks,omitempty"`
	Models map[string]ModelConfig `json:"models,omitempty"`
}

// ModelConfig is what the user knows about a model. Zero numbers are unknown.
type ModelConfig struct {
	Window    int64 `json:"window,omitempty"`
	MaxInput  int64 `json:"maxInput,omitempty"`
	MaxOutput int64 `json:"maxOutput,omitempty"`
	Vision    bool  `json:"vision,omitempty"`
	Reasoning bool  `json:"reasoning,omitempty"`
	// TimeoutMs bounds one whole answer; 0: only silence ends it.
	TimeoutMs int64  `json:"timeoutMs,omitempty"`
	API       string `json:"api,omitempty"` // "" or "chat"; "responses"; "messages"
	// Tools "text": they are described in the system prompt, and a call is a block of the answer.
	// "" or "native": as the API has them.
	Tools string `json:"tools,omitempty"`
	// Price is {input, output, cacheRead?, cacheWrite?} in USD for a million tokens. What is
	// no such price counts as none.
	Price json.RawMessage `json:"price,omitempty"`
}

// maxTimeoutMs is a day: what is longer counts as that.
const maxTimeoutMs = 24 * 60 * 60 * 1000

// ErrNoKey: the provider is known, its key is not.
var ErrNoKey = errors.New("no API key")

// Catalog holds the providers and what was learned about their models. It owns
// the connections. Set the fields before the first call; the methods may be
// called from several goroutines.
type Catalog struct {
	Providers []Provider
	// Env gives environment variables; nil means that there are none.
	Env func(name string) string
	// Network is how connections leave this machine; the zero one is directly.
	Network outbound.Settings
	// Dial replaces the network below that; nil is the real one.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand gives numbers in [0,1) for the spread of waits; nil is random.
	Rand func() float64
	// Exact counts a text for a model; nil leaves it undetected where a server cuts a prompt
	// without a word. It is Counter.Exact.
	Exact func(model, text string) int64
	// Version is named in the User-Agent.
	Version string
	// Retry replaces the defaults; zero keeps them.
	Retry RetryLimits

	mu     sync.Mutex // guards what follows
	client *http.Client
	way    *outbound.Way       // that of client
	lists  map[string]*listing // by address

	memory memory
}

// RetryLimits are the configuration keys agents.runtime.retry.
type RetryLimits struct {
	MaxAttempts int           // per model and key; 3
	FirstByte   time.Duration // 120 s, or 600 s for reasoning models
	Idle        time.Duration // 120 s
}

// Configure replaces the providers and the limits of retrying. What is under way
// keeps what it began with.
func (c *Catalog) Configure(providers []Provider, retry RetryLimits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Providers, c.Retry = slices.Clone(providers), retry
}

// Leave replaces how connections leave this machine. What is under way keeps its own.
func (c *Catalog) Leave(network outbound.Settings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !reflect.DeepEqual(c.Network, network) {
		c.Network = network
		c.letGo()
	}
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
// "provider/model", where what is before the first slash is a provider only
// if one has that name, or the name of a model. Without names it is Default.
// The error says in a sentence what the first one lacks; one behind it that lacks
// something fails when its turn comes.
func (c *Catalog) Open(names ...string) (Model, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.TrimSpace(n) == "" })
	if len(names) == 0 {
		d := c.Default()
		if d == "" {
			return nil, notSet()
		}
		names = []string{d}
	}
	m := &chain{catalog: c}
	for _, name := range names {
		e, err := c.endpoint(strings.TrimSpace(name))
		if err != nil && len(m.ends) == 0 {
			return nil, err
		}
		if err != nil {
			e = c.lacking(strings.TrimSpace(name), err)
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
	if p.BaseURL == "" && p.Name == azureProvider {
		err = fmt.Errorf("it has no address of its own: set %s, or baseUrl in the configuration", azureAddress)
	}
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", p.Name, err)
	}
	keys, err := c.keys(p, base)
	if err != nil {
		return nil, err
	}
	configured := p.Models[model]
	as := formOf(configured.API, model, base)
	known, row := builtIn(model), rowAt(base, model)
	if known == (priceRow{}) {
		known = row
	}
	e := &endpoint{
		catalog: c,
		url:     askedAt(p, base, model, as.api),
		base:    base,
		lists:   listURL(p, base),
		keys:    keys,
		header:  c.headers(p, as),
		keyName: keyHeader(p, base, as),
		known:   knownQuirks(p, configured),
		fixed:   configured.Window > 0 || configured.MaxInput > 0,

		price:        priceOf(configured.Price, row),
		timeout:      time.Duration(min(max(configured.TimeoutMs, 0), maxTimeoutMs)) * time.Millisecond,
		responsesURL: responsesURL(p, base),
		info: Info{
			Name: model, Provider: p.Name,
			Window:    firstOf(configured.Window, known.Window, row.Window),
			Server:    localServer(p.Name, base),
			MaxInput:  configured.MaxInput,
			MaxOutput: firstOf(configured.MaxOutput, known.MaxOutput, row.MaxOutput),
			Vision:    configured.Vision || known.Vision,
			Reasoning: configured.Reasoning || known.Reasoning,
			form:      as,
		},
	}
	e.scrub = newScrubber(secretsOf(p, keys, base))
	return e, nil
}

// knownQuirks are those of a service and of a model there, by what the user knows.
func knownQuirks(p Provider, m ModelConfig) []string {
	if m.Tools == "text" {
		return append(slices.Clip(p.Quirks), quirkTools)
	}
	return p.Quirks
}

// Efforts are the levels of effort that a model takes, nil where it takes none, or is not
// known. Nobody is asked.
func (c *Catalog) Efforts(name string) []string {
	m, err := c.Open(name)
	if err != nil {
		return nil
	}
	return m.Info().Efforts
}

// lacking is in a chain for a model that cannot be asked, so that a missing
// key of the last one does not keep the first from working.
func (c *Catalog) lacking(name string, why error) *endpoint {
	return &endpoint{catalog: c, info: Info{Name: name}, url: &url.URL{Opaque: name}, base: &url.URL{}, keys: []string{""}, lacks: why, fixed: true}
}

func firstOf(numbers ...int64) int64 {
	for _, n := range numbers {
		if n > 0 {
			return n
		}
	}
	return 0
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

// idleTimer is that of one request; stop ends it.
func (c *Catalog) idleTimer(reasoning bool, stop func(error)) *idleTimer {
	limits := c.retry()
	p := &idleTimer{stop: stop, first: limits.FirstByte, idle: limits.Idle, comments: commentsFor}
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
