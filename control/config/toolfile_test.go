package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
		{strings.Repeat(" ", maxBytes+1), "larger than 256 KiB"},
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
		domain     tool.Domain
		rule, want string
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
		layers := []control.Layer{control.BuiltInLayer()}
		if row.rule != "" {
			layers = append(layers, control.Layer{Source: "config", Rules: []control.Rule{{Domain: row.domain, Pattern: row.rule, Decision: "deny"}}})
		}
		plan := &tool.Plan{Tool: "hello", Effect: tool.Exec, Targets: []tool.Target{{Domain: row.domain, Object: object}}}
		if d := control.NewPolicy(control.Facts{Layers: layers, Mode: tool.ModeAgent, Trusted: true, Roots: []string{"/w"}}).Decide(plan); d.Verdict.String() != row.want {
			t.Errorf("%s with %q: %s", object, row.rule, d.Reason)
		}
	}
}
