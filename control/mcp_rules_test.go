package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A tool of a server is judged by its own name and by the one that a model has for it.
func TestRulesForToolsOfServers(t *testing.T) {
	const own, cleaned = "mcp:one/x.y", "mcp:one/x-y_12345678"
	rule := func(pattern, decision string) Rule {
		return Rule{Domain: "mcp", Pattern: pattern, Decision: decision}
	}
	for i, row := range []struct {
		rules []Rule
		want  Verdict
	}{
		{nil, Ask},
		{[]Rule{rule(own, "allow")}, Allow},
		{[]Rule{rule(cleaned, "allow")}, Allow},
		{[]Rule{rule("mcp:one/*", "allow")}, Allow},
		{[]Rule{rule("mcp:one/*", "allow"), rule(own, "deny")}, Deny},
		{[]Rule{rule("mcp:one/*", "allow"), rule("one/x.*", "deny")}, Deny},
		{[]Rule{rule("mcp:one/*", "allow"), rule(own, "ask")}, Ask},
		{[]Rule{rule("mcp:one/*", "allow"), rule(cleaned, "deny")}, Deny},
		{[]Rule{rule("mcp:*", "deny"), rule(own, "allow")}, Allow},
		{[]Rule{rule("mcp:*", "deny"), rule(cleaned, "allow")}, Allow},
		{[]Rule{rule(own, "deny"), rule("mcp:one/*", "allow")}, Allow}, // the last one counts
		{[]Rule{rule(cleaned, "deny"), rule(own, "allow")}, Deny},
		{[]Rule{rule(own, "deny"), rule(cleaned, "allow")}, Deny},
		{[]Rule{rule(own, "ask"), rule(cleaned, "allow")}, Ask},
		{[]Rule{rule("mcp:two/x.y", "allow")}, Ask},
	} {
		plan := &tool.Plan{Tool: "mcp__one__x-y_12345678", Effect: tool.Net, Targets: []tool.Target{{Domain: "mcp", Object: own}}}
		f := Facts{Trusted: true, Mode: "agent", Layers: []Layer{{Source: "config", Rules: row.rules}}}
		if got := newPolicy(f).Decide(plan); got.Verdict != row.want {
			t.Errorf("%d: %v: %s", i, got.Verdict, got.Reason)
		}
		f.Layers = []Layer{{Source: "config", Rules: []Rule{rule("mcp:one/*", "allow")}}}
		f.Ceiling = row.rules
		want := row.want
		if len(row.rules) == 1 && row.rules[0].Pattern == "mcp:two/x.y" {
			want = Allow // a ceiling that says nothing of it takes nothing
		}
		if got := newPolicy(f).Decide(plan); row.rules != nil && got.Verdict != want {
			t.Errorf("%d as a ceiling: %v: %s", i, got.Verdict, got.Reason)
		}
	}
}

func TestOtherName(t *testing.T) {
	for _, row := range []struct{ object, called, want string }{
		{"mcp:one/find", "mcp__one__find", ""},
		{"mcp:one/x.y", "mcp__one__x-y_1", "mcp:one/x-y_1"},
		{"mcp:a__b/c", "mcp__a--b-12345678__c", ""},
		{"mcp:a/_b", "mcp__a___b", ""},
		{"mcp:a/b/c", "mcp__a__b-c_1", "mcp:a/b-c_1"},
		{"mcp:one/x", "external", ""},
	} {
		if got := otherName(tool.Target{Domain: "mcp", Object: row.object}, row.called); got != row.want {
			t.Errorf("%s as %s: %q", row.object, row.called, got)
		}
	}
}
