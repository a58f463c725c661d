package control

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func rule(domain, pattern, decision string) Rule {
	return Rule{Domain: domain, Pattern: pattern, Decision: decision}
}

// One row: what a call touches, the user's rules, the verdict.
func TestPolicyTable(t *testing.T) {
	for _, row := range []struct {
		domain, object string
		rules          []Rule
		want           Verdict
	}{
		// Defaults.
		{"read", "vault:/a.go", nil, Allow},
		{"read", "vault:/", nil, Allow},
		{"read", "vault@lib:/x/a.go", nil, Allow},
		{"read", "fs:/etc/passwd", nil, Ask},
		{"edit", "vault:/a.go", nil, Allow},
		{"edit", "vault@lib:/a.go", nil, Allow},
		{"edit", "fs:/etc/passwd", nil, Deny},
		{"bash", "shell:ls", nil, Ask},
		{"web_fetch", "url:https://go.dev/x", nil, Allow},
		{"web_search", "query:go", nil, Allow},
		{"mcp", "mcp:s/t", nil, Ask},
		{"tool", "tool:deploy", nil, Ask},
		{"internal", "tool:task", nil, Allow},
		{"doom_loop", "x", nil, Ask},
		{"limit", "x", nil, Ask},
		{"config", "x", nil, Ask},
		{"nothing", "x", nil, Deny},
		{"", "", nil, Deny},

		// Only a person answers these.
		{"doom_loop", "x", []Rule{rule("doom_loop", "*", "allow")}, Ask},
		{"config", "x", []Rule{rule("config", "*", "allow")}, Ask},
		{"limit", "x", []Rule{rule("limit", "*", "deny")}, Ask},
		{"internal", "tool:task", []Rule{rule("internal", "*", "deny")}, Allow},

		// The last match wins.
		{"read", "vault:/a.go", []Rule{rule("read", "*.go", "deny")}, Deny},
		{"read", "vault:/a.go", []Rule{rule("read", "*.go", "deny"), rule("read", "a.go", "allow")}, Allow},
		{"read", "vault:/a.go", []Rule{rule("read", "a.go", "allow"), rule("read", "*.go", "ask")}, Ask},
		{"read", "vault:/a.go", []Rule{rule("edit", "a.go", "deny")}, Allow},

		// Patterns of files.
		{"read", "vault:/x/a.md", []Rule{rule("read", "vault:**/*.md", "deny")}, Deny},
		{"read", "vault:/b.md", []Rule{rule("read", "vault:**/*.md", "deny")}, Deny},
		{"read", "vault:/x/b.md", []Rule{rule("read", "vault:*.md", "deny")}, Allow},
		{"read", "vault:/x/b.md", []Rule{rule("read", "vault:/x/*.md", "deny")}, Deny},
		{"read", "vault:/x/y/b.md", []Rule{rule("read", "vault:/x/*.md", "deny")}, Allow},
		{"read", "vault:/x/y/b.md", []Rule{rule("read", "x/**", "deny")}, Deny},
		{"read", "vault:/p/x/y/b.md", []Rule{rule("read", "x/**", "deny")}, Deny},
		{"read", "vault:/px/y/b.md", []Rule{rule("read", "x/**", "deny")}, Allow},
		{"read", "vault:/p/x/b.md", []Rule{rule("read", "/x/**", "deny")}, Allow},
		{"read", "vault:/x/b.md", []Rule{rule("read", "./x/b.md", "deny")}, Deny},
		{"read", "vault:/x/b.md", []Rule{rule("read", "x//b.md", "deny")}, Deny},
		{"read", "vault:/x/b.md", []Rule{rule("read", "x/", "deny")}, Deny},
		{"read", "vault:/b1.md", []Rule{rule("read", "b[0-9].{md,txt}", "deny")}, Deny},
		{"read", "vault:/b.md", []Rule{rule("read", "b?.md", "deny")}, Allow},
		{"read", "vault:/a/secret.txt", []Rule{rule("read", "regex:secret", "deny")}, Deny},
		{"read", "vault:/a/secret.txt", []Rule{rule("read", "regex:^vault:/a/s.*t$", "deny")}, Deny},
		{"read", "vault:/a*b", []Rule{{Domain: "read", Pattern: "vault:/a*b", Decision: "deny", Exact: true}}, Deny},
		{"read", "vault:/axb", []Rule{{Domain: "read", Pattern: "vault:/a*b", Decision: "deny", Exact: true}}, Allow},

		// Without a scheme an allow stays in the Vault; deny and ask reach all.
		{"read", "fs:/etc/hosts", []Rule{rule("read", "*", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "hosts", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "etc/hosts", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "/etc/hosts", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "regex:.*", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "vault:**", "allow")}, Ask},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "fs:/etc/hosts", "allow")}, Allow},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "fs:/etc/*", "allow")}, Allow},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "*", "deny")}, Deny},
		{"read", "fs:/etc/hosts", []Rule{rule("read", "hosts", "deny")}, Deny},
		{"edit", "fs:/etc/hosts", []Rule{rule("edit", "*", "allow")}, Deny},
		{"edit", "fs:/etc/hosts", []Rule{rule("edit", "fs:/**", "ask")}, Ask},
		{"read", "vault@lib:/x", []Rule{rule("read", "vault:/x", "deny")}, Deny},
		{"read", "vault@lib:/x", []Rule{rule("read", "vault@l*:/x", "deny")}, Deny},
		{"read", "vault@lib:/x", []Rule{rule("read", "vault@other:/x", "deny")}, Allow},

		// Sensitive files: a wide allow does not open them, a named one does.
		{"read", "vault:/.env", nil, Ask},
		{"read", "vault:/x/.ENV.Local", nil, Ask},
		{"read", "vault:/prod.env", nil, Ask},
		{"read", "vault:/k.PEM", nil, Ask},
		{"read", "vault:/credentials.json", nil, Ask},
		{"read", "vault:/.ssh/config", nil, Ask},
		{"read", "vault:/x/.aws/credentials", nil, Ask},
		{"read", "vault:/.kube/config", nil, Ask},
		{"read", "vault:/kube/config", nil, Allow},
		{"read", "vault:/.env", []Rule{rule("read", "vault:**", "allow")}, Ask},
		{"read", "vault:/.env", []Rule{rule("read", "*", "allow")}, Ask},
		{"read", "vault:/.env", []Rule{rule("read", "*.*", "allow")}, Ask},
		{"read", "vault:/.env", []Rule{rule("read", "regex:.*env", "allow")}, Ask},
		{"read", "vault:/credentials.md", []Rule{rule("read", "*.md", "allow")}, Ask},
		{"read", "vault:/.env.example", []Rule{rule("read", "*.env.example", "allow")}, Allow},
		{"read", "vault:/.env", []Rule{rule("read", "*.env.example", "allow")}, Ask},
		{"read", "vault:/.ssh/config", []Rule{rule("read", ".ssh/**", "allow")}, Ask},
		{"read", "vault:/.ssh/config", []Rule{rule("read", ".ssh/config", "allow")}, Allow},
		{"read", "vault:/.env", []Rule{rule("read", ".env", "deny")}, Deny},

		// Protected files.
		{"edit", "vault:/.git/hooks/pre-commit", nil, Ask},
		{"edit", "vault:/sub/.git/config", nil, Ask},
		{"edit", "vault:/.GIT/config", nil, Ask},
		{"edit", "vault:/.git", nil, Ask},
		{"edit", "vault:/.gitignore", nil, Allow},
		{"edit", "vault:/agents.md", nil, Ask},
		{"edit", "vault:/.env", nil, Ask},
		{"edit", "vault:/.github/workflows/ci.yml", []Rule{rule("edit", "vault:**", "allow")}, Ask},
		{"edit", "vault:/.github/workflows/ci.yml", []Rule{rule("edit", "**/*.yml", "allow")}, Ask},
		{"edit", "vault:/.github/workflows/ci.yml", []Rule{rule("edit", ".github/**", "allow")}, Allow},

		// The sidecar's home, whatever the rules say; the session's own files.
		{"read", "fs:/home/u/.agent-sidecar/config.jsonc", []Rule{rule("read", "fs:/**", "allow")}, Deny},
		{"edit", "fs:/home/u/.agent-sidecar", []Rule{rule("edit", "fs:/**", "allow")}, Deny},
		{"read", "fs:/home/u/.agent-sidecar-2/x", []Rule{rule("read", "fs:/**", "allow")}, Allow},
		{"read", "fs:/home/u/.agent-sidecar/own/a.txt", nil, Allow},
		{"edit", "fs:/home/u/.agent-sidecar/own/a.txt", []Rule{rule("edit", "fs:/**", "allow")}, Deny},
		{"read", "fs:/home/u/.agent-sidecar/own/../config.jsonc", nil, Deny},
		{"read", "fs:/home/u/.agent-sidecar/own2/x", nil, Deny},

		// Everything else is matched as text.
		{"web_fetch", "url:https://evil.dev/x", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "url:https://go.dev/*", "allow")}, Deny},
		{"web_fetch", "url:https://go.dev/x", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "go.dev/*", "allow")}, Allow},
		{"web_fetch", "url:https://go.dev.evil/", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "https://go.dev/*", "allow")}, Deny},
		{"web_fetch", "url:https://evil/a.go.dev/", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "https://*.go.dev/*", "allow")}, Deny},
		{"web_fetch", "url:https://evil?x.go.dev/", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "https://*.go.dev/*", "allow")}, Deny},
		{"web_fetch", "url:https://pkg.go.dev/x", []Rule{rule("web_fetch", "*", "deny"), rule("web_fetch", "https://*.go.dev/*", "allow")}, Allow},
		{"mcp", "mcp:s/read", []Rule{rule("mcp", "s/*", "allow")}, Allow},
		{"mcp", "mcp:s2/read", []Rule{rule("mcp", "mcp:s/*", "allow")}, Ask},
		{"tool", "tool:x", []Rule{rule("tool", "x", "deny")}, Deny},
		{"web_search", "query:how to a/b", []Rule{rule("web_search", "how*b", "deny")}, Deny},

		// A bad rule asks and never loosens; the others hold.
		{"read", "vault:/a.go", []Rule{rule("read", "[", "allow")}, Ask},
		{"read", "vault:/a.go", []Rule{rule("read", "regex:(", "deny")}, Ask},
		{"read", "vault:/a.go", []Rule{rule("read", "x", "yes")}, Ask},
		{"edit", "fs:/etc/x", []Rule{rule("edit", "[", "allow")}, Deny},
		{"read", "vault:/a.go", []Rule{rule("read", "[", "allow"), rule("read", "a.go", "allow")}, Allow},
		{"read", "vault:/a.go", []Rule{rule("reed", "*", "deny")}, Allow},
		{"read", "vault:/a.go", []Rule{rule("read", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "allow")}, Ask},

		// Rules tied to a workspace.
		{"tool", "tool:x", []Rule{{Domain: "tool", Pattern: "x", Decision: "allow", Workspace: "w-1"}}, Allow},
		{"tool", "tool:x", []Rule{{Domain: "tool", Pattern: "x", Decision: "allow", Workspace: "w-2"}}, Ask},
	} {
		d := decide(baseFacts(row.rules...), filePlan(row.domain, row.object))
		if d.Verdict != row.want {
			t.Errorf("%s %s %v: %s, want %s: %s", row.domain, row.object, row.rules, d.Verdict, row.want, d.Reason)
		}
		if d.Reason == "" || d.Verdict < Allow && !strings.HasPrefix(d.Refusal, "Error: ") {
			t.Errorf("%s %s: reason %q, refusal %q", row.domain, row.object, d.Reason, d.Refusal)
		}
	}
}

func TestZeroFactsDeny(t *testing.T) {
	if d := NewPolicy(Facts{}).Decide(&tool.Plan{Targets: []tool.Target{{Domain: "edit", Object: "vault:/a"}}}); d.Verdict != Deny {
		t.Error("an unknown effect refuses", d.Reason)
	}
	if d := NewPolicy(Facts{}).Decide(filePlan("edit", "vault:/a")); d.Verdict != Ask {
		t.Error("without trust an edit asks", d.Reason)
	}
	if d := NewPolicy(Facts{}).Decide(&tool.Plan{Effect: tool.Read}); d.Verdict != Deny {
		t.Error("a call without targets is denied", d.Reason)
	}
	if d := NewPolicy(Facts{}).Decide(nil); d.Verdict != Deny {
		t.Error("nil is denied")
	}
}

func TestTrustAndTaint(t *testing.T) {
	all := []Rule{rule("bash", "*", "allow"), rule("tool", "*", "allow"), rule("mcp", "*", "allow"), rule("web_fetch", "url:https://go.dev/*", "allow"), rule("edit", ".github/**", "allow")}
	for name, row := range map[string]struct {
		plan               *tool.Plan
		untrusted, tainted Verdict
	}{
		"read":               {filePlan("read", "vault:/a.go"), Allow, Allow},
		"edit":               {filePlan("edit", "vault:/a.go"), Ask, Allow},
		"bash":               {bashPlan("ls"), Ask, Allow},
		"bash with network":  {bashPlan("git fetch"), Ask, Ask},
		"tool":               {filePlan("tool", "tool:x"), Ask, Allow},
		"fetch, named host":  {filePlan("web_fetch", "url:https://go.dev/x"), Ask, Allow},
		"fetch, other host":  {filePlan("web_fetch", "url:https://x.dev/?q=1"), Ask, Ask},
		"edit of CI":         {filePlan("edit", "vault:/.github/x.yml"), Ask, Ask},
		"memory":             {&tool.Plan{Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/MEMORY.md"}}}, Ask, Ask},
		"memory, other file": {&tool.Plan{Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/x.md"}}}, Ask, Ask},
		"internal":           {filePlan("internal", "tool:task"), Allow, Allow},
	} {
		f := baseFacts(all...)
		f.Trusted = false
		d := decide(f, row.plan)
		if d.Verdict != row.untrusted || len(d.Always) > 0 {
			t.Errorf("%s, untrusted: %s %v", name, d.Reason, d.Always)
		}
		f.Trusted, f.Tainted = true, true
		if d = decide(f, row.plan); d.Verdict != row.tainted || len(d.Always) > 0 {
			t.Errorf("%s, tainted: %s %v", name, d.Reason, d.Always)
		}
		f.Mode = "full_access"
		if d = decide(f, row.plan); d.Verdict != Allow {
			t.Errorf("%s, tainted in full access: %s", name, d.Reason)
		}
		f.Trusted = false
		if d = decide(f, row.plan); d.Verdict != row.untrusted {
			t.Errorf("%s, full access in an untrusted folder: %s", name, d.Reason)
		}
	}
	f := baseFacts()
	if d := decide(f, &tool.Plan{Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/memory/2026-01-01.md"}}}); d.Verdict != Allow {
		t.Error(d.Reason)
	}
	if d := decide(f, filePlan("edit", "vault:/.agent/MEMORY.md")); d.Verdict != Ask {
		t.Error(d.Reason)
	}
}

func TestFullAccessAndCeiling(t *testing.T) {
	f := baseFacts()
	f.Mode = "full_access"
	for plan, want := range map[*tool.Plan]Verdict{
		bashPlan("nc x 1"):              Allow,
		filePlan("read", "vault:/.env"): Allow,
		filePlan("edit", "fs:/etc/x"):   Deny,
		filePlan("doom_loop", "x"):      Ask,
		filePlan("limit", "x"):          Ask,
		filePlan("config", "x"):         Ask,
		bashPlan("rm -rf /"):            Deny,
		{Tool: "bash", Effect: tool.Exec, Command: "ls", Dir: "/home/u/p", Needs: "unconfined", Targets: []tool.Target{{Domain: "bash", Object: "shell:ls"}}}: Deny,
	} {
		if d := decide(f, plan); d.Verdict != want || want == Allow && d.By != "mode" {
			t.Errorf("%v: %s by %s: %s", plan.Targets, d.Verdict, d.By, d.Reason)
		}
	}
	i := slices.IndexFunc(BuiltInAgents(), func(a Agent) bool { return a.Name == "plan" })
	f.Agent, f.Ceiling = "plan", BuiltInAgents()[i].Ceiling
	f.Grants = []Rule{rule("bash", "*", "allow"), rule("edit", "*", "allow")}
	for _, p := range []*tool.Plan{bashPlan("ls"), filePlan("edit", "vault:/a"), filePlan("mcp", "mcp:a/b"), filePlan("tool", "tool:a")} {
		d := decide(f, p)
		if d.Verdict != Deny || d.By != "agent" || d.Rule.Source != "agent:plan" || !strings.Contains(d.Reason, `"plan"`) {
			t.Errorf("%v: %s by %s", p.Targets, d.Verdict, d.By)
		}
	}
	if d := decide(f, filePlan("read", "vault:/a")); d.Verdict != Allow {
		t.Error(d.Reason)
	}
}

func TestAnsweredRulesAndExplicitDeny(t *testing.T) {
	always := Layer{Source: "always", Rules: []Rule{{Domain: "bash", Pattern: "make x", Decision: "allow", Exact: true, By: "always"}}}
	for name, row := range map[string]struct {
		inline Rule
		want   Verdict
	}{
		"beats an inline ask":        {rule("bash", "make *", "ask"), Allow},
		"not an inline deny":         {rule("bash", "make *", "deny"), Deny},
		"nor a deny of another form": {rule("bash", "*", "deny"), Deny},
	} {
		f := baseFacts()
		f.Layers = append(f.Layers, Layer{Source: "inline", Rules: []Rule{row.inline}}, always)
		if d := decide(f, bashPlan("make x")); d.Verdict != row.want {
			t.Errorf("%s: %s", name, d.Reason)
		}
	}
	f := baseFacts()
	f.Grants = []Rule{{Domain: "bash", Pattern: "shell:make y", Decision: "allow", Exact: true}, {Domain: "read", Pattern: "vault:/.env", Decision: "allow", Exact: true}}
	if d := decide(f, bashPlan("make y")); d.Verdict != Allow || d.Rule.Source != "session" {
		t.Error(d.Reason)
	}
	if d := decide(f, filePlan("read", "vault:/.env")); d.Verdict != Allow {
		t.Error("a yes to exactly this file holds", d.Reason)
	}
	if d := decide(f, filePlan("read", "vault:/x/.env")); d.Verdict != Ask {
		t.Error(d.Reason)
	}
}

func TestOffers(t *testing.T) {
	offered := func(f Facts, p *tool.Plan) string {
		var out []string
		for _, o := range decide(f, p).Always {
			out = append(out, o.ID+" "+o.Label)
		}
		return strings.Join(out, " | ")
	}
	here := "Always in this workspace: "
	for command, want := range map[string]string{
		"./deploy --all":             "a1 " + here + "./deploy --all",
		"go test ./...":              "a1 " + here + "go test ./... | a2 " + here + "go test *",
		"go test -exec x ./...":      "a1 " + here + "go test -exec x ./...",
		"git status":                 "a1 " + here + "git status | a2 " + here + "git status *",
		"ls -la":                     "a1 " + here + "ls -la | a2 " + here + "ls * | a3 Always: ls -la",
		"./ls -la":                   "a1 " + here + "./ls -la",
		"python x.py":                "a1 " + here + "python x.py",
		"sudo ls":                    "",
		"bash x.sh":                  "",
		"env ls":                     "",
		"xargs ls":                   "",
		"find . -name x":             "",
		"echo $x; ./deploy $x":       "",
		"go test ./... && make lint": "a1 " + here + "go test ./... + make lint",
		"go test ./... | tail -5":    "a1 " + here + "go test ./... + tail -5 | a2 " + here + "go test * + tail *",
		"a; b; c; d; e":              "",
		"cat .env":                   "", // two domains ask
		"rm -rf build":               "a1 " + here + "rm -rf build",
		"timeout 5 go test ./...":    "a1 " + here + "go test ./... | a2 " + here + "go test *",
		"echo '\u202e'":              "",
	} {
		if got := offered(baseFacts(), bashPlan(command)); got != want {
			t.Errorf("%s\n got %s\nwant %s", command, got, want)
		}
	}
	for object, want := range map[string]string{
		"read fs:/usr/share/doc/x": "a1 Always: fs:/usr/share/doc/x | a2 Always: fs:/usr/share/doc/**",
		"read fs:/home/u/x":        "a1 Always: fs:/home/u/x",
		"read vault:/.env":         "a1 Always: vault:/.env",
		"edit vault:/.envrc":       "a1 Always: vault:/.envrc",
		"mcp mcp:s/t":              "a1 Always: mcp:s/t",
		"tool tool:x":              "a1 " + here + "tool:x",
		"doom_loop x":              "",
		"config x":                 "",
	} {
		domain, o, _ := strings.Cut(object, " ")
		if got := offered(baseFacts(), filePlan(domain, o)); got != want {
			t.Errorf("%s\n got %s\nwant %s", object, got, want)
		}
	}
}

func TestNoOfferOverTwoDomains(t *testing.T) {
	p := &tool.Plan{Tool: "move", Effect: tool.Write, Targets: []tool.Target{{Domain: "read", Object: "fs:/x/y"}, {Domain: "edit", Object: "vault:/.envrc"}}}
	if d := decide(baseFacts(), p); d.Verdict != Ask || d.OnceOnly || len(d.Always) > 0 {
		t.Errorf("%+v", d)
	}
}

// What an offer shows is what it stores, and storing it answers the question.
func TestOffersAnswerTheirOwnQuestion(t *testing.T) {
	for _, command := range []string{"go test ./...", "go test ./... | tail -5", "./deploy 'a b' \"c\"", "timeout 5 go test ./...", "cd src && go test .", "rm -rf build"} {
		d := decide(baseFacts(), bashPlan(command))
		for _, o := range d.Always {
			f := baseFacts()
			f.Layers = append(f.Layers, Layer{Source: "always", Rules: o.Stored()})
			if again := decide(f, bashPlan(command)); again.Verdict != Allow {
				t.Errorf("%s: after %q: %s", command, o.Label, again.Reason)
			}
			f.Workspace = "w-2"
			if again := decide(f, bashPlan(command)); o.Workspace != "" && again.Verdict == Allow {
				t.Errorf("%s: %q holds in another workspace", command, o.Label)
			}
		}
		if len(d.Always) == 0 {
			t.Errorf("%s: nothing is offered", command)
		}
	}
}

// Bypass: a yes to ./deploy in the workspace must not run a ./deploy elsewhere.
func TestYesToAProgramHoldsForThatProgramOnly(t *testing.T) {
	f := baseFacts(Rule{Domain: "bash", Pattern: "./deploy", Decision: "allow", Exact: true}, rule("bash", "cd *", "allow"))
	if d := decide(f, bashPlan("./deploy")); d.Verdict != Allow {
		t.Error(d.Reason)
	}
	if d := decide(f, bashPlan("cd build && ./deploy")); d.Verdict != Ask {
		t.Error(d.Reason)
	}
	for dir, want := range map[string]Verdict{"/home/u/p/build": Ask, "/tmp/x": Ask, "/home/u/.agent-sidecar": Deny} {
		p := bashPlan("./deploy")
		p.Dir = dir
		if d := decide(f, p); d.Verdict != want {
			t.Errorf("%s: %s", dir, d.Reason)
		}
	}
	p := bashPlan("git status")
	p.Dir = "/tmp/x"
	if d := decide(baseFacts(rule("bash", "git status*", "allow")), p); d.Verdict != Ask || d.Domain != "read" {
		t.Error("a directory outside is looked at", d.Reason)
	}
}

func TestDecisionIsFilled(t *testing.T) {
	f := baseFacts(rule("bash", "go *", "allow"), rule("bash", "go test*", "ask"))
	d := decide(f, bashPlan("cat a.go; go test ./... > build/out"))
	if d.Verdict != Ask || d.Domain != "bash" || d.Risk != "execute" || d.Rule.Source != BuiltIn {
		t.Errorf("%+v", d)
	}
	want := []tool.Target{{Domain: "bash", Object: "shell:cat a.go"}, {Domain: "bash", Object: "shell:go test ./..."}, {Domain: "read", Object: "vault:/a.go"}, {Domain: "edit", Object: "vault:/build/out"}}
	for _, w := range want {
		if !slices.Contains(d.Targets, w) {
			t.Errorf("%v is not in %v", w, d.Targets)
		}
	}
	var lost []string
	for _, m := range d.Matched {
		if m.Target == "shell:go test ./..." {
			lost = append(lost, fmt.Sprintf("%s %s %s %d", m.Pattern, m.Decision, m.Source, m.Index))
		}
	}
	if strings.Join(lost, "; ") != "* ask built-in 6; go * allow config 0; go test* ask config 1" {
		t.Error(lost)
	}
	if d = decide(f, filePlan("edit", "fs:/etc/x")); !strings.Contains(d.Refusal, `{"domain":"edit","pattern":"fs:/etc/x","decision":"allow"}`) || d.Risk != "write" {
		t.Error(d.Refusal)
	}
	if d = decide(f, bashPlan("git push origin main")); !d.Network || d.Risk != "network" {
		t.Errorf("%+v", d)
	}
	if d = decide(f, bashPlan("rm -rf /etc")); d.Risk != "destructive" || d.Verdict != Ask {
		t.Errorf("%+v", d)
	}
	p := filePlan("edit", "vault:/dir")
	p.Destructive = true
	if d = decide(f, p); d.Verdict != Ask || d.Risk != "destructive" {
		t.Errorf("%+v", d)
	}
	f.Roots = []string{"/home/u"}
	if d = decide(f, filePlan("edit", "vault:/a")); d.Verdict != Ask || !strings.Contains(d.Reason, "so wide") {
		t.Error(d.Reason)
	}
	if tree := CommandTree(decide(baseFacts(), bashPlan("ls; (git status)")).Commands); tree != "ask   [by default] ls\nask     [by default] git status\n" {
		t.Errorf("%q", tree)
	}
}

func manyRules(n int) []Rule {
	rules := make([]Rule, 0, n)
	for i := range n {
		switch i % 5 {
		case 0:
			rules = append(rules, rule("read", fmt.Sprintf("vault:/pkg%d/**/*.go", i), "ask"))
		case 1:
			rules = append(rules, rule("read", fmt.Sprintf("*file%d*.txt", i), "deny"))
		case 2:
			rules = append(rules, rule("read", fmt.Sprintf("dir%d/**", i), "allow"))
		case 3:
			rules = append(rules, rule("read", fmt.Sprintf("**/*%d.md", i), "allow"))
		default:
			rules = append(rules, rule("read", fmt.Sprintf("regex:^vault:/x%d/[a-z]+$", i), "ask"))
		}
	}
	return rules
}

func BenchmarkTenThousandRules(b *testing.B) {
	f := baseFacts(manyRules(10_000)...)
	f.Rules = Compile(f.Layers)
	p := NewPolicy(f)
	plan := filePlan("read", "vault:/some/longer/path/to/a/main.go")
	for b.Loop() {
		p.Decide(plan)
	}
}

func BenchmarkTenThousandStarRules(b *testing.B) {
	var rules []Rule
	for range 10_000 {
		rules = append(rules, rule("read", "**/*a*/**/*b*", "ask"))
	}
	f := baseFacts(rules...)
	f.Rules = Compile(f.Layers)
	p := NewPolicy(f)
	plan := filePlan("read", "vault:/some/longer/path/to/a/main.go")
	for b.Loop() {
		p.Decide(plan)
	}
}

// What a confined command may leave behind is a secret that no program obeys:
// direnv runs `.envrc` and npm obeys `.npmrc`, although both may also hold
// secrets.
func TestMerelySecret(t *testing.T) {
	for object, want := range map[string]bool{
		"vault:/.env": true, "vault:/a/prod.env.local": true, "vault:/server.key": true, "vault:/id_rsa": true, "vault:/.netrc": true,
		"vault:/.envrc": false, "vault:/sub/.envrc": false, "vault:/.ENVRC": false, "vault:/.npmrc": false, "vault:/.vscode/x.env": false,
		"vault:/.git/hooks/x.key": false, "vault:/a.go": false, "": false,
	} {
		if got := MerelySecret(object); got != want {
			t.Errorf("%s: %v", object, got)
		}
	}
}
