package control

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func serversOf(t *testing.T, text string) ([]MCPServer, []Diagnostic) {
	t.Helper()
	d, err := readDocument("config", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := build(d, nil, false)
	return s.Servers, s.Diagnostics
}

func TestServers(t *testing.T) {
	long := strings.Repeat("a", MaxServerName)
	for _, row := range []struct{ name, entry, want string }{
		{"files", `{"command": ["npx", "-y", "x"], "env": {"A": "b"}}`, ""},
		{"abs", `{"command": ["/usr/bin/x"]}`, ""},
		{"win", `{"command": ["C:\\x\\y.exe"]}`, ""},
		{"web", `{"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer x"}, "timeoutMs": 600000}`, ""},
		{long, `{"command": ["x"]}`, ""},
		{long + "a", `{"command": ["x"]}`, "its name may only have letters"},
		{"a_b", `{"command": ["x"]}`, "its name may only have letters"},
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
		{"a", `{"url": "https://u:p@x"}`, "must not hold a user"},
		{"a", `{"url": "https://x", "headers": {"A": "b\r\nC: d"}}`, "header"},
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
	if len(servers) != 2 || len(found) != 1 || !strings.Contains(found[0].Message, "another one has that name") {
		t.Errorf("%+v %v", servers, found)
	}
}

// Only a server of the user's own file is allowed by itself (ruling 46): one that
// came with the editor's settings asks even after a person said yes to them.
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
		s := build(user, row.inline, row.accepted)
		allow := false
		for _, r := range s.keyRules() {
			allow = allow || r == Rule{Domain: "mcp", Pattern: "mcp:mine/*", Decision: "allow"}
		}
		if len(s.Servers) != 1 || s.Servers[0].Command[0] != row.command || allow != row.allow {
			t.Errorf("accepted %v: %+v, allowed %v", row.accepted, s.Servers, allow)
		}
	}
}

func TestToolFile(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"// says hello\n{\"description\": \"d\", \"schema\": {\"type\": \"object\"}, \"domain\": \"web_fetch\", \"command\": [\"x\"], \"timeoutMs\": 5,}", ""},
		{"\xef\xbb\xbf{\"description\": \"d\", \"command\": [\"x\"]}", ""},
		{``, "1:1 tool.jsonc must be an object"},
		{`[]`, "1:1 tool.jsonc must be an object"},
		{"{\n  oops\n}", "2:3 "},
		{"{\n  \"command\": [\"x\"]\n}", "1:1 description is missing"},
		{"{\"description\": \" \",\n \"command\": [\"x\"]}", "1:17 description is missing"},
		{"{\"description\": \"d\",\n \"command\": []}", "2:13 command must be a list"},
		{"{\"description\": \"d\",\n \"command\": [\"../x\"]}", "2:13 the program ../x must be"},
		{"{\"description\": \"d\",\n \"command\": [\"./../x\"]}", "2:13 the program ./../x must be"},
		{"{\"description\": \"d\",\n \"command\": [\"x/y\"]}", "2:13 the program x/y must be"},
		{"{\"description\": \"d\",\n \"command\": \"x\"}", "1:1 tool.jsonc cannot be read"},
		{"{\"description\": \"d\",\n \"domain\": \"internal\", \"command\": [\"x\"]}", "2:12 there is no permission domain \"internal\""},
		{"{\"description\": \"d\",\n \"schema\": true, \"command\": [\"x\"]}", "2:12 schema must be an object"},
		{"{\"description\": \"d\",\n \"timeoutMs\": 600001, \"command\": [\"x\"]}", "2:15 timeoutMs must be from 1 to 600000"},
		{`{"description": "d", "command": ["x"], "command": ["y"]}`, "1:1 tool.jsonc cannot be read"},
		{strings.Repeat("[", 200_000), "nested more than"},
		{strings.Repeat(" ", maxConfigBytes+1), "larger than 256 KiB"},
	} {
		f, found, ok := ReadToolFile([]byte(row.text))
		got := ""
		if len(found) > 0 {
			got = fmt.Sprintf("%d:%d %s", found[0].Line, found[0].Column, found[0].Message)
		}
		switch {
		case row.want == "" && (!ok || got != "" || f.Description != "d" || f.Command[0] != "x"):
			t.Errorf("%.60s: %+v %s", row.text, f, got)
		case row.want != "" && (ok || !strings.Contains(got, row.want)):
			t.Errorf("%.60q: %s, want %s", row.text, got, row.want)
		}
	}
	_, found, ok := ReadToolFile([]byte("{\"description\": \"d\", \"command\": [\"x\"],\n \"sandbox\": false}"))
	if !ok || len(found) != 1 || found[0].Severity != "warning" || found[0].Line != 2 {
		t.Errorf("%v %v", found, ok)
	}
}

// What stands for a whole domain is judged by that domain's rules.
func TestToolFileObject(t *testing.T) {
	for _, row := range []struct {
		domain, rule, want string
	}{
		{"", "", ""}, {"tool", "", ""},
		{"read", "", "allow"}, {"edit", "", "allow"}, {"bash", "", "ask"}, {"web_fetch", "", "allow"}, {"mcp", "", "ask"},
		{"edit", "vault:/**", "deny"}, {"bash", "*", "deny"}, {"web_fetch", "*", "deny"},
	} {
		f := ToolFile{Domain: row.domain, Command: []string{"x", "y"}}
		object := f.Object("hello")
		if row.want == "" {
			if object != "" {
				t.Errorf("%s: %s", row.domain, object)
			}
			continue
		}
		layers := []Layer{BuiltInLayer()}
		if row.rule != "" {
			layers = append(layers, Layer{Source: "config", Rules: []Rule{{Domain: row.domain, Pattern: row.rule, Decision: "deny"}}})
		}
		plan := &tool.Plan{Tool: "hello", Effect: tool.Exec, Targets: []tool.Target{{Domain: row.domain, Object: object}}}
		if d := NewPolicy(Facts{Layers: layers, Trusted: true, Roots: []string{"/w"}}).Decide(plan); d.Verdict.String() != row.want {
			t.Errorf("%s with %q: %s", object, row.rule, d.Reason)
		}
	}
}
