package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Rules that follow from other keys: edit.outside, web.allowedHosts and mcp.
func TestRulesOfOtherKeys(t *testing.T) {
	for _, row := range []struct {
		config, inline, domain, object string
		want                           control.Verdict
	}{
		{`{}`, ``, "edit", "fs:/etc/x", control.Deny},
		{`{"agents": {"runtime": {"edit": {"outside": "ask"}}}}`, ``, "edit", "fs:/etc/x", control.Ask},
		{`{"agents": {"runtime": {"edit": {"outside": "allow"}}}}`, ``, "edit", "fs:/etc/x", control.Deny},
		{`{}`, `{"agents": {"runtime": {"edit": {"outside": "ask"}}}}`, "edit", "fs:/etc/x", control.Deny},
		{`{}`, ``, "web_fetch", "url:https://go.dev/", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://go.dev/x", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:http://GO.dev/x", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://evil.dev/go.dev/", control.Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://evil/://go.dev/", control.Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://go.dev.evil/", control.Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["go.dev"]}}}}`, ``, "web_fetch", "url:https://go.dev", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["*.go.dev"]}}}}`, ``, "web_fetch", "url:https://pkg.go.dev/x", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["https://go.dev/doc/"]}}}}`, ``, "web_fetch", "url:https://go.dev/doc/x", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["https://go.dev/doc/"]}}}}`, ``, "web_fetch", "url:https://go.dev/blog", control.Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": ["*"]}}}}`, ``, "web_fetch", "url:https://x.dev/y", control.Allow},
		{`{"agents": {"runtime": {"web": {"allowedHosts": []}}}}`, ``, "web_fetch", "url:https://x.dev/y", control.Deny},
		{`{"agents": {"runtime": {"web": {"allowedHosts": null}}}}`, ``, "web_fetch", "url:https://x.dev/y", control.Allow},
		{`{}`, ``, "mcp", "mcp:notes/read", control.Ask},
		{`{"mcp": {"notes": {"command": ["x"]}}}`, ``, "mcp", "mcp:notes/read", control.Allow},
		{`{"mcp": {"notes": {"command": ["x"]}}}`, ``, "mcp", "mcp:other/read", control.Ask},
		{`{"mcp": {"*": {"command": ["x"]}}}`, ``, "mcp", "mcp:other/read", control.Ask},
		{`{"mcp": {"n?tes": {"command": ["x"]}}}`, ``, "mcp", "mcp:notes/read", control.Ask},
		{`{}`, `{"mcp": {"notes": {"command": ["x"]}}}`, "mcp", "mcp:notes/read", control.Ask},
		{`{"agents": {"runtime": {"permission": {"rules": [{"domain": "read", "pattern": "*.go", "decision": "deny"}]}}}}`,
			`{"agents": {"runtime": {"permission": {"rules": [{"domain": "read", "pattern": "*", "decision": "ask"}]}}}}`, "read", "vault:/a.go", control.Deny},
	} {
		s, _ := openStore(t, row.config)
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

// Every key with a value of its own kind is a field of Settings, by its name.
func TestEveryKeyHasItsField(t *testing.T) {
	for i := range Keys {
		k := &Keys[i]
		value := map[kind]string{kindInt: "3e3", kindNumber: "0.25", kindBool: "true", kindString: `"x"`, kindStrings: `["x"]`}[k.kind]
		switch {
		case value == "" || k.free || strings.HasPrefix(k.Path, "trust."):
			continue
		case k.words != nil:
			value = `"` + k.words[len(k.words)-1] + `"`
		case k.form != "":
			value = `"manual"`
		case k.Default == true:
			value = "false"
		}
		e := defaults()
		if err := k.check(json.RawMessage(value)); err != nil {
			t.Fatalf("%s: %v", k.Path, err)
		}
		e.values[k.Path] = json.RawMessage(value)
		s := &Settings{}
		if err := s.fill(e); err != nil {
			t.Fatalf("%s: %v", k.Path, err)
		}
		at := reflect.ValueOf(s).Elem()
		for name := range strings.SplitSeq(strings.TrimPrefix(k.Path, runtimePath), ".") {
			if at = at.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) }); !at.IsValid() {
				t.Fatalf("%s has no field", k.Path)
			}
		}
		var want any
		_ = json.Unmarshal([]byte(value), &want)
		if got := fmt.Sprint(reflect.Indirect(at).Interface()); got != fmt.Sprint(want) {
			t.Errorf("%s: %s, want %v", k.Path, got, want)
		}
	}
}

// Of two budgets the smaller number applies, each for itself, and none is no number.
func TestBudgetsWithin(t *testing.T) {
	a := Budgets{Session: Spend{Tokens: 5, Cost: 2}, Day: Spend{Cost: 1}}
	b := Budgets{Session: Spend{Tokens: 7, Cost: 1.5}, Day: Spend{Tokens: 3}}
	want := Budgets{Session: Spend{Tokens: 5, Cost: 1.5}, Day: Spend{Tokens: 3, Cost: 1}}
	if a.Within(b) != want || b.Within(a) != want || a.Within(Budgets{}) != a || (Budgets{}).Within(a) != a {
		t.Errorf("%+v, %+v, %+v", a.Within(b), b.Within(a), a.Within(Budgets{}))
	}
}

// A budget may be set to less by what comes with a project, and not to more.
func TestBudgetsNarrow(t *testing.T) {
	for _, key := range []string{"budget.session.tokens", "budget.session.cost", "budget.day.tokens", "budget.day.cost"} {
		k := keyByPath[runtimePath+key]
		if k == nil || !k.narrows || k.check([]byte("-1")) == nil || k.check([]byte(`"5"`)) == nil || k.check([]byte("5")) != nil {
			t.Errorf("%s: %+v", key, k)
		}
	}
}
