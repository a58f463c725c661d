package config

import (
	"strings"
	"testing"
)

// What a search provider may say, and that only the user's own file names one.
func TestWebSearchConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"provider": "searxng", "url": "http://127.0.0.1:8888"}`:  "",
		`{"provider": "searxng", "url": "https://s.example/sub/"}`: "",
		`{"provider": "brave", "apiKey": "k"}`:                     "",
		`{"provider": "brave", "apiKeyEnv": "BRAVE_API_KEY"}`:      "",
		`{}`:                      "-",
		`{"provider": "searxng"}`: "searxng needs the url of an instance",
		`{"provider": "brave"}`:   "brave needs apiKey or apiKeyEnv",
		`{"url": "http://x"}`:     `provider must be searxng or brave, not ""`,
		`{"provider": "other"}`:   `not "other"`,
		`{"provider": 7}`:         "cannot be read",
		`{"provider": "searxng", "url": "file:///etc"}`:                   "url must begin with http",
		`{"provider": "searxng", "url": "http://u:p@h"}`:                  "must not contain a user",
		`{"provider": "searxng", "url": "http://h/?q=x"}`:                 "must not contain a user, password, query",
		`{"provider": "brave", "apiKey": "a\r\nb"}`:                       "the key is not valid",
		`{"provider": "searxng", "url": "http://h", "depth": 1}`:          `unknown key "depth" of webSearch`,
		`{"provider": "searxng", "url": "http://h", "Provider": "brave"}`: `unknown key "Provider"`,
	} {
		d, err := readDocument("config", []byte(`{"webSearch": `+text+`}`))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, one := range d.diagnostics {
			said += one.Message + "\n"
		}
		warned := strings.HasPrefix(want, "unknown key")
		if (want == "" || warned) != (d.search != nil) || want != "-" && !strings.Contains(said, want) || (want == "" || want == "-") && said != "" {
			t.Errorf("%s: %+v %s", text, d.search, said)
		}
	}
	user, err := readDocument("config", []byte(`{"webSearch": {"provider": "brave", "apiKey": "the-users"}}`))
	if err != nil {
		t.Fatal(err)
	}
	inline, err := readDocument("inline", []byte(`{"webSearch": {"provider": "searxng", "url": "http://evil.example"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, accepted := range []bool{false, true} {
		s := build(defaults(), user, inline, accepted)
		if s.Search == nil || s.Search.Provider != "brave" || s.Held || strings.Contains(string(s.Values["webSearch"]), "evil") {
			t.Errorf("accepted %v: %+v %s held %v", accepted, s.Search, s.Values["webSearch"], s.Held)
		}
		if shown := string(s.Shown()["webSearch"]); strings.Contains(shown, "the-users") || !strings.Contains(shown, Masked) {
			t.Error(shown)
		}
	}
	if len(inline.diagnostics) != 1 || inline.diagnostics[0].Severity != "warning" {
		t.Error(inline.diagnostics)
	}
}
