package model

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// TestOpen: which provider, model, address and keys a name means.
func TestOpen(t *testing.T) {
	two := []Provider{
		{Name: "a", BaseURL: "http://a.test/v1/", APIKeys: []string{"ka", "ka", ""}, Models: map[string]ModelConfig{"known": {Window: 5, API: "chat"}, "new": {API: "responses"}}},
		{Name: "b", BaseURL: "https://b.test/api/chat/completions?v=1", APIKeyEnv: []string{"B_KEY", "B_KEY2"}},
	}
	for _, row := range []struct {
		name string
		c    *Catalog
		open string
		want string // provider|model|url|keys
		says string // of the error
	}{
		{"the environment", &Catalog{Env: env("OPENAI_API_KEY", "k", "OPENAI_MODEL", "gpt-4o")}, "", "openai|gpt-4o|https://api.openai.com/v1/chat/completions|k", ""},
		{"a gateway in the environment", &Catalog{Env: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://gw.test/v1", "OPENAI_MODEL", "openai/gpt-4o")}, "", "openai|openai/gpt-4o|https://gw.test/v1/chat/completions|k", ""},
		{"a gateway's own names", &Catalog{Env: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://gw.test/v1")}, "deepseek/deepseek-chat", "openai|deepseek/deepseek-chat|https://gw.test/v1/chat/completions|k", ""},
		{"a server of one's own needs no key", &Catalog{Env: env("OPENAI_BASE_URL", "http://box:9000/v1", "OPENAI_MODEL", "m")}, "", "openai|m|http://box:9000/v1/chat/completions|", ""},
		{"OpenAI needs one", &Catalog{Env: env("OPENAI_MODEL", "gpt-4o")}, "", "", `no API key for provider "openai" (api.openai.com): set OPENAI_API_KEY`},
		{"nothing at all", &Catalog{}, "", "", "No model is set up."},
		{"a provider's name alone", &Catalog{Env: env("ANTHROPIC_API_KEY", "k")}, "anthropic", "", `"anthropic" is a provider, and no model of it is named. Write it as anthropic/<name>`},
		{"a provider's name alone, without its key", &Catalog{}, "groq", "", `"groq" is a provider`},
		{"a local provider's name alone", &Catalog{Env: env("OPENAI_API_KEY", "k")}, "ollama/", "", `"ollama" is a provider`},
		{"a configured provider's name alone", &Catalog{Providers: two}, "b", "", `"b" is a provider`},
		{"a gateway's model that is called as a service", &Catalog{Env: env("OPENAI_BASE_URL", "http://box:9000/v1")}, "mistral", "openai|mistral|http://box:9000/v1/chat/completions|", ""},
		{"a model that is called as its provider", &Catalog{Providers: []Provider{{Name: "x", BaseURL: "http://x.test", Models: map[string]ModelConfig{"x": {}}}}}, "x", "x|x|http://x.test/chat/completions|", ""},
		{"a name and nothing else", &Catalog{}, "gpt-4o", "", "set OPENAI_API_KEY"},
		{"configured openai wins over the environment", &Catalog{Providers: []Provider{{Name: "openai", BaseURL: "http://mine.test", APIKeys: []string{"x"}}}, Env: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://gw.test/v1")}, "openai/m", "openai|m|http://mine.test/chat/completions|x", ""},
		{"provider/model", &Catalog{Providers: two}, "a/x/y", "a|x/y|http://a.test/v1/chat/completions|ka", ""},
		{"keys from the environment, in order", &Catalog{Providers: two, Env: env("B_KEY2", "k2", "B_KEY", "k1")}, "b/x", "b|x|https://b.test/api/chat/completions?v=1|k1 k2", ""},
		{"a missing key names its variables", &Catalog{Providers: two}, "b/x", "", `no API key for provider "b" (b.test): set B_KEY or B_KEY2`},
		{"a model of one provider", &Catalog{Providers: two}, "known", "a|known|http://a.test/v1/chat/completions|ka", ""},
		{"a slash that is no provider", &Catalog{Providers: two[:1]}, "org/model", "a|org/model|http://a.test/v1/chat/completions|ka", ""},
		{"ambiguous", &Catalog{Providers: two}, "org/model", "", "write it as provider/model; the providers are a, b"},
		{"a preset with its key", &Catalog{Env: env("OPENROUTER_API_KEY", "or")}, "openrouter/anthropic/claude", "openrouter|anthropic/claude|https://openrouter.ai/api/v1/chat/completions|or", ""},
		{"a preset without", &Catalog{Env: env("OPENAI_API_KEY", "k")}, "groq/llama", "", "set GROQ_API_KEY"},
		{"a preset completes a provider", &Catalog{Providers: []Provider{{Name: "mistral", APIKeys: []string{"m"}}}}, "mistral/x", "mistral|x|https://api.mistral.ai/v1/chat/completions|m", ""},
		{"a local preset needs no key", &Catalog{Providers: []Provider{{Name: "ollama"}}}, "ollama/q", "ollama|q|http://127.0.0.1:11434/v1/chat/completions|", ""},
		{"responses", &Catalog{Providers: two}, "a/new", "a|new|http://a.test/v1/responses|ka", ""},
		{"responses by name", &Catalog{Env: env("OPENAI_API_KEY", "k")}, "openai/gpt-6-sol", "openai|gpt-6-sol|https://api.openai.com/v1/responses|k", ""},
		{"that name elsewhere", &Catalog{Env: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://gw.test/v1")}, "gpt-6-sol", "openai|gpt-6-sol|https://gw.test/v1/chat/completions|k", ""},
		{"that name, and chat all the same", &Catalog{Providers: []Provider{{Name: "openai", APIKeys: []string{"k"}, Models: map[string]ModelConfig{"gpt-6-sol": {API: "chat"}}}}}, "openai/gpt-6-sol", "openai|gpt-6-sol|https://api.openai.com/v1/chat/completions|k", ""},
		{"a base URL with the last part of it", &Catalog{Providers: []Provider{{Name: "x", BaseURL: "https://x.test/v1/responses/", Models: map[string]ModelConfig{"m": {API: "responses"}}}}}, "x/m", "x|m|https://x.test/v1/responses|", ""},
		{"a bad base URL", &Catalog{Providers: []Provider{{Name: "x", BaseURL: "host:80"}}}, "x/m", "", "write it like https://host/v1"},
		{"a base URL with another scheme", &Catalog{Providers: []Provider{{Name: "x", BaseURL: "file:///etc"}}}, "x/m", "", "write it like https://host/v1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := row.c.Open(row.open)
			if err != nil {
				if row.says == "" || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v, want %q", err, row.says)
				}
				return
			}
			e := m.(*chain).ends[0]
			if got := strings.Join([]string{e.info.Provider, e.info.Name, e.wireRequest(Request{}, nil).url.String(), strings.Join(e.keys, " ")}, "|"); got != row.want {
				t.Errorf("got %s, want %s %s", got, row.want, row.says)
			}
		})
	}
	if _, err := (&Catalog{}).Open(); !errors.Is(err, ErrNoModel) {
		t.Error(err)
	}
	if _, err := (&Catalog{}).Open("x"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
}

func TestInfo(t *testing.T) {
	for name, want := range map[string]int64{
		"gpt-4o-mini": 128_000, "gpt-4": 8_192, "gpt-4.1-nano": 1_047_576, "openai/gpt-5.1": 400_000, "o3-mini": 200_000,
		"Claude-Sonnet-4-5": 200_000, "gpt-4omega": 0, "unheard-of": 0, "": 0,
	} {
		if got := builtIn(name).Window; got != want {
			t.Errorf("%s: window %d, want %d", name, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, refuse(400, `{"error":{"message":"This model's maximum context length is 4096 tokens"}}`))
		c.Providers[0].Models = map[string]ModelConfig{"set": {Window: 9000, MaxInput: 7000, MaxOutput: 5, Vision: true, Reasoning: true}}
		m, set := open(t, c, "test/gpt-4o"), open(t, c, "test/set")
		if e := hear(t.Context(), m, ask("hi")).modelError(); e.Window != 4096 {
			t.Errorf("window %d of the error", e.Window)
		}
		hear(t.Context(), set, ask("hi"))
		if m.Info().Window != 4096 {
			t.Errorf("the window of the error text is not used: %+v", m.Info())
		}
		if i := set.Info(); i.Window != 9000 || i.MaxInput != 7000 || i.MaxOutput != 5 || !i.Vision || !i.Reasoning || i.Provider != "test" {
			t.Errorf("configured: %+v", i)
		}
	})
}

func TestWindowInErrorTexts(t *testing.T) {
	for text, want := range map[string]int64{
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.": 128000,
		"prompt is too long: 3333404 tokens > 200000 maximum":                                                     200000,
		"exceed context limit: 200043 + 32000 > 204658, decrease":                                                 204658,
		"exceeds the maximum number of tokens allowed (1048576).":                                                 1048576,
		"maximum prompt length is 131072 but the request contains 537812":                                         131072,
		"exceeds the maximum allowed input length of 262112 tokens":                                               262112,
		"longer than the model's context length (40960 tokens)":                                                   40960,
		"exceeds model's maximum context length (262144).":                                                        262144,
		"exceeds the available context size (512 tokens)":                                                         512,
		"(n_keep: 13055>= n_ctx: 4096)":                                                                           4096,
		"the context length only supports 30000 tokens":                                                           30000,
		"model maximum context length: 131071":                                                                    131071,
		"Current length is 202427 while limit is 131072":                                                          131072,
		"too large for model with 40960 maximum context length":                                                   40960,
		"exceeded model token limit: 262144 (requested: 269030)":                                                  262144,
		"Range of input length should be [1, 204800]":                                                             204800,
		"prompt token count of 1236658 exceeds the limit of 128000":                                               128000,
		"The limit for this model is 288000 tokens.":                                                              288000,
		"your request exceeds the context window of 8,192 tokens":                                                 8192,
		"Reached context length of 4096 tokens with model":                                                        4096,
		"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389":                     30000,
		"context window exceeds limit (2013)":                                                                     0,
		"maximum context length is 255 tokens":                                                                    0,
		"maximum context length is 256 tokens":                                                                    256,
		"prompt is too long":                                                                                      0,
	} {
		if got := windowIn(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// TestFindLocal: any program may listen on these ports.
func TestFindLocal(t *testing.T) {
	for _, row := range []struct {
		name  string
		port  map[string]string // what a port answers to GET /v1/models
		want  string
		found bool
	}{
		{"nobody", nil, "", false},
		{"Ollama", map[string]string{"11434": `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"nomic-embed-text"}]}`}, "ollama qwen3:8b", true},
		{"the first of two", map[string]string{"8000": `{"data":[{"id":"v"}]}`, "1234": `{"data":[{"id":"l"}]}`}, "lmstudio l", true},
		{"some other server", map[string]string{"8080": `<html>Jenkins</html>`}, "", false},
		{"no models", map[string]string{"8080": `{"data":[]}`}, "", false},
		{"one that hangs", map[string]string{"8080": "hang", "8000": `{"data":[{"id":"v"}]}`}, "vllm v", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
					_, port, _ := net.SplitHostPort(r.Host)
					if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "" {
						t.Errorf("asked for %s with %v", r.URL, r.Header)
					}
					if row.port[port] == "hang" {
						<-r.Context().Done()
						return
					}
					_, _ = io.WriteString(w, row.port[port])
				})
				dial := c.Dial
				c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
					if _, port, _ := net.SplitHostPort(addr); row.port[port] == "" {
						return nil, errors.New("connection refused")
					}
					return dial(ctx, network, addr)
				}
				begun := time.Now()
				p, names, found := c.FindLocal(t.Context())
				if got := strings.TrimSpace(p.Name + " " + strings.Join(names, " ")); got != row.want || found != row.found {
					t.Errorf("found %q %v, want %q", got, found, row.want)
				}
				if took := time.Since(begun); took > 200*time.Millisecond {
					t.Errorf("took %v", took)
				}
				if found {
					c.Configure([]Provider{p}, RetryLimits{})
					if _, err := c.Open(p.Name + "/" + names[0]); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

func TestList(t *testing.T) {
	c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-test-key-1" || r.Header.Get("User-Agent") != "agent-sidecar/1.2" {
			t.Errorf("headers %v", r.Header)
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"a","context_length":4096.0,"top_provider":{"max_completion_tokens":100}},{"id":"b","max_model_len":"8192"},{"id":""},{"id":"c","meta":{"n_ctx_train":512}}]}`)
	})
	c.Version = "1.2"
	got, err := listOne(t, c, "test")
	want := []Listed{{Name: "a", Window: 4096, MaxOutput: 100}, {Name: "b", Window: 8192}, {Name: "c", Window: 512}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if _, err := listOne(t, c, "nobody"); err == nil {
		t.Error("listed nobody's models")
	}
}

// Azure wants its key under another name, and keeps its query.
func TestHeaders(t *testing.T) {
	var got *http.Request
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = io.WriteString(w, answerOK)
	})
	c.Version = "1.2"
	c.Providers[0].Headers = map[string]string{"x-title": "mine"}
	hear(t.Context(), open(t, c, "test/m"), ask("hi"))
	for name, want := range map[string]string{"Authorization": "Bearer sk-test-key-1", "User-Agent": "agent-sidecar/1.2", "X-Title": "mine", "Content-Type": "application/json", "Accept": "text/event-stream"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	for _, base := range []string{"http://model.test", "http://model.test/", "http://model.test/v1//"} {
		c.Providers[0].BaseURL = base
		if h := hear(t.Context(), open(t, c, "test/m"), ask("hi")); h.done == nil || !strings.HasSuffix(got.URL.Path, "/chat/completions") || strings.Contains(got.URL.Path, "//") {
			t.Errorf("%s: asked %s, %v", base, got.URL, h.err)
		}
	}
	c.Providers[0].BaseURL = "http://x.openai.azure.com/openai/deployments/d?api-version=1"
	hear(t.Context(), open(t, c, "test/m"), ask("hi"))
	want := &url.URL{Path: "/openai/deployments/d/chat/completions", RawQuery: "api-version=1"}
	if got.URL.Path != want.Path || got.URL.RawQuery != want.RawQuery || got.Header.Get("Api-Key") != "sk-test-key-1" || got.Header.Get("Authorization") != "" {
		t.Errorf("asked %s with %v", got.URL, got.Header)
	}
}

// What frameworks say of a request that does not validate is put into words.
func TestValidationInWords(t *testing.T) {
	for body, want := range map[string]string{
		`{"detail":[{"loc":["body","messages",0,"role"],"msg":"field required","type":"missing"}]}`: "body.messages.0.role: field required",
		`{"detail":[{"msg":"a"},{"loc":["b"],"msg":"c"}]}`:                                          "a; b: c",
		`{"detail":[{"loc":["b"]}]}`:                                                                `[{"loc":["b"]}]`,
		`{"detail":[1,2]}`:                                                                          `[1,2]`,
		`{"detail":"plain"}`:                                                                        "plain",
	} {
		if got := messageIn(body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
