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

// A price that cannot be one is named, and where it is.
func TestPrices(t *testing.T) {
	for price, want := range map[string]string{
		`{"input": 3, "output": 15}`:                                      "",
		`{"input": 0, "output": 0, "cacheRead": 0.3, "cacheWrite": 3.75}`: "",
		`{"input": -1, "output": 15}`:                                     `:1:71: providers.p.models.m.price.input must be a number from 0 to 1000000, in USD for a million tokens`,
		`{"input": "3", "output": 15}`:                                    `price.input must be a number`,
		`{"input": 3, "output": null}`:                                    `price.output must be a number`,
		`{"input": 3, "output": 1e308}`:                                   `price.output must be a number`,
		`{"input": 3, "output": 1e999}`:                                   `price.output must be a number`,
		`{"input": 3, "output": {}}`:                                      `price.output must be a number`,
		`{"input": 3, "output": 15, "cacheRead": true}`:                   `price.cacheRead must be a number`,
		`{"input": 3}`:                                                    `:1:61: providers.p.models.m.price must have input and output; the model counts as one without a price`,
		`5`:                                                               `must have input and output`,
		`{"input": 3, "output": 15, "cached": 1}`:                         `unknown key "providers.p.models.m.price.cached"; there are cacheRead, cacheWrite, input, output`,
	} {
		got := strings.Join(readAll(t, `{"providers": {"p": {"models": {"m": {"window": 9, "price": `+price+`}}}}}`), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\n%.500q, want %q", price, got, want)
		}
	}
}
