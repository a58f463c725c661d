package control

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every configured key is known literally, also what apiKeyEnv names; what stands
// beside keys is not.
func TestSecretValues(t *testing.T) {
	home := t.TempDir()
	text := `{"providers": {
	  "work": {"baseUrl": "https://llm.example.com/v1", "apiKeys": ["one-key", "two-key"], "apiKeyEnv": ["WORK_KEY", "NOT_SET"],
	    "headers": {"Authorization": "Bearer three-key", "X-Title": "agent"}, "models": {"big": {"window": 1000}}}},
	  "mcp": {"a": {"command": ["serve", "--token", "four-key", "--port", "80", "--api-key=five-key"], "env": {"GITHUB_TOKEN": "six-key", "LANG": "C"}}},
	  "webSearch": {"provider": "x", "apiKey": "seven-key"}}`
	if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := OpenStore(home, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := store.Settings().SecretValues(func(name string) string { return map[string]string{"WORK_KEY": "eight-key"}[name] })
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	if want := []string{"eight-key", "five-key", "four-key", "one-key", "seven-key", "six-key", "three-key", "two-key"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, want := range map[string]bool{"OPENAI_API_KEY": true, "gh_token": true, "CI_PAT": true, "SENTRY_DSN": true, "DATABASE_URL": true, "PATH": false, "HOME": false, "LANG": false} {
		if SecretName(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
