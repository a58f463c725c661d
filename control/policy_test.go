package control

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
	if d := decide(baseFacts(), filePlan("", "")); d.Verdict != Deny {
		t.Error("a target without a domain is denied", d.Reason)
	}
	if d := NewPolicy(Facts{}).Decide(nil); d.Verdict != Deny {
		t.Error("nil is denied")
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
	if d = decide(f, filePlan("edit", "vault:/a")); d.Verdict != Ask || !strings.Contains(d.Reason.String(), "so wide") {
		t.Error(d.Reason)
	}
	if tree := CommandTree(decide(baseFacts(), bashPlan("ls; (git status)")).Commands); tree != "ask   [by default] ls\nask     [by default] git status\n" {
		t.Errorf("%q", tree)
	}
}

// Where the built-in rules ask, a person is told in plain words; the model, which may be
// refused for it, what it was that asked.
func TestWordsOfABuiltInAsk(t *testing.T) {
	for _, row := range []struct {
		plan        *tool.Plan
		reason, why string
	}{
		{bashPlan("make x"), "Commands need your approval.", "Asks by default: bash shell:make x."},
		{filePlan("read", "fs:/etc/hosts"), "Reading /etc/hosts needs your approval.", "Asks by default: read fs:/etc/hosts."},
		{planOf("mcp", "mcp:s/t", tool.Exec), "mcp:s/t needs your approval.", "Asks by default: mcp mcp:s/t."},
	} {
		d := decide(baseFacts(), row.plan)
		if d.Reason.String() != row.reason || !strings.HasPrefix(d.Refusal, "Error: permission denied: this needs the user's approval. "+row.why) {
			t.Errorf("%v: %q, %q", row.plan.Targets, d.Reason, d.Refusal)
		}
	}
}
