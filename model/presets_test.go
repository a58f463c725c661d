package model

import (
	"net/http"
	"strings"
	"testing"
)

// TestPresetsNeedOnlyTheirKey: every service is reached with nothing but its key
// in the environment, and every local server with nothing at all.
func TestPresetsNeedOnlyTheirKey(t *testing.T) {
	for _, row := range []struct {
		open string
		env  []string
		want string // URL|header|quirks
	}{
		{"openai/m", []string{"OPENAI_API_KEY", "k"}, "https://api.openai.com/v1/chat/completions|Authorization: Bearer k|"},
		{"azure/gpt-4o", []string{"AZURE_OPENAI_API_KEY", "k", "AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/"}, "https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21|Api-Key: k|"},
		{"openrouter/a/b", []string{"OPENROUTER_API_KEY", "k"}, "https://openrouter.ai/api/v1/chat/completions|Authorization: Bearer k|"},
		{"groq/m", []string{"GROQ_API_KEY", "k"}, "https://api.groq.com/openai/v1/chat/completions|Authorization: Bearer k|"},
		{"deepseek/m", []string{"DEEPSEEK_API_KEY", "k"}, "https://api.deepseek.com/v1/chat/completions|Authorization: Bearer k|"},
		{"mistral/m", []string{"MISTRAL_API_KEY", "k"}, "https://api.mistral.ai/v1/chat/completions|Authorization: Bearer k|stream_options tool_call_id"},
		{"gemini/m", []string{"GEMINI_API_KEY", "k"}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions|Authorization: Bearer k|"},
		{"gemini/m", []string{"GOOGLE_API_KEY", "k"}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions|Authorization: Bearer k|"},
		{"xai/m", []string{"XAI_API_KEY", "k"}, "https://api.x.ai/v1/chat/completions|Authorization: Bearer k|"},
		{"ollama/qwen3:8b", nil, "http://127.0.0.1:11434/v1/chat/completions||"},
		{"lmstudio/m", nil, "http://127.0.0.1:1234/v1/chat/completions||"},
		{"vllm/org/m", nil, "http://127.0.0.1:8000/v1/chat/completions||"},
		{"llamacpp/m", nil, "http://127.0.0.1:8080/v1/chat/completions||"},
		// A key of some service does not take the name of a local server away.
		{"ollama/qwen3", []string{"OPENROUTER_API_KEY", "k"}, "http://127.0.0.1:11434/v1/chat/completions||"},
	} {
		t.Run(row.open, func(t *testing.T) {
			if got := reached(t, &Catalog{Env: env(row.env...)}, row.open); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	for _, p := range Presets() { // the rest, without knowing their addresses a second time
		vars := []string{}
		for _, name := range p.APIKeyEnv {
			vars = append(vars, name, "the-key")
		}
		if p.Name == azureProvider {
			vars = append(vars, azureAddress, "https://x.test")
		}
		if got := reached(t, &Catalog{Env: env(vars...)}, p.Name+"/m"); !strings.HasPrefix(got, "http") || isLocalPreset(p) == strings.Contains(got, "the-key") {
			t.Errorf("%s: %s", p.Name, got)
		}
	}
}

// reached is where a request for a model would go, with which key, and what is
// left out of it.
func reached(t *testing.T, c *Catalog, name string) string {
	t.Helper()
	m, err := c.Open(name)
	if err != nil {
		return err.Error()
	}
	e := m.(*chain).ends[0]
	h := http.Header{}
	setKey(h, e.keyName, e.keys[0])
	var header []string
	for n, v := range h {
		header = append(header, n+": "+v[0])
	}
	return e.url.String() + "|" + strings.Join(header, " ") + "|" + strings.Join(m.Info().Quirks, " ")
}

// TestPresetsAreOverridden: whatever the configuration says wins, member by
// member, and a key is sent to no address that it was not meant for.
func TestPresetsAreOverridden(t *testing.T) {
	keys := env("MISTRAL_API_KEY", "mk", "AZURE_OPENAI_API_KEY", "ak", "AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com", "MINE", "own", "OPENAI_API_VERSION", "2025-01-01-preview")
	for _, row := range []struct {
		name string
		p    Provider
		open string
		want string
	}{
		{"nothing", Provider{Name: "mistral"}, "mistral/m", "https://api.mistral.ai/v1/chat/completions|Authorization: Bearer mk|stream_options tool_call_id"},
		{"the variable of the key", Provider{Name: "mistral", APIKeyEnv: []string{"MINE"}}, "mistral/m", "https://api.mistral.ai/v1/chat/completions|Authorization: Bearer own|stream_options tool_call_id"},
		{"the key", Provider{Name: "mistral", APIKeys: []string{"lit"}}, "mistral/m", "https://api.mistral.ai/v1/chat/completions|Authorization: Bearer lit|stream_options tool_call_id"},
		{"the quirks", Provider{Name: "mistral", Quirks: []string{}}, "mistral/m", "https://api.mistral.ai/v1/chat/completions|Authorization: Bearer mk|"},
		{"quirks of a service that has none", Provider{Name: "x", BaseURL: "http://box/v1", Quirks: []string{"tool_choice"}}, "x/m", "http://box/v1/chat/completions||tool_choice"},
		{"the header", Provider{Name: "x", BaseURL: "http://box/v1", APIKeys: []string{"k"}, KeyHeader: "x-api-key"}, "x/m", "http://box/v1/chat/completions|X-Api-Key: k|"},
		{"the address takes the key's variable away", Provider{Name: "mistral", BaseURL: "https://elsewhere.test/v1"}, "mistral/m", "https://elsewhere.test/v1/chat/completions||stream_options tool_call_id"},
		{"Azure: api-version from the environment", Provider{Name: "azure"}, "azure/d", "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview|Api-Key: ak|"},
		{"Azure: api-version", Provider{Name: "azure", APIVersion: "2024-06-01"}, "azure/d", "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-06-01|Api-Key: ak|"},
		{"Azure: api-version of the address", Provider{Name: "azure", BaseURL: "https://y.openai.azure.com/openai?api-version=2023-05-15"}, "azure/d", "https://y.openai.azure.com/openai/deployments/d/chat/completions?api-version=2023-05-15|Api-Key: ak|"},
		{"Azure: an address pasted whole", Provider{Name: "azure", BaseURL: "https://y.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"}, "azure/ignored", "https://y.openai.azure.com/openai/deployments/d/chat/completions?api-version=1|Api-Key: ak|"},
		{"Azure: the newer address", Provider{Name: "work", BaseURL: "https://y.openai.azure.com/openai/v1", APIKeys: []string{"k"}}, "work/d", "https://y.openai.azure.com/openai/v1/chat/completions|Api-Key: k|"},
		{"Azure: with a token", Provider{Name: "azure", KeyHeader: "authorization", APIKeys: []string{"tok"}}, "azure/d", "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview|Authorization: Bearer tok|"},
		{"Azure: behind a gateway", Provider{Name: "azure", BaseURL: "https://gw.test", APIKeys: []string{"k"}}, "azure/d", "https://gw.test/openai/deployments/d/chat/completions?api-version=2025-01-01-preview|Api-Key: k|"},
		{"Azure: a gateway is not sent the variable's key", Provider{Name: "azure", BaseURL: "https://gw.test"}, "azure/d", "https://gw.test/openai/deployments/d/chat/completions?api-version=2025-01-01-preview||"},
		{"Azure: a deployment that climbs", Provider{Name: "azure"}, "azure/../../admin?x=#", "https://x.openai.azure.com/openai/deployments/..%2F..%2Fadmin%3Fx=%23/chat/completions?api-version=2025-01-01-preview|Api-Key: ak|"},
		{"a local server elsewhere", Provider{Name: "ollama", BaseURL: "http://box:1/v1"}, "ollama/m", "http://box:1/v1/chat/completions||"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := reached(t, &Catalog{Providers: []Provider{row.p}, Env: keys}, row.open); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	c := &Catalog{Env: env("AZURE_OPENAI_API_KEY", "k"), Providers: []Provider{{Name: "gw", BaseURL: "http://gw.test"}}}
	if got := reached(t, c, "azure/d"); !strings.Contains(got, "set AZURE_OPENAI_ENDPOINT") {
		t.Errorf("Azure without an address: %s", got)
	}
	if got := reached(t, &Catalog{Env: env("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com")}, "azure/d"); !strings.Contains(got, "set AZURE_OPENAI_API_KEY or AZURE_API_KEY") {
		t.Errorf("Azure without a key: %s", got)
	}
}

// A list and a question go to Azure with its header and its api-version.
func TestAzureOnTheWire(t *testing.T) {
	var asked []string
	c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Api-Key")+r.Header.Get("Authorization"))
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data":[{"id":"gpt-4o"}]}`))
			return
		}
		_, _ = w.Write([]byte(answerOK))
	})
	c.Providers = []Provider{{Name: "azure", BaseURL: "http://x.openai.azure.com", APIKeys: []string{"the-key"}}}
	if h := hear(t.Context(), open(t, c, "azure/d"), ask("hi")); h.done == nil {
		t.Fatal(h.err)
	}
	if _, err := listOne(t, c, "azure"); err != nil {
		t.Fatal(err)
	}
	want := "POST /openai/deployments/d/chat/completions?api-version=2024-10-21 the-key\nGET /openai/models?api-version=2024-10-21 the-key"
	if got := strings.Join(asked, "\n"); got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
}
