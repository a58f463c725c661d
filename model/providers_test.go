package model

import (
	"fmt"
	"strings"
	"testing"
)

// Whether there is a key, and where one is looked for; never the key.
func TestKeyStates(t *testing.T) {
	c := &Catalog{Env: func(name string) string {
		return map[string]string{"ANTHROPIC_API_KEY": "sk-a", "MINE": "k"}[name]
	}}
	c.Configure([]Provider{
		{Name: "mine", BaseURL: "https://models.example/v1", APIKeyEnv: []string{"MINE"}},
		{Name: "written", BaseURL: "https://models.example/v1", APIKeys: []string{"sk-written"}},
		{Name: "blank", BaseURL: "https://models.example/v1", APIKeys: []string{" "}},
		{Name: "ollama"},
		{Name: "openai", BaseURL: "https://proxy.example/v1"}, // not sent the key of the service
	}, RetryLimits{})
	states := map[string]string{}
	for _, k := range c.KeyStates() {
		if states[k.Name] != "" {
			t.Errorf("%s stands there twice", k.Name)
		}
		states[k.Name] = fmt.Sprint(k.HasKey, k.KeyEnv)
	}
	for name, want := range map[string]string{
		"mine": "true [MINE]", "written": "true []", "blank": "false []", "ollama": "false []", "openai": "false []",
		"anthropic": "true [ANTHROPIC_API_KEY]", "gemini": "false [GEMINI_API_KEY GOOGLE_API_KEY]", "vllm": "", "azure": "",
	} {
		if states[name] != want {
			t.Errorf("%s: %q, want %q", name, states[name], want)
		}
	}
	if strings.Contains(fmt.Sprint(c.KeyStates()), "sk-") {
		t.Error("a key is said")
	}
}
