package control

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// everyClass is one call of each class of tools that change something or act
// outside.
var everyClass = map[string]*tool.Plan{
	"edit":            filePlan("edit", "vault:/a.go"),
	"edit outside":    filePlan("edit", "fs:/tmp/x"),
	"memory":          memoryPlan("vault:/.agent/MEMORY.md"),
	"bash":            bashPlan("touch c.txt"),
	"bash, looking":   bashPlan("ls"),
	"bash, wrapped":   bashPlan("timeout 5 env A=b nice ls"),
	"bash, dynamic":   bashPlan("$X y"),
	"bash, empty":     bashPlan("# nothing"),
	"bash, redirect":  bashPlan("> a.go"),
	"mcp":             planOf("mcp", "mcp:server/tool", tool.Net),
	"external tool":   planOf("tool", "tool:deploy", tool.Exec),
	"unknown domain":  planOf("deploy", "x", tool.Exec),
	"an unknown tool": {Tool: "x", Targets: []tool.Target{{Domain: "edit", Object: "vault:/a.go"}}},
	"nothing said":    {Tool: "x", Effect: tool.Write},
	"two targets": {Tool: "x", Effect: tool.Write, Targets: []tool.Target{
		{Domain: "read", Object: "vault:/a.go"}, {Domain: "edit", Object: "vault:/a.go"}}},
}

// The plan agent is read-only by permission: no rule, no grant, no mode and no answer
// opens one class of tools to it, nor to what it sends.
func TestPlanAgentMayNothing(t *testing.T) {
	everything := []Rule{}
	for _, d := range []tool.Domain{"read", "edit", "bash", "mcp", "tool", "web_fetch", "web_search"} {
		everything = append(everything, Rule{Domain: d, Pattern: "*", Decision: "allow"}, Rule{Domain: d, Pattern: "fs:/**", Decision: "allow"})
	}
	for _, name := range []string{"plan", "explore", "compaction"} {
		for _, mode := range []string{"agent", "full_access"} {
			for what, plan := range everyClass {
				f := baseFacts(everything...)
				f.Mode, f.Grants, f.Agent, f.Ceiling = tool.Mode(mode), everything, name, BuiltInCeiling(name)
				if d := decide(f, plan); d.Verdict != Deny {
					t.Errorf("%s, %s, %s: %s by %s", name, mode, what, d.Verdict, d.By)
				}
				// Sent by it, as an agent without any ceiling: the strictest of both.
				child := baseFacts(everything...)
				child.Mode, child.Grants = tool.Mode(mode), everything
				if d := Strictest(NewPolicy(child), NewPolicy(f)).Decide(plan); d.Verdict != Deny {
					t.Errorf("a child of %s, %s, %s: %s by %s", name, mode, what, d.Verdict, d.By)
				}
			}
		}
	}
	plan := baseFacts()
	plan.Agent, plan.Ceiling = "plan", BuiltInCeiling("plan")
	for object, want := range map[string]Verdict{"vault:/a.go": Allow, "vault:/.env": Ask, "fs:/etc/hosts": Ask} {
		if d := decide(plan, filePlan("read", object)); d.Verdict != want {
			t.Errorf("plan reads %s: %s", object, d.Reason)
		}
	}
}

// A ceiling that names a wrapper denies it, although wrappers are looked through:
// else `timeout 5 go test` would get round an agent's "timeout*".
func TestCeilingNamesAWrapper(t *testing.T) {
	f := baseFacts()
	f.Layers = append(slices.Clone(f.Layers), Layer{Source: "config", Rules: []Rule{{Domain: "bash", Pattern: "go *", Decision: "allow"}}})
	f.Rules = nil
	for _, c := range []struct {
		ceiling []Rule
		command string
		want    Verdict
	}{
		{nil, "timeout 5 go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "deny"}}, "timeout 5 go version", Deny},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "deny"}}, "go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "ask"}}, "timeout 5 go version", Ask},
		{[]Rule{{Domain: "bash", Pattern: "*", Decision: "deny"}, {Domain: "bash", Pattern: "go *", Decision: "allow"}}, "timeout 5 go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "*", Decision: "deny"}}, "timeout 5 go version", Deny},
	} {
		f.Agent, f.Ceiling = "a", c.ceiling
		if d := decide(f, bashPlan(c.command)); d.Verdict != c.want {
			t.Errorf("%s under %v is %s, want %s: %s", c.command, c.ceiling, d.Verdict, c.want, d.Reason)
		}
	}
}

// A no of the ceiling says whose it is, also to what a person has granted.
func TestCeilingSaysWhoseItIs(t *testing.T) {
	f := baseFacts()
	f.Mode, f.Agent, f.Ceiling = "full_access", "plan", BuiltInCeiling("plan")
	f.Grants = []Rule{rule("bash", "*", "allow"), rule("edit", "*", "allow")}
	for _, p := range []*tool.Plan{bashPlan("ls"), filePlan("edit", "vault:/a"), filePlan("mcp", "mcp:a/b"), filePlan("tool", "tool:a")} {
		d := decide(f, p)
		if d.Verdict != Deny || d.By != "agent" || d.Rule.Source != "agent:plan" || !strings.Contains(d.Reason.String(), `"plan"`) {
			t.Errorf("%v: %s by %s", p.Targets, d.Verdict, d.By)
		}
	}
	if d := decide(f, filePlan("read", "vault:/a")); d.Verdict != Allow {
		t.Error(d.Reason)
	}
}
