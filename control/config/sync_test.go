package config

import (
	"strings"
	"testing"
)

// What the server of copies may be, and that only the user's own file names one: what is
// said in sessions is sent there.
func TestSyncConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"url": "tls://nats.example.org:4222", "credentials": "me.creds", "workspaces": {"/w": "w", "/x": ""}}`: "",
		`{"url": "tls://nats.example.org", "ca": "~/ca.pem", "credentials": "/etc/me.creds"}`:                    "",
		`{"url": "nats://127.0.0.1:4222"}`:                   "",
		`{"url": "nats://[::1]:4222/"}`:                      "",
		`{"url": "nats://localhost"}`:                        "",
		`{"url": "tls://h", "password": "x"}`:                `unknown key "password"`,
		`{"credentials": "x"}`:                               "needs a url",
		`{"url": 7}`:                                         "cannot be read",
		`{"url": "nats.example.org:4222"}`:                   "must begin with tls://",
		`{"url": "https://nats.example.org"}`:                "must begin with tls://",
		`{"url": "nats://nats.example.org:4222"}`:            "unless the server is on this machine",
		`{"url": "nats://localhost.example.org"}`:            "unless the server is on this machine",
		`{"url": "nats://10.0.0.1"}`:                         "unless the server is on this machine",
		`{"url": "tls://me:secret@nats.example.org"}`:        "must not contain a user or password",
		`{"url": "tls://nats.example.org/x?tls=off"}`:        "must end behind its port",
		`{"url": "tls://h", "credentials": "../me.creds"}`:   "must be absolute",
		`{"url": "tls://h", "ca": "a/b"}`:                    "must be absolute",
		`{"url": "tls://h", "workspaces": {"w": "w"}}`:       "is not an absolute path",
		`{"url": "tls://h", "workspaces": {"/w/../x": "w"}}`: "is not an absolute path",
		`{"url": "tls://h", "workspaces": {"/w": " w"}}`:     "blanks around it",
	} {
		d, err := readDocument("config", []byte(`{"sync": `+text+`}`))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, one := range d.diagnostics {
			said += one.Message + "\n"
		}
		usable := want == "" || strings.HasPrefix(want, "unknown key")
		if usable != (d.sync != nil) || !strings.Contains(said, want) || want == "" && said != "" || strings.Contains(said, "secret") {
			t.Errorf("%s: %+v %s", text, d.sync, said)
		}
	}
	own, err := readDocument("config", []byte(`{"sync": {"url": "tls://mine"}}`))
	if err != nil {
		t.Fatal(err)
	}
	inline, err := readDocument("inline", []byte(`{"sync": {"url": "tls://evil"}}`))
	if err != nil || len(inline.diagnostics) != 1 {
		t.Fatalf("%v %v", err, inline.diagnostics)
	}
	for _, accepted := range []bool{false, true} {
		if s := build(defaults(), own, inline, accepted); s.Sync == nil || s.Sync.URL != "tls://mine" || strings.Contains(string(s.Values["sync"]), "evil") || s.Held {
			t.Errorf("accepted %v: %+v", accepted, s.Sync)
		}
	}
}
