package control

import (
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func planOf(domain, object string, effect tool.Effect) *tool.Plan {
	return &tool.Plan{Tool: domain, Effect: effect, Targets: []tool.Target{{Domain: domain, Object: object}}}
}

// everyClass is one call of each class of tools that change something or act
// outside.
var everyClass = map[string]*tool.Plan{
	"edit":            filePlan("edit", "vault:/a.go"),
	"edit outside":    filePlan("edit", "fs:/tmp/x"),
	"memory":          {Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/MEMORY.md"}}},
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

// The plan agent is read-only by permission: no rule, no grant, no mode and no
// answer opens one class of tools to it, nor to what it sends (control §4, ruling 25).
func TestPlanAgentMayNothing(t *testing.T) {
	agents := BuiltInAgents()
	everything := []Rule{}
	for _, d := range []string{"read", "edit", "bash", "mcp", "tool", "web_fetch", "web_search"} {
		everything = append(everything, Rule{Domain: d, Pattern: "*", Decision: "allow"}, Rule{Domain: d, Pattern: "fs:/**", Decision: "allow"})
	}
	for _, name := range []string{"plan", "explore", "compaction"} {
		agent := agents[slices.IndexFunc(agents, func(a Agent) bool { return a.Name == name })]
		for _, mode := range []string{"agent", "full_access"} {
			for what, plan := range everyClass {
				f := baseFacts(everything...)
				f.Mode, f.Grants, f.Agent, f.Ceiling = mode, everything, name, agent.Ceiling
				if d := decide(f, plan); d.Verdict != Deny {
					t.Errorf("%s, %s, %s: %s by %s", name, mode, what, d.Verdict, d.By)
				}
				// Sent by it, as an agent without any ceiling: the strictest of both.
				child := baseFacts(everything...)
				child.Mode, child.Grants = mode, everything
				if d := Strictest(NewPolicy(child), NewPolicy(f)).Decide(plan); d.Verdict != Deny {
					t.Errorf("a child of %s, %s, %s: %s by %s", name, mode, what, d.Verdict, d.By)
				}
			}
		}
	}
	plan := baseFacts()
	plan.Agent, plan.Ceiling = "plan", agents[1].Ceiling
	for object, want := range map[string]Verdict{"vault:/a.go": Allow, "vault:/.env": Ask, "fs:/etc/hosts": Ask} {
		if d := decide(plan, filePlan("read", object)); d.Verdict != want {
			t.Errorf("plan reads %s: %s", object, d.Reason)
		}
	}
}

// Full access answers what would be asked and nothing that is denied (control §4).
func TestFullAccess(t *testing.T) {
	for name, row := range map[string]struct {
		plan *tool.Plan
		want Verdict
		by   string
	}{
		"a command":                {bashPlan("make"), Allow, "mode"},
		"a dynamic command":        {bashPlan("$X y"), Allow, "mode"},
		"a sensitive file":         {filePlan("read", "vault:/.env"), Allow, "mode"},
		"a file outside":           {filePlan("read", "fs:/etc/hosts"), Allow, "mode"},
		"git configuration":        {filePlan("edit", "vault:/.git/config"), Allow, "mode"},
		"a whole directory":        {&tool.Plan{Tool: "delete", Effect: tool.Write, Destructive: true, Targets: []tool.Target{{Domain: "edit", Object: "vault:/build"}}}, Allow, "mode"},
		"an external tool":         {planOf("tool", "tool:deploy", tool.Exec), Allow, "mode"},
		"what is allowed anyway":   {filePlan("read", "vault:/a.go"), Allow, "default"},
		"an edit outside":          {filePlan("edit", "fs:/etc/hosts"), Deny, "default"},
		"a rule's no":              {filePlan("read", "vault:/private/a"), Deny, "rule"},
		"a host that is not named": {planOf("web_fetch", "url:https://other.example/x", tool.Net), Deny, "rule"},
		"a hard limit":             {bashPlan("sudo rm -rf /"), Deny, "hard_limit"},
		"the sidecar's home":       {filePlan("read", "fs:/home/u/.agent-sidecar/config.jsonc"), Deny, "hard_limit"},
		"leaving the sandbox":      {&tool.Plan{Tool: "bash", Effect: tool.Exec, Command: "ls", Dir: "/home/u/p", Needs: "unconfined", Targets: []tool.Target{{Domain: "bash", Object: "shell:ls"}}}, Deny, "mode"},
		"a doom loop":              {planOf("doom_loop", "*", tool.Read), Ask, "default"},
		"a limit":                  {planOf("limit", "*", tool.Read), Ask, "default"},
		"an unknown domain":        {planOf("deploy", "x", tool.Exec), Deny, "default"},
	} {
		f := baseFacts(Rule{Domain: "read", Pattern: "vault:private/**", Decision: "deny"},
			Rule{Domain: "web_fetch", Pattern: "*", Decision: "deny"}, Rule{Domain: "web_fetch", Pattern: "url:https://good.example/**", Decision: "allow"})
		f.Mode = "full_access"
		d := decide(f, row.plan)
		if d.Verdict != row.want || d.By != row.by {
			t.Errorf("%s: %s by %s (%s)", name, d.Verdict, d.By, d.Reason)
		}
		f.Trusted = false // the mode outlived the trust
		if d := decide(f, row.plan); d.By == "mode" {
			t.Errorf("%s, untrusted: %s by mode", name, d.Verdict)
		}
		// A child may only narrow: where its parent has no full access, it has none.
		f.Trusted = true
		parent := f
		parent.Mode = "agent"
		if d := Strictest(NewPolicy(f), NewPolicy(parent)).Decide(row.plan); d.By == "mode" && d.Verdict == Allow {
			t.Errorf("%s: a child has more than its parent", name)
		}
	}
}

// In an untrusted folder a person's answer for this session holds for exactly
// what it was about; rules of the configuration do not hold at all.
func TestUntrustedGrant(t *testing.T) {
	f := baseFacts(allowBash("*")...)
	f.Trusted = false
	f.Grants = []Rule{{Domain: "bash", Pattern: "make test", Decision: "allow", Exact: true}, {Domain: "edit", Pattern: "vault:/a.go", Decision: "allow", Exact: true}}
	for _, row := range []struct {
		plan *tool.Plan
		want Verdict
	}{
		{bashPlan("make test"), Allow}, {bashPlan("make test && ls"), Ask}, {bashPlan("make tests"), Ask}, {bashPlan("ls"), Ask},
		{filePlan("edit", "vault:/a.go"), Allow}, {filePlan("edit", "vault:/b.go"), Ask}, {filePlan("read", "vault:/b.go"), Allow},
	} {
		d := decide(f, row.plan)
		if d.Verdict != row.want || len(d.Always) > 0 || d.Verdict == Ask && d.OnceOnly {
			t.Errorf("%v: %s, always %v, once only %v (%s)", row.plan.Targets, d.Verdict, d.Always, d.OnceOnly, d.Reason)
		}
	}
}

// Workspace §6: what asks once text from outside is in the conversation, even
// where a rule or a grant allows it, and what does not.
func TestTaint(t *testing.T) {
	memory := &tool.Plan{Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/MEMORY.md"}}}
	needs := bashPlan("make")
	needs.Needs = "network"
	all := append(allowBash("*"), Rule{Domain: "edit", Pattern: "vault:**", Decision: "allow"}, Rule{Domain: "edit", Pattern: "vault:.git/**", Decision: "allow"},
		Rule{Domain: "edit", Pattern: "AGENTS.md", Decision: "allow"}, Rule{Domain: "edit", Pattern: "vault:.github/**", Decision: "allow"}, Rule{Domain: "edit", Pattern: "vault:.agent/**", Decision: "allow"},
		Rule{Domain: "web_fetch", Pattern: "*", Decision: "allow"}, Rule{Domain: "web_fetch", Pattern: "url:https://named.example/**", Decision: "allow"})
	for name, row := range map[string]struct {
		plan *tool.Plan
		want Verdict
		once bool // only `once` is offered
	}{
		"a command":                       {bashPlan("make"), Allow, false},
		"a command that uses the network": {bashPlan("curl https://x.example"), Ask, true},
		"hidden in a list":                {bashPlan("make; git push"), Ask, true},
		"hidden in a substitution":        {bashPlan("make $(curl https://x.example)"), Ask, true},
		"granted the network":             {needs, Ask, true},
		"an edit":                         {filePlan("edit", "vault:/a.go"), Allow, false},
		"git configuration":               {filePlan("edit", "vault:/.git/config"), Ask, true},
		"a git hook":                      {filePlan("edit", "vault:/.git/hooks/pre-commit"), Ask, true},
		"agent configuration":             {filePlan("edit", "vault:/AGENTS.md"), Ask, true},
		"CI configuration":                {filePlan("edit", "vault:/.github/workflows/a.yml"), Ask, true},
		"by redirection":                  {bashPlan("echo x > .git/config"), Ask, true},
		"memory":                          {memory, Ask, true},
		"a named host":                    {planOf("web_fetch", "url:https://named.example/a?b", tool.Net), Allow, false},
		"another host":                    {planOf("web_fetch", "url:https://other.example/a?b", tool.Net), Ask, false},
		"a host that begins the same":     {planOf("web_fetch", "url:https://named.example.evil.example/a?b", tool.Net), Ask, false},
	} {
		f := baseFacts(all...)
		if d := decide(f, row.plan); d.Verdict != Allow && row.plan.Needs == "" {
			t.Errorf("%s, untainted: %s", name, d.Reason)
		}
		f.Tainted = true
		d := decide(f, row.plan)
		if d.Verdict != row.want || d.OnceOnly != row.once || len(d.Always) > 0 {
			t.Errorf("%s: %s, once only %v, always %v (%s)", name, d.Verdict, d.OnceOnly, d.Always, d.Reason)
		}
		if row.want == Ask && row.once { // the grant of a moment ago
			for _, target := range d.Targets {
				f.Grants = append(f.Grants, Rule{Domain: target.Domain, Pattern: target.Object, Decision: "allow", Exact: true})
			}
			if d := decide(f, row.plan); d.Verdict != Ask {
				t.Errorf("%s, granted for the session: %s", name, d.Verdict)
			}
			f.Grants = nil
		}
		f.Mode = "full_access"
		if d := decide(f, row.plan); d.Verdict != Allow {
			t.Errorf("%s, in full access: %s", name, d.Reason)
		}
		f.Mode, f.Offline = "agent", false
		if d := decide(f, row.plan); row.plan.Command != "" && d.Verdict != Ask {
			t.Errorf("%s, where nothing takes the network away: %s", name, d.Verdict)
		}
	}
}

// Trust is by resolved path: not for what lies inside a trusted folder, and all
// folders of the workspace need it.
func TestTrustOfFolders(t *testing.T) {
	home := t.TempDir()
	s, err := OpenStore(home, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.TrustedAll(nil) || s.TrustedAll([]string{"/v/a"}) {
		t.Error("trusted although nobody said so")
	}
	if err := s.TrustWorkspace("/v/a"); err != nil {
		t.Fatal(err)
	}
	again, err := OpenStore(home, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Store{s, again} {
		for _, row := range []struct {
			roots []string
			asked []string
		}{
			{[]string{"/v/a"}, nil}, {[]string{"/v/a/"}, nil}, {[]string{"/v/a/b"}, []string{"/v/a/b"}}, {[]string{"/v"}, []string{"/v"}}, {[]string{"/v/ab"}, []string{"/v/ab"}},
			{[]string{"/v/a", "/w"}, []string{"/w"}}, {[]string{"/w", "/v/a"}, []string{"/w"}}, {[]string{"/w", "/x"}, []string{"/w", "/x"}},
		} {
			if got := of.Untrusted(row.roots); !slices.Equal(got, row.asked) || of.TrustedAll(row.roots) != (len(row.asked) == 0) {
				t.Errorf("%v: %v", row.roots, got)
			}
		}
	}
	s.SetClientTrust(true)
	if !s.TrustedAll([]string{"/w", "/x"}) || !s.TrustedAll(nil) || again.TrustedAll([]string{"/w"}) {
		t.Error("the editor's word is for its own process and all of its folders")
	}
	if s.SetClientTrust(false); s.TrustedAll([]string{"/w"}) {
		t.Error("trusted although the editor took it back")
	}
}
