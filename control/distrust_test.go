package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What asks once text from outside is in the conversation, and what in a folder
// that nobody trusts, even where a rule or a grant allows it.
func TestTrustAndTaint(t *testing.T) {
	needs := bashPlan("make")
	needs.Needs = tool.Needs{tool.NeedNetwork}
	all := append(allowBash("*"), rule("tool", "*", "allow"), rule("edit", "vault:**", "allow"), rule("edit", "vault:.git/**", "allow"), rule("edit", "AGENTS.md", "allow"),
		rule("edit", "vault:.github/**", "allow"), rule("edit", "vault:.agent/**", "allow"), rule("web_fetch", "*", "allow"), rule("web_fetch", "url:https://named.example/**", "allow"))
	for name, row := range map[string]struct {
		plan               *tool.Plan
		untrusted, tainted Verdict
		once               bool // only `once` is offered in a tainted run
	}{
		"a file that is read":             {filePlan("read", "vault:/a.go"), Allow, Allow, false},
		"of our own":                      {filePlan("internal", "tool:task"), Allow, Allow, false},
		"a command":                       {bashPlan("make"), Ask, Allow, false},
		"a command that only looks":       {bashPlan("ls"), Ask, Allow, false},
		"a command that uses the network": {bashPlan("curl https://x.example"), Ask, Ask, true},
		"hidden in a list":                {bashPlan("make; git push"), Ask, Ask, true},
		"hidden in a substitution":        {bashPlan("make $(curl https://x.example)"), Ask, Ask, true},
		"granted the network":             {needs, Ask, Ask, true},
		"an external tool":                {planOf("tool", "tool:x", tool.Exec), Ask, Allow, false},
		"an edit":                         {filePlan("edit", "vault:/a.go"), Ask, Allow, false},
		"git configuration":               {filePlan("edit", "vault:/.git/config"), Ask, Ask, true},
		"a git hook":                      {filePlan("edit", "vault:/.git/hooks/pre-commit"), Ask, Ask, true},
		"agent configuration":             {filePlan("edit", "vault:/AGENTS.md"), Ask, Ask, true},
		"CI configuration":                {filePlan("edit", "vault:/.github/workflows/a.yml"), Ask, Ask, true},
		"by redirection":                  {bashPlan("echo x > .git/config"), Ask, Ask, true},
		"memory":                          {memoryPlan("vault:/.agent/MEMORY.md"), Ask, Ask, true},
		"a file beside memory":            {memoryPlan("vault:/.agent/x.md"), Ask, Ask, true},
		"a named host":                    {planOf("web_fetch", "url:https://named.example/a?b", tool.Net), Ask, Allow, false},
		"another host":                    {planOf("web_fetch", "url:https://other.example/a?b", tool.Net), Ask, Ask, false},
		"a host that begins the same":     {planOf("web_fetch", "url:https://named.example.evil.example/a?b", tool.Net), Ask, Ask, false},
	} {
		f := baseFacts(all...)
		if d := decide(f, row.plan); d.Verdict != Allow && len(row.plan.Needs) == 0 {
			t.Errorf("%s: %s", name, d.Reason)
		}
		f.Trusted = false
		if d := decide(f, row.plan); d.Verdict != row.untrusted || len(d.Always) > 0 {
			t.Errorf("%s, untrusted: %s, always %v (%s)", name, d.Verdict, d.Always, d.Reason)
		}
		f.Trusted, f.Tainted = true, true
		d := decide(f, row.plan)
		if d.Verdict != row.tainted || d.OnceOnly != row.once || len(d.Always) > 0 {
			t.Errorf("%s, tainted: %s, once only %v, always %v (%s)", name, d.Verdict, d.OnceOnly, d.Always, d.Reason)
		}
		if row.tainted == Ask && row.once { // the grant of a moment ago
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
			t.Errorf("%s, tainted in full access: %s", name, d.Reason)
		}
		f.Trusted = false
		if d := decide(f, row.plan); d.Verdict != row.untrusted {
			t.Errorf("%s, full access in an untrusted folder: %s", name, d.Reason)
		}
		f.Trusted, f.Mode, f.Sandbox.Offline = true, "agent", false
		if d := decide(f, row.plan); row.plan.Command != "" && d.Verdict != Ask {
			t.Errorf("%s, where nothing takes the network away: %s", name, d.Verdict)
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
