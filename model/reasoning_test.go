package model

import (
	"strings"
	"testing"
)

// TestReasoningBack: the text of reasoning goes to models that ask for it, what
// is sealed to everybody it came from.
func TestReasoningBack(t *testing.T) {
	const details = `[{"type":"reasoning.encrypted", "data":"E<>&"}]`
	history := func(fields ...string) Request {
		return Request{Messages: []Message{
			{Role: "user", Text: "hi"},
			{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}, Opaque: &Opaque{Provider: "p", Fields: rawFields(fields...)}},
			{Role: "tool", CallID: "a", Text: "1"},
		}}
	}
	for _, row := range []struct {
		model, provider string
		fields          []string
		has             string
		hasNot          string
	}{
		{"deepseek-reasoner", "p", []string{"reasoning_content", `"hm"`}, `"reasoning_content":"hm"`, "no such"},
		{"deepseek/deepseek-v3.2", "p", []string{"reasoning", `"hm"`}, `"reasoning":"hm"`, "no such"},
		{"kimi-k2-thinking", "p", []string{"reasoning_content", `"hm"`}, `"reasoning_content":"hm"`, "no such"},
		{"z-ai/glm-4.6", "p", []string{"reasoning_content", `"hm"`}, `"reasoning_content":"hm"`, "no such"},
		{"openai/gpt-oss-120b", "p", []string{"reasoning", `"hm"`}, `"reasoning":"hm"`, "no such"},
		{"qwen3-235b-a22b-thinking-2507", "p", []string{"reasoning_content", `"hm"`}, `"reasoning_content":"hm"`, "no such"},
		{"qwen3-coder", "p", []string{"reasoning_content", `"hm"`}, `"tool_calls"`, "hm"},
		{"gpt-4o", "p", []string{"reasoning_content", `"hm"`}, `"tool_calls"`, "hm"},
		{"grok-4", "p", []string{"reasoning_content", `"hm"`, "reasoning_text", `"hm"`}, `"tool_calls"`, "hm"},
		{"my-deepseek", "p", []string{"reasoning_content", `"hm"`}, `"tool_calls"`, "hm"},
		{"deepseek-reasoner", "other", []string{"reasoning_content", `"hm"`, "reasoning_details", details}, `"tool_calls"`, "reasoning"},
		{"anthropic/claude-sonnet-4", "p", []string{"reasoning", `"hm"`, "reasoning_details", details}, `"reasoning_details":` + details, "hm"},
		{"gpt-4o", "p", []string{"reasoning_encrypted", `"E"`, "reasoning_opaque", `"O"`}, `"reasoning_encrypted":"E","reasoning_opaque":"O"`, "no such"},
	} {
		body := string(encodeRequest(history(row.fields...), Info{Provider: row.provider, Name: row.model}, nil).body.whole())
		if !strings.Contains(body, row.has) || strings.Contains(body, row.hasNot) {
			t.Errorf("%s at %s was sent %s", row.model, row.provider, body)
		}
	}
}

// TestReasoningWanted: a provider that refuses a history without it gets it.
func TestReasoningWanted(t *testing.T) {
	req := Request{Messages: []Message{
		{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}, Opaque: &Opaque{Provider: "test", Fields: rawFields("reasoning_content", `"hm"`)}},
		{Role: "tool", CallID: "a", Text: "1"},
	}}
	for _, says := range []string{
		"The reasoning_content in the thinking mode must be passed back to the API.",
		"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
		"Missing reasoning_content field in the assistant message at message index 1",
	} {
		c, seen := script(t, refuse(400, `{"error":{"message":"`+says+`","type":"invalid_request_error"}}`), ok())
		h := hear(t.Context(), open(t, c, "test/alias"), req)
		if h.done == nil || h.done.Quirk != quirkReasoningBack {
			t.Errorf("%s: %+v, %v", says, h.done, h.err)
			continue
		}
		if strings.Contains((*seen)[0].body, "hm") || !strings.Contains((*seen)[1].body, `"reasoning_content":"hm"`) {
			t.Errorf("%s: sent %s, then %s", says, (*seen)[0].body, (*seen)[1].body)
		}
	}
}

// TestSignatureWanted: calls of another model have no signature; a provider that
// refuses them is told that they are not its own, and keeps those that are.
func TestSignatureWanted(t *testing.T) {
	const refusal = `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.","status":"INVALID_ARGUMENT"}}]`
	own := rawFields("s", `{"google":{"thought_signature":"own"}}`)["s"]
	req := Request{Messages: []Message{
		{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}, Opaque: &Opaque{Provider: "other"}},
		{Role: "tool", CallID: "a", Text: "1"}, {Role: "tool", CallID: "b", Text: "2"},
		{Role: "assistant", Calls: []Call{{ID: "c", Name: "x", Extra: own}}, Opaque: &Opaque{Provider: "test"}},
		{Role: "tool", CallID: "c", Text: "3"},
	}}
	c, seen := script(t, refuse(400, refusal), ok())
	h := hear(t.Context(), open(t, c, "test/gemini-3-pro"), req)
	if h.done == nil || h.done.Quirk != quirkSignature {
		t.Fatalf("%+v, %v", h.done, h.err)
	}
	before, after := (*seen)[0].body, (*seen)[1].body
	if strings.Contains(before, "skip_") || strings.Count(after, "skip_thought_signature_validator") != 1 ||
		!strings.Contains(after, `"id":"a","type":"function","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"skip_`) ||
		!strings.Contains(after, `"extra_content":{"google":{"thought_signature":"own"}}`) {
		t.Errorf("sent %s, then %s", before, after)
	}
}
