package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/google/jsonschema-go/jsonschema"
)

// the example that the specification of the file gives
const specified = `{ "agents": { "runtime": {
    "mode": {"default": "agent"},
    "compaction": {"maxChars": 120000, "recentTurns": 3, "maxTokens": 0, "summaryPrefix": "【会话摘要】", "micro": {"keepRecent": 3}},
    "truncation": {"maxLines": 2000, "maxBytes": 51200, "ttlDays": 7, "dir": ".agent-output"},
    "doomLoop": {"maxAttempts": 3, "maxToolCalls": 60, "sameToolThreshold": 5},
    "permission": {"rules": [{"domain": "read", "pattern": "vault:**/*.md", "decision": "allow"}, {"domain": "bash", "pattern": "*", "decision": "ask"}]} } },
  "systemPrompt": {"mode": "default"}, // or {"mode": "custom", "text": "…", "params": {"temperature": 0.2}}
  "model": "openai/gpt-…", "fallback": ["…"], "providers": {}, "mcp": {}, "hooks": {}, "tools": {"enabled": false}, "webSearch": {} }`

func configSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the schema calls wrong and what reading the file calls wrong is the same.
func TestSchemaSaysWhatReadingSays(t *testing.T) {
	schema := configSchema(t)
	right := []string{
		specified, commented, `{}`, `{"$schema": "https://example.com/x.json", "model": null}`, `{"agents": {"runtime": {"memory": {"reset": "idle:30"}, "edit": {"outside": null}}}}`,
		`{"providers": {"p": {"baseUrl": "http://h/v1", "apiKeys": ["k"], "models": {"m": {"window": 8000, "reasoning": true}}}}, "mcp": {"a": {"command": ["x"], "env": {"A": "b"}}, "b": {"url": "https://h"}},
		  "hooks": {"tool.before": [{"command": ["x"], "required": true, "timeoutMs": 10, "tools": ["bash"]}]}, "surfaces": {"transcript": false}}`,
		`{"agents": {"runtime": {"permission": {"rules": [{"domain": "bash", "pattern": "regex:^go ", "decision": "deny", "exact": false, "workspace": "w", "by": "always"}]}}}}`,
	}
	for _, file := range []string{"docs/models.md", "docs/permissions.md", "docs/compaction.md", "docs/sandbox.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindAllSubmatch(text, -1) {
			right = append(right, string(m[1]))
		}
	}
	if len(right) < 9 {
		t.Error("the documents' examples were not found")
	}
	for _, text := range right {
		if problems := readAll(t, text); len(problems) > 0 {
			t.Errorf("reading: %v\n%s", problems, text)
		}
		if err := schema.Validate(plain(t, []byte(text))); err != nil {
			t.Errorf("the schema: %v\n%s", err, text)
		}
	}
	runtime := func(s string) string { return `{"agents": {"runtime": {` + s + `}}}` }
	for _, text := range []string{
		`{"colour": 1}`, `{"agents": {"walktime": {}}}`, `{"agents": 7}`, runtime(`"limits": {"maxTurns": 1.5}`), runtime(`"limits": {"maxTurns": -1}`), runtime(`"limits": {"maxTurns": "5"}`),
		runtime(`"truncation": {"ttlDays": 36501}`), runtime(`"compaction": {"trigger": 1.1}`), runtime(`"mode": {"default": "full_access"}`), runtime(`"edit": {"outside": "allow"}`),
		runtime(`"memory": {"reset": "hourly"}`), runtime(`"compaction": {"auto": 1}`), `{"fallback": "m"}`, `{"fallback": [1]}`, `{"fallback": [null]}`, `{"providers": []}`, `{"systemPrompt": {"mode": "own"}}`, `{"model": ["m"]}`,
		`{"providers": {"p": {"apiKeyEnvv": []}}}`, `{"providers": {"p": {"models": {"m": {"windw": 1}}}}}`, runtime(`"permission": {"rules": {}}`), runtime(`"permission": {"rules": [{"domain": "reed", "pattern": "x", "decision": "allow"}]}`),
		runtime(`"permission": {"rules": [{"domain": "read", "pattern": "x", "decision": "yes"}]}`), runtime(`"permission": {"rules": [7]}`),
		runtime(`"permission": {"rules": [{"domain": "read", "pattern": "x", "decision": "allow", "workspce": "w"}]}`), runtime(`"permission": {"rules": [{"pattern": "x", "decision": "allow"}]}`),
	} {
		if len(readAll(t, text)) == 0 {
			t.Errorf("reading has nothing against %s", text)
		}
		if schema.Validate(plain(t, []byte(text))) == nil {
			t.Errorf("the schema has nothing against %s", text)
		}
	}
	// Others decode these; the schema already knows their shape.
	for _, text := range []string{
		`{"mcp": {"a": {}}}`, `{"mcp": {"a": {"command": []}}}`, `{"hooks": {"tool.befor": []}}`, `{"hooks": {"tool.before": [{}]}}`, `{"providers": {"p": {"apiKeys": "k"}}}`, `{"surfaces": {"messageRequest": 1}}`,
	} {
		if schema.Validate(plain(t, []byte(text))) == nil {
			t.Errorf("the schema has nothing against %s", text)
		}
	}
}

// readAll is every diagnostic of a text.
func readAll(t *testing.T, text string) (problems []string) {
	t.Helper()
	s, _ := openStore(t, text)
	for _, d := range s.Settings().Diagnostics {
		problems = append(problems, d.String())
	}
	return problems
}

// Every default is a value that its key may have.
func TestDefaultsFit(t *testing.T) {
	for i := range Keys {
		k := &Keys[i]
		if k.Default == nil {
			continue
		}
		raw, err := json.Marshal(k.Default)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.check(raw); err != nil {
			t.Errorf("%s: %v", k.Path, err)
		}
	}
}

// A misspelled member must not make a rule wider than it was meant: an allow with
// one asks, a deny stays.
func TestRuleWithAnUnknownMember(t *testing.T) {
	s, _ := openStore(t, `{"agents": {"runtime": {"permission": {"rules": [
		{"domain": "bash", "pattern": "ls*", "decision": "allow", "workspce": "other"},
		{"domain": "bash", "pattern": "rm*", "decision": "deny", "note": "never"}]}}}}`)
	if d := s.Settings().Diagnostics; len(d) < 2 || !strings.Contains(d[0].Message, "workspce") || d[0].Line != 2 || d[1].Line != 3 {
		t.Error(d)
	}
	f := baseFacts()
	f.Rules = s.Settings().Rules
	if d := decide(f, bashPlan("ls")); d.Verdict != control.Ask {
		t.Error(d.Verdict, d.Reason)
	}
	if d := decide(f, bashPlan("rm x")); d.Verdict != control.Deny {
		t.Error(d.Verdict, d.Reason)
	}
}
