package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Each row: the file, what is done, the file behind it.
func TestRuleEditsKeepEverythingElse(t *testing.T) {
	a, b := rule("read", "a", "deny"), rule("read", "b", "deny")
	const head = "{\n  // mine\n  \"agents\": {\"runtime\": {\"permission\": {\"rules\": "
	const tail = "}}}, // end\n}\n"
	add := func(r control.Rule) func(*Store) error { return func(s *Store) error { return s.AddRules(r) } }
	remove := func(r control.Rule, i int) func(*Store) error {
		return func(s *Store) error { _, err := s.RemoveRule(r, i); return err }
	}
	const ra, rb = `{"domain": "read", "pattern": "a", "decision": "deny"}`, `{"domain": "read", "pattern": "b", "decision": "deny"}`
	const rbCompact = `{"domain":"read","pattern":"b","decision":"deny"}`
	for name, row := range map[string]struct {
		before, after string
		do            func(*Store) error
	}{
		"add to none":                    {"[]", "[" + rbCompact + "]", add(b)},
		"add behind one":                 {"[" + ra + "]", "[" + ra + ", " + rbCompact + "]", add(b)},
		"add behind one with a comment":  {"[\n    " + ra + ", // why\n  ]", "[\n    " + ra + ", // why\n    " + rbCompact + ",\n  ]", add(b)},
		"add what stands at the end":     {"[" + ra + ", " + rb + "]", "[" + ra + ", " + rb + "]", add(b)},
		"add what stands further up":     {"[" + rb + ", " + ra + "]", "[" + rb + ", " + ra + ", " + rbCompact + "]", add(b)},
		"remove the only one":            {"[" + ra + "]", "[]", remove(a, -1)},
		"remove the first":               {"[" + ra + ", " + rb + "]", "[" + rb + "]", remove(a, -1)},
		"remove the last":                {"[" + ra + ", " + rb + "]", "[" + ra + "]", remove(b, -1)},
		"remove a line":                  {"[\n    " + ra + ",\n    " + rb + ",\n  ]", "[\n    " + rb + ",\n  ]", remove(a, 0)},
		"remove the last line":           {"[\n    " + ra + ",\n    " + rb + "\n  ]", "[\n    " + ra + "\n  ]", remove(b, 1)},
		"a comment behind it stays":      {"[\n    " + ra + ", // why a\n    " + rb + "\n  ]", "[\n    // why a\n    " + rb + "\n  ]", remove(a, 0)},
		"a comment above it stays":       {"[\n    // why a\n    " + ra + ",\n    " + rb + "\n  ]", "[\n    // why a\n    " + rb + "\n  ]", remove(a, 0)},
		"a comment before its comma":     {"[" + ra + " /* why, a */, " + rb + "]", "[/* why, a */ " + rb + "]", remove(a, 0)},
		"Windows line ends":              {"[\r\n    " + ra + ",\r\n    " + rb + ",\r\n  ]", "[\r\n    " + rb + ",\r\n  ]", remove(a, 0)},
		"of two equal ones the last":     {"[\n    " + ra + ", // 1\n    " + ra + ", // 2\n  ]", "[\n    " + ra + ", // 1\n    // 2\n  ]", remove(a, -1)},
		"of two equal ones the named":    {"[\n    " + ra + ", // 1\n    " + ra + ", // 2\n  ]", "[\n    // 1\n    " + ra + ", // 2\n  ]", remove(a, 0)},
		"a comma in a comment behind it": {"[" + ra + "\n    // last, really\n  ]", "[\n    // last, really\n  ]", remove(a, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, "config.jsonc")
			if err := os.WriteFile(path, []byte(head+row.before+tail), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(home, Options{})
			if err != nil {
				t.Fatal(err)
			}
			changed := s.Changed()
			if err := row.do(s); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != head+row.after+tail {
				t.Errorf("\n got %s\nwant %s", got, head+row.after+tail)
			}
			select {
			case <-changed:
			default:
				t.Error("open questions are not told")
			}
			if broken := s.Settings().Diagnostics; len(broken) > 0 {
				t.Error(broken)
			}
		})
	}
}

// What cannot be written is refused before the file is touched, and says which
// member is wrong.
func TestRuleEditsRefuse(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	const text = `{"agents": {"runtime": {"permission": {"rules": [{"domain": "read", "pattern": "a", "decision": "deny"}]}}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	removal := func(r control.Rule, i int) error { _, err := s.RemoveRule(r, i); return err }
	for name, row := range map[string]struct {
		err    error
		member string
	}{
		"no domain":             {s.AddRules(rule("", "*", "deny")), "domain"},
		"an unknown domain":     {s.AddRules(rule("reed", "*", "deny")), "domain"},
		"a domain without say":  {s.AddRules(rule("doom_loop", "*", "allow")), "domain"},
		"the agent's own":       {s.AddRules(rule("internal", "*", "deny")), "domain"},
		"no decision":           {s.AddRules(rule("read", "*", "")), "decision"},
		"an unknown decision":   {s.AddRules(rule("read", "*", "yes")), "decision"},
		"an upper-case one":     {s.AddRules(rule("read", "*", "Allow")), "decision"},
		"no pattern":            {s.AddRules(rule("read", "", "deny")), "pattern"},
		"a broken glob":         {s.AddRules(rule("read", "[", "deny")), "pattern"},
		"a broken expression":   {s.AddRules(rule("read", "regex:(", "deny")), "pattern"},
		"a pattern with ..":     {s.AddRules(rule("read", "../x", "deny")), "pattern"},
		"a pretended answer":    {s.AddRules(control.Rule{Domain: "read", Pattern: "x", Decision: "allow", By: "always"}), "by"},
		"one good, one bad":     {s.AddRules(rule("read", "x", "deny"), rule("read", "[", "deny")), "pattern"},
		"one that is not there": {removal(rule("read", "b", "deny"), -1), "rule"},
		"another decision":      {removal(rule("read", "a", "allow"), -1), "rule"},
		"another by its index":  {removal(rule("read", "b", "deny"), 0), "index"},
		"an index too far":      {removal(rule("read", "a", "deny"), 1), "rule"},
	} {
		var refused *control.RuleError
		if !errors.As(row.err, &refused) || refused.Member != row.member {
			t.Errorf("%s: %v", name, row.err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file was touched: %s", got)
	}
}

// Every template can be added, and does what its description says.
func TestTemplates(t *testing.T) {
	for _, row := range []struct {
		template, domain, object string
		want                     control.Verdict
	}{
		{"review_only", "read", "vault:/a.go", control.Allow},
		{"review_only", "read", "vault:/.env", control.Ask},
		{"review_only", "edit", "vault:/a.go", control.Deny},
		{"review_only", "edit", "fs:/etc/x", control.Deny},
		{"review_only", "bash", "git status", control.Allow},
		{"review_only", "bash", "git log -3", control.Allow},
		{"review_only", "bash", "git diff --ext-diff", control.Deny},
		{"review_only", "bash", "git push", control.Deny},
		{"review_only", "bash", "ls", control.Deny},
		{"review_only", "mcp", "mcp:a/b", control.Deny},
		{"run_the_tests", "bash", "go test ./...", control.Allow},
		{"run_the_tests", "bash", "go test -exec sh ./...", control.Ask},
		{"run_the_tests", "bash", "go test ./... && curl x", control.Ask},
		{"run_the_tests", "bash", "make test", control.Allow},
		{"run_the_tests", "bash", "make install", control.Ask},
		{"run_the_tests", "edit", "vault:/a.go", control.Allow},
		{"documentation", "edit", "vault:/README.md", control.Allow},
		{"documentation", "edit", "vault:/docs/x.svg", control.Allow},
		{"documentation", "edit", "vault:/a.go", control.Ask},
		{"documentation", "edit", "vault:/AGENTS.md", control.Ask},
		{"documentation", "edit", "fs:/etc/x.md", control.Deny},
		{"documentation", "bash", "ls", control.Deny},
	} {
		rules, ok := TemplateRules(row.template, "w-1")
		if !ok {
			t.Fatal(row.template)
		}
		plan := filePlan(row.domain, row.object)
		if row.domain == "bash" {
			plan = bashPlan(row.object)
		}
		if d := decide(baseFacts(rules...), plan); d.Verdict != row.want {
			t.Errorf("%s: %s %s: %s", row.template, row.domain, row.object, d.Reason)
		}
		f := baseFacts(rules...)
		f.Workspace = "w-2"
		if d := decide(f, plan); row.domain == "bash" && d.Verdict == control.Allow {
			t.Errorf("%s: %s runs in another workspace", row.template, row.object)
		}
	}
	for _, template := range Templates() {
		rules, _ := TemplateRules(template.Name, "w-1")
		for _, r := range rules {
			if err := control.CheckRule(r); err != nil {
				t.Errorf("%s: %v: %v", template.Name, r, err)
			}
		}
		if template.Description == "" || strings.ToLower(template.Name) != template.Name {
			t.Error(template.Name)
		}
	}
	if _, ok := TemplateRules("nothing", "w-1"); ok {
		t.Error("there is no such template")
	}
}

// A rule that cannot be read asks for its domain wherever the mistake stands, and
// a member that no rule has is said: a mistyped "workspace" makes a rule wider
// than it was meant.
func TestUnreadableRules(t *testing.T) {
	for text, want := range map[string]struct {
		verdict  control.Verdict
		severity string
	}{
		`{"domain": "read", "decision": "deny", "pattern": 5}`:                                  {control.Ask, "error"},
		`{"pattern": 5, "decision": "deny", "domain": "read"}`:                                  {control.Ask, "error"},
		`{"domain": "read", "pattern": "*", "decision": "deny", "workspce": "other"}`:           {control.Deny, "error"},
		`{"domain": "read", "pattern": "*", "decision": "allow", "workspce": "other"}`:          {control.Ask, "error"},
		`{"domain": "read", "pattern": "*", "decision": "deny", "workspace": "other-1a2b3c4d"}`: {control.Allow, ""},
		`{"domain": ["read"], "pattern": "*", "decision": "deny"}`:                              {control.Allow, "error"},
		`"read"`: {control.Allow, "error"},
	} {
		home := t.TempDir()
		config := `{"agents": {"runtime": {"permission": {"rules": [` + text + `]}}}}`
		if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(home, Options{})
		if err != nil {
			t.Fatal(err)
		}
		settings := s.Settings()
		f := baseFacts()
		f.Layers, f.Rules = settings.Layers, settings.Rules
		if d := decide(f, filePlan("read", "vault:/a.go")); d.Verdict != want.verdict {
			t.Errorf("%s: %s", text, d.Reason)
		}
		severity := ""
		if len(settings.Diagnostics) > 0 {
			severity = settings.Diagnostics[0].Severity
		}
		if severity != want.severity {
			t.Errorf("%s: %v", text, settings.Diagnostics)
		}
	}
}
