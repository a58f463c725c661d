package model

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestEffort: how much a model may think, as each family wants it.
func TestEffort(t *testing.T) {
	const none, low, high, most = "none", "low", "high", "xhigh"
	for _, row := range []struct{ base, api, model, effort, want, lacks string }{
		{"https://api.openai.com/v1", "", "gpt-5", most, `"reasoning_effort":"high"`, ""},
		{"https://api.openai.com/v1", "", "gpt-5", none, `"reasoning_effort":"minimal"`, ""},
		{"https://api.openai.com/v1", "", "gpt-5.2", most, `"reasoning_effort":"xhigh"`, ""},
		{"https://api.openai.com/v1", "", "o3-mini", "minimal", `"reasoning_effort":"low"`, ""},
		{"https://api.openai.com/v1", "", "gpt-4.1", high, "", "reasoning"},
		{"https://api.openai.com/v1", "responses", "gpt-5.2", none, `"reasoning":{"effort":"none","summary":"auto"}`, "reasoning_effort"},
		{"https://api.openai.com/v1", "responses", "gpt-5.2", "", `"reasoning":{"summary":"auto"}`, "effort"},
		{"https://openrouter.ai/api/v1", "", "anthropic/claude-sonnet-4.5", low, `"reasoning":{"effort":"low"}`, "reasoning_effort"},
		{"https://api.groq.com/openai/v1", "", "openai/gpt-oss-120b", most, `"reasoning_effort":"high"`, ""},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "", "gemini-2.5-flash", none, `"reasoning_effort":"none"`, ""},
		{"https://api.x.ai/v1", "", "grok-3-mini", "medium", `"reasoning_effort":"low"`, ""},
		{"https://api.z.ai/api/paas/v4", "", "glm-4.6", none, `"thinking":{"type":"disabled"}`, ""},
		{"https://api.z.ai/api/paas/v4", "", "glm-4.6", most, `"thinking":{"type":"enabled"}`, ""},
		{"https://api.deepseek.com/v1", "", "deepseek-chat", high, `"thinking":{"type":"enabled"}`, ""},
		{"https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "", "qwen3-max", none, `"enable_thinking":false`, "kwargs"},
		{"http://127.0.0.1:8000/v1", "", "Qwen/Qwen3-8B", none, `"chat_template_kwargs":{"enable_thinking":false}`, ""},
		{"http://127.0.0.1:8000/v1", "", "deepseek-ai/DeepSeek-V3.1", high, `"chat_template_kwargs":{"thinking":true}`, ""},
		{"http://127.0.0.1:8000/v1", "", "llama-3.3-70b", high, "", "thinking"},
		{"https://api.anthropic.com/v1", "", "claude-sonnet-4-5", high, `"max_tokens":32000,"thinking":{"budget_tokens":20000,"type":"enabled"},"stream"`, "temperature"},
		{"https://api.anthropic.com/v1", "", "claude-sonnet-4-5", none, `"thinking":{"type":"disabled"},"temperature":0.5`, "budget"},
		{"https://api.anthropic.com/v1", "", "claude-opus-4-7", most, `"thinking":{"type":"adaptive"},"output_config":{"effort":"xhigh"}`, "temperature"},
		{"https://api.anthropic.com/v1", "", "claude-3-5-haiku", high, `"temperature":0.5`, "thinking"},
		{"https://bedrock-runtime.us-east-1.amazonaws.com", "", "us.anthropic.claude-opus-4-6-v1", low, `"output_config":{"effort":"low"}`, ""},
	} {
		base, err := url.Parse(row.base)
		if err != nil {
			t.Fatal(err)
		}
		half := 0.5
		info := Info{Provider: "p", Name: row.model, MaxOutput: 64_000, Reasoning: true, form: formOf(row.api, row.model, base)}
		body := string(encode(Request{Messages: ask("hi").Messages, Params: Params{Effort: row.effort, Temperature: &half}}, info, nil).body.whole())
		if !strings.Contains(body, row.want) || row.lacks != "" && strings.Contains(body, row.lacks) || !json.Valid([]byte(body)) {
			t.Errorf("%s %s: %s", row.model, row.effort, body)
		}
		if written := row.effort != "" && (row.want == "" || row.lacks == "thinking"); written && efforts(info) != nil {
			t.Errorf("%s takes %v", row.model, efforts(info))
		}
	}
}

// Every family names levels that there are, in their order.
func TestEffortLevels(t *testing.T) {
	for _, f := range families {
		for _, wanted := range Efforts {
			if got := f.nearest(wanted); !slices.Contains(f.levels, got) || f.write != nil && wanted == noEffort && slices.Contains(f.levels, noEffort) && got != noEffort {
				t.Errorf("%v: %s is %s", f.levels, wanted, got)
			}
		}
	}
}

// A model that thinks by a number of tokens is not asked to where its last calls came without
// thinking, of another model's maybe: it would refuse them.
func TestEffortInTheMiddle(t *testing.T) {
	info := Info{Provider: "p", Name: "claude-sonnet-4-5", MaxOutput: 64_000, form: form{api: apiMessages}}
	calls := []Call{{ID: "a", Name: "x"}}
	sealed := &Opaque{Provider: "p", Fields: rawFields(blocksField, `[{"type":"thinking","thinking":"t","signature":"S"},{"type":"function_call"}]`)}
	hi, result := Message{Role: "user", Text: "hi"}, Message{Role: "tool", CallID: "a", Text: "1"}
	for name, row := range map[string]struct {
		all    []Message
		quirks map[string]bool
		thinks bool
	}{
		"its own thought":    {[]Message{hi, {Role: "assistant", Calls: calls, Opaque: sealed}, result}, nil, true},
		"no thought":         {[]Message{hi, {Role: "assistant", Calls: calls}, result}, nil, false},
		"another's":          {[]Message{hi, {Role: "assistant", Calls: calls, Opaque: &Opaque{Provider: "q", Fields: sealed.Fields}}, result}, nil, false},
		"it is not sent":     {[]Message{hi, {Role: "assistant", Calls: calls, Opaque: sealed}, result}, map[string]bool{quirkThoughts: true}, false},
		"the user has asked": {[]Message{hi, {Role: "assistant", Calls: calls}, result, hi}, nil, true},
	} {
		body := string(encode(Request{Messages: row.all, Params: Params{Effort: "low"}}, info, row.quirks).body.whole())
		if strings.Contains(body, `"budget_tokens":4096`) != row.thinks {
			t.Errorf("%s: %s", name, body)
		}
	}
}
