package config

import (
	"strings"
	"testing"
)

// A key that nobody reads, wherever it is below providers, is named with its place
// and with those that there are.
func TestUnknownProviderKeys(t *testing.T) {
	for text, want := range map[string]string{
		"{\"providers\": {\"a\": {\n  \"apiKeyEnvv\": [\"X\"]}}}":                  `:2:3: unknown key "providers.a.apiKeyEnvv"; there are apiKeyEnv, `,
		"{\"providers\": {\"a\": {\"models\": {\"x\": {\n \"windw\": 3}}}}}":       `:2:2: unknown key "providers.a.models.x.windw"; there are `,
		`{"providers": {"a": {"BaseURL": "http://h/v1"}}}`:                         `:1:22: unknown key "providers.a.BaseURL"; there are `,
		`{"providers": {"a": {"apikey": "k"}}}`:                                    `unknown key "providers.a.apikey"; there are `,
		`{"providers": {"a": {"colour": 1}}}`:                                      `unknown key "providers.a.colour"`,
		`{"providers": {"a": {"headers": {"x-any": "1"}, "models": {"any": {}}}}}`: "",
		`{"providers": {"a": 1, "b": {"models": 1}, "c": {"models": {"x": 1}}}}`:   "",
		`{"providers": {"": {"` + strings.Repeat("k", 5000) + `": 1}}}`:            "unknown key",
	} {
		got := strings.Join(readAll(t, text), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%.200s\n%.500q, want %q", text, got, want)
		}
	}
}
