package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Full access answers what would be asked and nothing that is denied.
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
		"leaving the sandbox":      {&tool.Plan{Tool: "bash", Effect: tool.Exec, Command: "ls", Dir: "/home/u/p", Needs: tool.Needs{tool.NeedUnconfined}, Targets: []tool.Target{{Domain: "bash", Object: "shell:ls"}}}, Deny, "mode"},
		"a doom loop":              {planOf("doom_loop", "*", tool.Read), Ask, "default"},
		"a limit":                  {planOf("limit", "*", tool.Read), Ask, "default"},
		"the configuration":        {planOf("config", "*", tool.Read), Ask, "default"},
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

// TestAskFirst: mode ask, and one that is not known, ask about what is allowed only by default, in
// the domains that change something or reach out. Rules and answers of a person allow, the sandbox does not.
func TestAskFirst(t *testing.T) {
	for name, row := range map[string]struct {
		plan *tool.Plan
		want Verdict
		by   string
	}{
		"an edit":                      {filePlan("edit", "vault:/a.go"), Ask, "mode"},
		"an edit that a rule allows":   {filePlan("edit", "vault:/gen/a.go"), Allow, "rule"},
		"an edit of a protected file":  {filePlan("edit", "vault:/.git/config"), Ask, "default"},
		"an edit outside":              {filePlan("edit", "fs:/etc/hosts"), Deny, "default"},
		"an edit that was granted":     {filePlan("edit", "vault:/b.go"), Allow, "rule"},
		"a read":                       {filePlan("read", "vault:/a.go"), Allow, "default"},
		"a page":                       {planOf("web_fetch", "url:https://go.dev/x", tool.Net), Ask, "mode"},
		"a search of the web":          {planOf("web_search", "x", tool.Net), Allow, "default"},
		"the sidecar's own":            {planOf("internal", "x", tool.Read), Allow, "default"},
		"a tool":                       {planOf("tool", "tool:deploy", tool.Exec), Ask, "default"},
		"a command":                    {bashPlan("ls"), Ask, "default"},
		"a command that a rule allows": {bashPlan("git status"), Allow, "rule"},
		"a command of a rule that writes what none names": {bashPlan("git status > a.txt"), Ask, "mode"},
		"a wrapper of one": {bashPlan("timeout 5 git status"), Allow, "rule"},
		"a hard limit":     {bashPlan("sudo rm -rf /"), Deny, "hard_limit"},
	} {
		for _, mode := range []tool.Mode{tool.ModeAsk, "", "of a later version"} {
			f := baseFacts(Rule{Domain: "edit", Pattern: "vault:gen/**", Decision: "allow"}, Rule{Domain: "bash", Pattern: "git status*", Decision: "allow"})
			f.Grants = []Rule{{Domain: "edit", Pattern: "vault:/b.go", Decision: "allow"}}
			f.Mode, f.Sandbox = mode, Sandbox{Unasked: true, Whole: true, Offline: true, GitKept: true}
			if d := decide(f, row.plan); d.Verdict != row.want || d.By != row.by {
				t.Errorf("%s in mode %q: %s by %s (%s)", name, mode, d.Verdict, d.By, d.Reason)
			}
		}
	}
	f := baseFacts()
	f.Sandbox = Sandbox{Unasked: true, Whole: true, Offline: true, GitKept: true}
	if d := decide(f, bashPlan("ls")); d.By != BySandbox {
		t.Errorf("in mode agent the sandbox does not answer here: %s", d.Reason)
	}
	f.Mode = tool.ModeAsk
	if d := decide(f, filePlan("edit", "vault:/a.go")); len(d.Always) == 0 {
		t.Error("an edit cannot be allowed for longer than once")
	}
	full := f
	full.Mode = tool.ModeFullAccess // of a child whose parent asks
	if d := Strictest(NewPolicy(full), NewPolicy(f)).Decide(filePlan("edit", "vault:/a.go")); d.Verdict != Ask {
		t.Error("a child has more than its parent")
	}
}
