package scriptmodel

import (
	"encoding/json"
	"strings"
	"testing"
)

// One result in a request is at most as long as a line of the log.
func TestHistoryBoundsResults(t *testing.T) {
	for size, ok := range map[int]bool{maxResult - 1: true, maxResult: true, maxResult + 1: false} {
		content := json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
		var call chatCall
		call.ID, call.Function.Name, call.Function.Arguments = "c1", "read", "{}"
		problems := checkHistory([]ChatMessage{{Role: "assistant", ToolCalls: []chatCall{call}}, {Role: "tool", CallID: "c1", Content: content}})
		if (len(problems) == 0) != ok {
			t.Errorf("%d bytes: %v", size, problems)
		}
	}
	image := json.RawMessage(`[{"type":"image_url","image_url":{"url":"data:` + strings.Repeat("x", maxResult) + `"}}]`)
	var call chatCall
	call.ID, call.Function.Name, call.Function.Arguments = "c1", "read", "{}"
	if problems := checkHistory([]ChatMessage{{Role: "assistant", ToolCalls: []chatCall{call}}, {Role: "tool", CallID: "c1", Content: image}}); len(problems) > 0 {
		t.Error(problems)
	}
}

// What the strictest providers refuse of single messages is found.
func TestHistoryIsStrict(t *testing.T) {
	called := func(name, arguments string) []ChatMessage {
		var call chatCall
		call.ID, call.Function.Name, call.Function.Arguments = "c1", name, arguments
		return []ChatMessage{{Role: "assistant", ToolCalls: []chatCall{call}}, {Role: "tool", CallID: "c1", Content: quoted("x")}}
	}
	said := func(role, content string) []ChatMessage {
		return []ChatMessage{{Role: role, Content: json.RawMessage(content)}}
	}
	for i, c := range []struct {
		messages []ChatMessage
		want     string
	}{
		{called("read", `{"a": "\ud83d\ude00 \\ud800"}`), ""},
		{called("mcp__a-b__"+strings.Repeat("c", 54), `{}`), ""},
		{called("", `{}`), "name"},
		{called("a.b", `{}`), "name"},
		{called("read ", `{}`), "name"},
		{called(strings.Repeat("c", 65), `{}`), "name"},
		{called("read", `["a"]`), "no object"},
		{called("read", `"{}"`), "no object"},
		{called("read", `5`), "no object"},
		{called("read", `null`), "no object"},
		{called("read", ``), "no object"},
		{called("read", `{"a"`), "no object"},
		{called("read", `{"a": "\ud800"}`), "half"},
		{called("read", `{"a": "\\\uDC00"}`), "half"},
		{said("assistant", `"x"`), ""},
		{said("user", `[{"type":"image_url"}]`), ""},
		{said("assistant", `" \n"`), "blank"},
		{said("user", `""`), "blank"},
		{said("user", `[{"type":"text","text":" "},{"type":"image_url"}]`), "blank"},
		{said("assistant", `null`), "neither"},
		{said("assistant", ``), "neither"},
		{said("user", ``), "neither"},
	} {
		got := strings.Join(checkHistory(c.messages), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
}
