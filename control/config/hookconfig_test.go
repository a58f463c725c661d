package config

import (
	"strings"
	"testing"
	"time"
)

// What is wrong in the configuration has its place; a required hook that is wrong
// stays, to refuse.
func TestHookConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		hooks int
		said  string
	}{
		"good":                {`{"hooks": {"tool.before": [{"command": ["a", "b"], "required": true, "timeoutMs": 1, "tools": ["bash", "mcp__*"]}]}}`, 1, ""},
		"unknown kind":        {`{"hooks": {"tool.befor": [{"command": ["a"]}]}}`, 0, `1:26: hooks: there is no hook "tool.befor"`},
		"no list":             {`{"hooks": {"tool.after": {"command": ["a"]}}}`, 1, "1:26: hooks: tool.after must be a list"},
		"no list of objects":  {`{"hooks": {"tool.after": 7}}`, 0, "tool.after must be a list"},
		"null is nothing":     {`{"hooks": {"tool.after": null}}`, 0, ""},
		"no object":           {`{"hooks": {"tool.after": ["a"]}}`, 0, "must be an object"},
		"command as text":     {`{"hooks": {"tool.after": [{"command": "a b"}]}}`, 0, `1:27: hooks: "command" must be a list`},
		"no command":          {`{"hooks": {"tool.after": [{"command": []}]}}`, 0, `"command" must be`},
		"required but wrong":  {`{"hooks": {"tool.after": [{"command": "a b", "required": true}]}}`, 1, `"command" must be`},
		"required as text":    {`{"hooks": {"tool.after": [{"command": ["a"], "required": "no"}]}}`, 1, `"required" must be`},
		"a member with typo":  {`{"hooks": {"tool.after": [{"command": ["a"], "requird": true}]}}`, 1, `unknown member "requird"`},
		"no time":             {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 0}]}}`, 0, `"timeoutMs" must be`},
		"the longest time":    {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 600000}]}}`, 1, ""},
		"too long a time":     {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 600001}]}}`, 0, `"timeoutMs" must be`},
		"tools of nothing":    {`{"hooks": {"tool.after": [{"command": ["a"], "tools": []}]}}`, 0, `"tools" must be`},
		"a bad pattern":       {`{"hooks": {"tool.after": [{"command": ["a"], "tools": ["["]}]}}`, 0, "is not a pattern"},
		"tools for a chat":    {`{"hooks": {"chat.system": [{"command": ["a"], "tools": ["x"]}]}}`, 1, `"tools" has no meaning for chat.system`},
		"in the second entry": {"{\"hooks\": {\"chat.params\": [\n{\"command\": [\"a\"]},\n {\"command\": 1}]}}", 1, "3:2: hooks:"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openStore(t, c.text)
			n := 0
			for _, list := range s.Settings().Hooks {
				n += len(list)
			}
			var said []string
			for _, d := range s.Settings().Diagnostics {
				said = append(said, d.String())
			}
			if got := strings.Join(said, "\n"); n != c.hooks || (got == "") != (c.said == "") || !strings.Contains(got, c.said) {
				t.Errorf("%d hooks, said %q; want %d, %q", n, got, c.hooks, c.said)
			}
		})
	}
	if s, _ := openStore(t, `{"hooks": {"chat.params": [{"command": ["a"]}]}}`); s.Settings().Hooks[ChatParams][0].Timeout != 10*time.Second {
		t.Error("ten seconds unless the configuration says more")
	}
}
