package model

import (
	"encoding/json"
	"strings"
	"testing"
)

func rawFields(pairs ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return m
}

// TestRequestBody: history to wire, message by message.
func TestRequestBody(t *testing.T) {
	zero, half, limit := 0.0, 0.5, int64(9)
	image := Image{MIME: "image/png", Data: pngOf(1, 1)}
	const head, tail = `{"model":"m","messages":[`, `,"stream":true,"stream_options":{"include_usage":true}}`
	for _, row := range []struct {
		name string
		req  Request
		want string // between head and tail
	}{
		{"leading system messages are merged", Request{Messages: []Message{{Role: "system", Text: "a"}, {Role: "system"}, {Role: "system", Text: "b"}, {Role: "user", Text: "<hi> & \u2028"}}},
			`{"role":"system","content":"a\n\nb"},{"role":"user","content":"<hi> & \u2028"}]`},
		{"nothing is ever empty", Request{Messages: []Message{{Role: "user"}, {Role: "assistant"}, {Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}}, {Role: "tool", CallID: "a", Text: " \n"}}},
			`{"role":"user","content":"(empty message)"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","content":"(no output)","tool_call_id":"a"}]`},
		{"a thought that is in the text is not sent", Request{Messages: []Message{{Role: "user", Text: "a"}, {Role: "assistant", Text: "<think>\nb\n</think>\n\nc <think>d</think>"}, {Role: "user", Text: "<think>e</think>f"}, {Role: "assistant", Text: "<think>g</think>"}}},
			`{"role":"user","content":"a"},{"role":"assistant","content":"c <think>d</think>"},{"role":"user","content":"<think>e</think>f"}]`},
		{"arguments that are no JSON", Request{Messages: []Message{{Role: "assistant", Text: "t", Calls: []Call{{ID: "a", Name: "x", Arguments: `{"a":"b`}, {ID: "b", Name: "y", Arguments: "null"}}}}},
			`{"role":"assistant","content":"t","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"malformed_arguments\":\"{\\\"a\\\":\\\"b\"}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]}]`},
		{"missing ids are numbered and answered in order", Request{Messages: []Message{{Role: "assistant", Calls: []Call{{Name: "x"}, {Name: "y"}}}, {Role: "tool", Text: "1"}, {Role: "tool", Text: "2"}, {Role: "assistant", Calls: []Call{{Name: "z"}}}, {Role: "tool", Text: "3"}}},
			`{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"call_2","type":"function","function":{"name":"y","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"call_1"},{"role":"tool","content":"2","tool_call_id":"call_2"},{"role":"assistant","tool_calls":[{"id":"call_3","type":"function","function":{"name":"z","arguments":"{}"}}]},{"role":"tool","content":"3","tool_call_id":"call_3"}]`},
		{"the same provider gets its state and its ids back", Request{Messages: []Message{{Role: "assistant", Text: "t", Calls: []Call{{ID: "functions.x:0", Name: "x", Extra: json.RawMessage(`{"google":{"thought_signature":"s"}}`)}}, Opaque: &Opaque{Provider: "p", Fields: rawFields("reasoning", `"r"`, "reasoning_details", `[{"type":"x"}]`, "role", `"system"`, "reasoning_encrypted", `{bad`)}}, {Role: "tool", CallID: "functions.x:0", Text: "1"}}},
			`{"role":"assistant","content":"t","reasoning_details":[{"type":"x"}],"tool_calls":[{"id":"functions.x:0","type":"function","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]},{"role":"tool","content":"1","tool_call_id":"functions.x:0"}]`},
		{"another gets neither", Request{Messages: []Message{{Role: "assistant", Text: "t", Calls: []Call{{ID: "functions.x:0", Name: "x", Extra: json.RawMessage(`{"google":{}}`)}}, Opaque: &Opaque{Provider: "other", Fields: rawFields("reasoning_content", `"r"`)}}, {Role: "tool", CallID: "functions.x:0", Text: "1"}}},
			`{"role":"assistant","content":"t","tool_calls":[{"id":"call_` + hashed("functions.x:0")[:16] + `","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"call_` + hashed("functions.x:0")[:16] + `"}]`},
		{"images are data URLs", Request{Messages: []Message{{Role: "user", Text: "see", Images: []Image{image}}}},
			`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + onePixel + `"}}]}]`},
		{"images of results follow them", Request{Messages: []Message{{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}}, {Role: "tool", CallID: "a", Images: []Image{image}}, {Role: "tool", CallID: "b", Text: "t"}, {Role: "user", Text: "go"}}},
			`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","content":"(no output)","tool_call_id":"a"},{"role":"tool","content":"t","tool_call_id":"b"},{"role":"user","content":[{"type":"text","text":"The images that the tool results above refer to:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + onePixel + `"}}]},{"role":"user","content":"go"}]`},
		{"tools, and none", Request{Tools: []Tool{{Name: "x", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "y"}}, ToolChoice: "none"},
			`],"tools":[{"type":"function","function":{"name":"x","description":"d","parameters":{"type":"object"}}},{"type":"function","function":{"name":"y","parameters":{"type":"object","properties":{}}}}],"tool_choice":"none"`},
		{"no tools, no choice", Request{ToolChoice: "none"}, `]`},
		{"parameters each on its own, and zero", Request{Params: Params{Temperature: &zero}}, `],"temperature":0`},
		{"all of them", Request{Params: Params{Temperature: &half, TopP: &zero, MaxTokens: &limit}}, `],"temperature":0.5,"top_p":0,"max_tokens":9`},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := encodeRequest(row.req, Info{Provider: "p", Name: "m", Vision: true}, nil).body.whole()
			if !json.Valid(body) {
				t.Fatalf("not JSON: %s", body)
			}
			want := head + row.want + tail
			if got := strings.ReplaceAll(string(body), "\u2028", `\u2028`); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestNameOfTheOutputLimit(t *testing.T) {
	limit := int64(1)
	for model, want := range map[string]string{
		"gpt-4o": "max_tokens", "gpt-4.1": "max_tokens", "o1": "max_completion_tokens", "o3-mini": "max_completion_tokens",
		"gpt-5": "max_completion_tokens", "gpt-5.1-codex": "max_completion_tokens", "openai/gpt-5-mini": "max_completion_tokens",
		"gpt-6-sol": "max_completion_tokens", "olmo-2": "max_tokens", "o1x": "max_tokens", "gpt-oss-120b": "max_tokens", "claude-sonnet-4": "max_tokens",
	} {
		body := encodeRequest(Request{Params: Params{MaxTokens: &limit}}, Info{Provider: "p", Name: model}, nil).body.whole()
		if !strings.Contains(string(body), `"`+want+`":1`) {
			t.Errorf("%s: %s", model, body)
		}
	}
}

// Model names that go-openai judges itself reach the server as they are.
func TestModelNamesAreNotJudgedHere(t *testing.T) {
	zero, limit := 0.3, int64(10)
	for _, name := range []string{"o1", "gpt-5", "gpt-6-sol", "gpt-6-astra", "text-davinci-003"} {
		c, seen := script(t, ok())
		h := hear(t.Context(), open(t, c, "test/"+name), Request{Tools: []Tool{{Name: "x"}}, Params: Params{Temperature: &zero, MaxTokens: &limit}})
		if h.done == nil || (*seen)[0].model != name || !strings.Contains((*seen)[0].body, `"temperature":0.3`) {
			t.Errorf("%s: %v", name, h.err)
		}
	}
}
