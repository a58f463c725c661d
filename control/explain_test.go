package control

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every rule that matched says whether it has the word, why not, and where it
// stands; every step that changed the verdict is there.
func TestExplainedDecision(t *testing.T) {
	f := baseFacts(
		rule("bash", "git *", "ask"), rule("bash", "git st*", "allow"), rule("bash", "regex:(", "allow"),
		Rule{Domain: "bash", Pattern: "git *", Decision: "allow", Workspace: "w-2"},
	)
	f.Layers = append(f.Layers,
		Layer{Source: "inline", Narrows: true, Rules: []Rule{rule("bash", "git status", "deny"), rule("bash", "*", "ask")}},
		Layer{Source: "always", Rules: []Rule{{Domain: "bash", Pattern: "git status", Decision: "allow", Exact: true}}})
	f.Agent, f.Ceiling = "careful", []Rule{rule("bash", "*", "ask")}
	d := decide(f, bashPlan("git status")).Located(func(source string, index int) Place {
		if source == "config" {
			return Place{"/c.jsonc", 10 + index}
		}
		return Place{}
	})
	var lines []string
	for _, m := range d.Matched {
		lines = append(lines, fmt.Sprintf("%s %d %s %s %v %d: %s", m.Source, m.Index, m.Pattern, m.Decision, m.Won, m.Line, m.Lost))
	}
	want := []string{
		"built-in 6 * ask false 0: a later rule has the word",
		"config 0 git * ask false 10: a later rule has the word",
		"config 1 git st* allow false 11: a later rule has the word",
		"config 2 regex:( ask false 12: a later rule has the word",
		"config 3 git * allow false 13: it holds only in the workspace w-2",
		"inline 0 git status deny true 0: ",
		"inline 1 * ask false 0: nobody has said yes to this configuration, so it can only narrow",
		"always 0 git status allow false 0: a stored yes never beats an explicit deny",
		"agent:careful 0 * ask false 0: a ceiling never loosens",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("\n%s", strings.Join(lines, "\n"))
	}
	f.Layers = f.Layers[:2]
	f.Trusted, f.Mode = false, "full_access"
	d = decide(f, filePlan("edit", "vault:/.git/config"))
	lines = nil
	for _, s := range d.Deciding().Steps {
		lines = append(lines, s.Name+" "+s.Verdict.String())
	}
	if got := strings.Join(lines, ", "); got != "rules allow, files ask" || d.Verdict != Ask {
		t.Error(got)
	}
	f.Trusted = true
	d = decide(f, filePlan("edit", "vault:/.git/config"))
	if j := d.Deciding(); len(j.Steps) != 3 || j.Steps[2].Name != "mode" || j.Steps[0].Reason == "" {
		t.Errorf("%+v", j)
	}
}

// Rules that follow from other keys: edit.outside, web.allowedHosts and mcp.
func TestRulesOfOtherKeys(t *testing.T) {
	for _, row := range []struct {
		config, inline, domain, object string
		want                           Verdict
	}{
		{`{}`, ``, "edit", "fs:/etc/x", Deny},
		{`{"agents": {"runtime": {"edit": {"outside": "ask"}}}}`, ``, "edit", "fs:/etc/x", Ask},
		{`{"agents": {"runtime": {"edit": {"outside": "allow"}}}}`, ``, "edit", "fs:/etc/x", Deny},
		{`{}`, `{"agents": {"runtime": {"edit": {"outside": "ask"}}}}`, "edit", "fs:/etc/x", Deny},
		{`{}`, ``, "web_fetch", "url:https://go.dev/", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://go.dev/x", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:http://GO.dev/x", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://evil.dev/go.dev/", Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["*.go.dev"]}}}}`, ``, "web_fetch", "url:https://pkg.go.dev/x", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["https://go.dev/doc/"]}}}}`, ``, "web_fetch", "url:https://go.dev/doc/x", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["https://go.dev/doc/"]}}}}`, ``, "web_fetch", "url:https://go.dev/blog", Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["*"]}}}}`, ``, "web_fetch", "url:https://x.dev/y", Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": []}}}}`, ``, "web_fetch", "url:https://x.dev/y", Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": null}}}}`, ``, "web_fetch", "url:https://x.dev/y", Allow},
		{`{}`, ``, "mcp", "mcp:notes/read", Ask},
		{`{"mcp": {"notes": {"command": ["x"]}}}`, ``, "mcp", "mcp:notes/read", Allow},
		{`{"mcp": {"notes": {"command": ["x"]}}}`, ``, "mcp", "mcp:other/read", Ask},
		{`{"mcp": {"*": {"command": ["x"]}}}`, ``, "mcp", "mcp:other/read", Ask},
		{`{"mcp": {"n?tes": {"command": ["x"]}}}`, ``, "mcp", "mcp:notes/read", Ask},
		{`{}`, `{"mcp": {"notes": {"command": ["x"]}}}`, "mcp", "mcp:notes/read", Ask},
		{`{"agents": {"runtime": {"permission": {"rules": [{"domain": "read", "pattern": "*.go", "decision": "deny"}]}}}}`,
			`{"agents": {"runtime": {"permission": {"rules": [{"domain": "read", "pattern": "*", "decision": "ask"}]}}}}`, "read", "vault:/a.go", Deny},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(row.config), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStore(home, StoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if row.inline != "" {
			s.SetInline([]byte(row.inline))
		}
		f := baseFacts()
		f.Layers, f.Rules = s.Settings().Layers, s.Settings().Rules
		if d := decide(f, filePlan(row.domain, row.object)); d.Verdict != row.want {
			t.Errorf("%s, %s: %s %s: %s", row.config, row.inline, row.domain, row.object, d.Reason)
		}
	}
}

// Deciding is the judgement that decided the call; the zero one when there was
// nothing to judge.
func (d Decision) Deciding() Judgement {
	for _, j := range d.Judged {
		if j.Decides {
			return j
		}
	}
	return Judgement{}
}
