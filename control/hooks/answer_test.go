package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
)

// What each kind of hook may say, and that everything else changes nothing.
func TestHookAnswers(t *testing.T) {
	half, ten := 0.5, int64(10)
	system := "S"
	before := Call{Hook: config.ToolBefore, Input: json.RawMessage(`{"a":1}`)}
	params := Call{Hook: config.ChatParams, Params: &config.Params{Temperature: &half, MaxTokens: &ten}}
	chat := Call{Hook: config.ChatSystem, System: &system}
	after := outputCall("old")
	for _, c := range []struct {
		call    Call
		said    string
		changed bool
		refused string
		fails   string
		want    string // the member as it is afterwards
	}{
		{before, ``, false, "", "", `{"a":1}`},
		{before, " \n\t", false, "", "", `{"a":1}`},
		{before, `{}`, false, "", "", `{"a":1}`},
		{before, `{"input": {"a": 2}}`, true, "", "", `{"a":2}`},
		{before, `{"input": { "a" : 1 }}`, false, "", "", `{"a":1}`},
		{before, `{"refuse": "no"}`, false, "no", "", `{"a":1}`},
		{before, `{"refuse": "no", "input": {"a": 2}}`, false, "no", "", `{"a":1}`},
		{before, `{"input": [1]}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": null}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": "{}"}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": {"a":2,"a":3}}`, false, "", "cannot be read", `{"a":1}`},
		{before, `{"tool": "write", "input": {"a": 2}}`, false, "", "cannot say", `{"a":1}`},
		{before, `{"output": "x"}`, false, "", `a hook of tool.before cannot say "output"`, `{"a":1}`},
		{before, `{"Input": {"a": 2}}`, false, "", "cannot say", `{"a":1}`},
		{before, `{"input": {"a": 2}} {"input": {"a": 3}}`, false, "", "cannot be read", `{"a":1}`},
		{before, `{"refuse": null}`, false, "", "must be a text", `{"a":1}`},
		{before, `{"refuse": {}}`, false, "", "must be a text", `{"a":1}`},
		{before, `hello`, false, "", "not a JSON object", `{"a":1}`},
		{before, `[]`, false, "", "not a JSON object", `{"a":1}`},
		{before, "{\"input\": {\"a\": \"\xff\"}}", false, "", "cannot be read", `{"a":1}`},
		{after, `{"output": "new"}`, true, "", "", `new`},
		{after, `{"output": "old"}`, false, "", "", `old`},
		{after, `{"output": ""}`, true, "", "", ``},
		{after, `{"output": null}`, false, "", "must be a text", `old`},
		{after, `{"output": 1}`, false, "", "must be a text", `old`},
		{after, `{"refuse": "no"}`, false, "", `a hook of tool.after cannot say "refuse"`, `old`},
		{after, `{"status": "completed"}`, false, "", "cannot say", `old`},
		{chat, `{"system": "T"}`, true, "", "", "S\n\nT"},
		{chat, `{"system": "  "}`, false, "", "", "S"},
		{chat, `{"system": {}}`, false, "", "must be a text", "S"},
		{chat, `{"refuse": "no"}`, false, "", "cannot say", "S"},
		{params, `{"params": {"temperature": 0}}`, true, "", "", `{"temperature":0,"maxTokens":10}`},
		{params, `{"params": {"maxTokens": null, "topP": 1}}`, true, "", "", `{"temperature":0.5,"topP":1}`},
		{params, `{"params": {}}`, false, "", "", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"temperature": -0.1}}`, false, "", "below 0", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"topP": 1.1}}`, false, "", "over 1", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"maxTokens": 0}}`, false, "", "whole number", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"temperature": 1, "seed": 7}}`, false, "", `no parameter "seed"`, `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"model": "x"}}`, false, "", "must be a number", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"reasoningEffort": "high"}}`, true, "", "", `{"temperature":0.5,"maxTokens":10,"reasoningEffort":"high"}`},
		{params, `{"params": {"reasoningEffort": "extreme"}}`, false, "", "must be one of", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"reasoningEffort": 3}}`, false, "", "must be one of", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": []}`, false, "", "must be an object", `{"temperature":0.5,"maxTokens":10}`},
	} {
		call := c.call
		changed, refused, err := call.take([]byte(c.said))
		if changed != c.changed || (refused != nil) != (c.refused != "") || refused != nil && *refused != c.refused {
			t.Errorf("%s %q: changed %v, refused %v", c.call.Hook, c.said, changed, refused)
		}
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s %q: error %v, want %q", c.call.Hook, c.said, err, c.fails)
		}
		if got := memberOf(t, call); got != c.want {
			t.Errorf("%s %q: is now %s, want %s", c.call.Hook, c.said, got, c.want)
		}
	}
}

func memberOf(t *testing.T, c Call) string {
	t.Helper()
	switch c.Hook {
	case config.ToolBefore:
		return string(c.Input)
	case config.ToolAfter:
		return *c.Output
	case config.ChatSystem:
		return *c.System
	}
	raw, err := json.Marshal(c.Params)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
