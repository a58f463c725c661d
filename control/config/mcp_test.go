package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

func serversOf(t *testing.T, text string) ([]MCPServer, []Diagnostic) {
	t.Helper()
	d, err := readDocument("config", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := build(defaults(), d, nil, false)
	return s.Servers, s.Diagnostics
}

func TestServers(t *testing.T) {
	long := strings.Repeat("a", maxServerName)
	for _, row := range []struct{ name, entry, want string }{
		{"files", `{"command": ["npx", "-y", "x"], "env": {"A": "b"}}`, ""},
		{"abs", `{"command": ["/usr/bin/x"]}`, ""},
		{"win", `{"command": ["C:\\x\\y.exe"]}`, ""},
		{"web", `{"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer x"}, "timeoutMs": 600000}`, ""},
		{long, `{"command": ["x"]}`, ""},
		{long + "a", `{"command": ["x"]}`, "its name may only have letters"},
		{"a__b", `{"command": ["x"]}`, ""},
		{"a.b", `{"command": ["x"]}`, "its name may only have letters"},
		{"", `{"command": ["x"]}`, "its name may only have letters"},
		{"*", `{"command": ["x"]}`, "its name may only have letters"},
		{"é", `{"command": ["x"]}`, "its name may only have letters"},
		{"../x", `{"command": ["x"]}`, "its name may only have letters"},
		{"a", `7`, "must be an object"},
		{"a", `{}`, "needs either command or url"},
		{"a", `{"command": ["x"], "url": "https://a"}`, "needs either command or url"},
		{"a", `{"command": []}`, "needs either command or url"},
		{"a", `{"command": [""]}`, "begins with a program"},
		{"a", `{"command": "x y"}`, "cannot be read"},
		{"a", `{"command": ["./x"]}`, "absolute path"},
		{"a", `{"command": ["bin/x"]}`, "absolute path"},
		{"a", `{"command": ["x", "\u0000"]}`, "NUL"},
		{"a", `{"command": ["x"], "env": {"A=B": "c"}}`, "environment variable"},
		{"a", `{"command": ["x"], "timeoutMs": 600001}`, "timeoutMs must be from 1 to 600000"},
		{"a", `{"command": ["x"], "timeoutMs": -1}`, "timeoutMs must be from 1"},
		{"a", `{"command": ["x"], "comand": 1}`, `unknown key "comand"`},
		{"a", `{"url": "ftp://x"}`, "http:// or https://"},
		{"a", `{"url": "https:///x"}`, "name a host"},
		{"a", `{"url": "https://u:p@x"}`, "must not contain a user"},
		{"a", `{"url": "https://x", "headers": {"A": "b\r\nC: d"}}`, "header"},
		{"web", `{"url": "https://x", "oauth": {"clientId": "a", "clientSecretEnv": "B", "scopes": ["c", "d:e"]}}`, ""},
		{"web", `{"url": "https://x", "headers": {"X-A": "b"}, "oauth": {}}`, ""},
		{"a", `{"url": "https://x", "oauth": {"clientID": "a"}}`, `unknown key "clientID"`},
		{"a", `{"url": "https://x", "oauth": 7}`, "cannot be read"},
		{"a", `{"url": "https://x", "headers": {"authorization": "Bearer x"}, "oauth": {}}`, "keep one of them"},
		{"a", `{"url": "https://x", "oauth": {"clientSecretEnv": "B"}}`, "needs oauth.clientId"},
		{"a", `{"url": "https://x", "oauth": {"clientId": "a", "clientSecretEnv": "B=C"}}`, "the name of an environment variable"},
		{"a", `{"url": "https://x", "oauth": {"clientId": "a\nb"}}`, "clientId is not valid"},
		{"a", `{"url": "https://x", "oauth": {"scopes": ["a b"]}}`, "the scope"},
		{"a", `{"command": ["x"], "oauth": {}}`, "oauth is for a url"},
	} {
		servers, found := serversOf(t, fmt.Sprintf("{\"mcp\": {\n  %q: %s}}", row.name, row.entry))
		switch {
		case row.want == "" && (len(servers) != 1 || len(found) > 0 || servers[0].Name != row.name || servers[0].Line != 2 || servers[0].Column != 3):
			t.Errorf("%s %s: %+v %v", row.name, row.entry, servers, found)
		case row.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, row.want) || found[0].Line != 2):
			t.Errorf("%s %s: %+v %v, want %s", row.name, row.entry, servers, found, row.want)
		}
	}
	servers, found := serversOf(t, `{"mcp": {"a": {"command": ["x"]}, "A": {"command": ["y"]}, "b": {"command": ["z"]}}}`)
	if len(servers) != 3 || len(found) != 0 {
		t.Errorf("%+v %v", servers, found)
	}
}

// Only a server of the user's own file is allowed by itself: one that came with
// the editor's settings asks even after a person said yes to them.
func TestOnlyTheUsersServersAreAllowed(t *testing.T) {
	user, err := readDocument("config", []byte(`{"mcp": {"mine": {"command": ["x"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	inline, err := readDocument("inline", []byte(`{"mcp": {"mine": {"command": ["evil"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		inline   *document
		accepted bool
		command  string
		allow    bool
	}{{nil, false, "x", true}, {inline, false, "x", true}, {inline, true, "evil", false}} {
		s := build(defaults(), user, row.inline, row.accepted)
		allow := false
		for _, r := range s.keyRules() {
			allow = allow || r == control.Rule{Domain: "mcp", Pattern: "mcp:mine/*", Decision: "allow"}
		}
		if len(s.Servers) != 1 || s.Servers[0].Command[0] != row.command || allow != row.allow {
			t.Errorf("accepted %v: %+v, allowed %v", row.accepted, s.Servers, allow)
		}
	}
}
