package config

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the way out may be. What cannot be used is not passed by, and a password is in no
// diagnostic.
func TestNetworkConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"proxy": "http://proxy.corp:3128"}`: "",
		`{"proxy": "http://me:hunter22@proxy.corp:3128/", "noProxy": [".corp", "10.0.0.0/8", "h:81"]}`: "",
		`{"proxy": "socks5://127.0.0.1:1080", "proxyResolves": true}`:                                  "",
		`{"proxy": "none", "caFile": "~/corp.pem"}`:                                                    "",
		`{"certFile": "me.pem", "keyFile": "/k/me.key", "certHosts": ["gw.corp", "*.corp"]}`:           "",
		`{"proxy": "proxy.corp:3128"}`:                                                                 `proxy must be "none", or begin with http://`,
		`{"proxy": "ftp://me:hunter22@proxy"}`:                                                         "proxy must be",
		`{"proxy": "http://me:hunter22@"}`:                                                             "proxy must be",
		`{"proxy": "http://me:hunter22 x@[proxy"}`:                                                     "proxy must be",
		`{"proxy": "http://me:hunter22@proxy/path"}`:                                                   "must end behind its port",
		`{"proxy": 7}`:                                  "cannot be read",
		`"http://me:hunter22@proxy"`:                    "must be an object",
		`{"noProxy": "corp"}`:                           "cannot be read",
		`{"noProxy": ["a,b"]}`:                          "noProxy must be hosts",
		`{"noProxy": ["http://a"]}`:                     "noProxy must be hosts",
		`{"proxyResolves": true}`:                       "proxyResolves needs a proxy",
		`{"proxy": "none", "proxyResolves": true}`:      "proxyResolves needs a proxy",
		`{"caFile": "../corp.pem"}`:                     "must be absolute",
		`{"keyFile": "me.key"}`:                         "need a certFile",
		`{"certHosts": ["a"]}`:                          "need a certFile",
		`{"certFile": "a", "certHosts": ["*"]}`:         "certHosts must be hosts",
		`{"certFile": "a", "certHosts": ["https://a"]}`: "certHosts must be hosts",
		`{"proxy": "none", "pasword": "hunter22"}`:      `unknown key "pasword" of network`,
	} {
		d, err := readDocument("config", []byte(`{"network": `+text+`}`))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, one := range d.diagnostics {
			said += one.Message + "\n"
		}
		usable := want == "" || strings.HasPrefix(want, "unknown key")
		s := build(defaults(), d, nil, false)
		switch {
		case s.Network == nil || usable != (s.Network.Broken == ""):
			t.Errorf("%s: %+v", text, s.Network)
		case !usable && !strings.Contains(said, "nothing is connected to but this machine"):
			t.Errorf("%s: it is not said what follows: %s", text, said)
		case !strings.Contains(said, want), want == "" && said != "", strings.Contains(said, "hunter22"):
			t.Errorf("%s: %s", text, said)
		}
	}
	for _, text := range []string{`{}`, `{"network": null}`, `{"network": {}}`} {
		d, err := readDocument("config", []byte(text))
		if err != nil || d.network != nil {
			t.Error(text, d.network, err)
		}
	}
}

// A project's settings cannot name a proxy, no matter who says yes to them: it would read all
// that is said, and a trusted authority would let it.
func TestNetworkIsThePersonsOwn(t *testing.T) {
	none, err := readDocument("config", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"proxy": "http://evil.example:1", "caFile": "/evil.pem"}`, `"evil"`} {
		inline, err := readDocument("inline", []byte(`{"network": `+text+`}`))
		if err != nil || len(inline.diagnostics) != 1 {
			t.Fatalf("%v %v", err, inline.diagnostics)
		}
		for _, accepted := range []bool{false, true} {
			if s := build(defaults(), none, inline, accepted); s.Network != nil || s.Held || strings.Contains(string(s.Values["network"]), "evil") {
				t.Errorf("accepted %v: %+v", accepted, s.Network)
			}
		}
	}
}

// A proxy's user and password are shown to nobody, however they are written; the place of a key
// is no secret.
func TestBypassProxyPasswordIsShown(t *testing.T) {
	for _, proxy := range []string{"http://me:hunter22@proxy.corp:3128", "http://me:p@hunter22@proxy.corp:3128", "socks5://hunter22@proxy.corp", "http://me:hunter22@pro xy", "me:hunter22@proxy.corp"} {
		s, _ := openStore(t, `{"network": {"proxy": "`+proxy+`", "certFile": "/c/me.pem", "keyFile": "/k/me.key"}}`)
		shown := string(s.Settings().Shown()["network"])
		if strings.Contains(shown, "hunter22") || !strings.Contains(shown, Masked+"@pro") || !strings.Contains(shown, "/k/me.key") {
			t.Errorf("%s: %s", proxy, shown)
		}
		for _, d := range s.Settings().Diagnostics {
			if strings.Contains(d.Message, "hunter22") {
				t.Errorf("%s: %s", proxy, d.Message)
			}
		}
	}
	s, _ := openStore(t, `{"network": {"proxy": "http://me:hunter%4022@proxy.corp", "certFile": "/c/me.pem", "keyFile": "/k/me.key"}}`)
	got := s.Settings().SecretValues(func(string) string { return "" })
	if !slices.Equal(got, []string{"hunter%4022", "hunter@22"}) {
		t.Errorf("%q", got)
	}
}

// What is wrong with the files is said where they are named.
func TestNetworkFilesAreLookedAt(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "config.jsonc"), "{\n  \"network\": {\"caFile\": \"gone.pem\"}\n}\n")
	asked := ""
	store, err := Open(home, Options{Network: func(s *Settings) []error {
		asked = s.Network.CAFile
		return []error{errors.New("gone.pem cannot be used")}
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := store.Settings().Diagnostics
	if asked != "gone.pem" || len(d) != 1 || !strings.HasSuffix(d[0].String(), "config.jsonc:2:14: gone.pem cannot be used; connections that need it fail") {
		t.Errorf("%q %v", asked, d)
	}
}
