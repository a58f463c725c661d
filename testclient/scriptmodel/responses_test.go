package scriptmodel

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestResponsesLaws: what a provider of the Responses API refuses, the scripted
// model refuses too.
func TestResponsesLaws(t *testing.T) {
	const (
		user   = `{"type":"message","role":"user","content":"hi"}`
		text   = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t"}]}`
		call   = `{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}`
		result = `{"type":"function_call_output","call_id":"a","output":"1"}`
		sealed = `{"type":"reasoning","encrypted_content":"E"}`
		kept   = `,"store":false`
		asked  = kept + `,"include":["reasoning.encrypted_content"]`
	)
	for _, row := range []struct{ name, input, rest, want string }{
		{"a turn", user + "," + text + "," + call + "," + result, kept, ""},
		{"nothing", "", kept, "the input is empty"},
		{"stored", user, "", "would be stored"},
		{"stored on purpose", user, `,"store":true`, "would be stored"},
		{"a strict tool", user, kept + `,"tools":[{"type":"function","name":"x"}]`, "not a function whose schema is taken as it is"},
		{"reasoning in its place", user + "," + sealed + "," + text, asked, "never given out"},
		{"reasoning that was not asked for", user + "," + sealed + "," + text, kept, "not asked for"},
		{"reasoning at the end", user + "," + sealed, asked, "no item that follows it"},
		{"reasoning before a result", user + "," + call + "," + sealed + "," + result, asked, "no item that follows it"},
		{"reasoning before the user", user + "," + text + "," + sealed + "," + user, asked, "no item that follows it"},
		{"a call without its result", user + "," + call + "," + user, kept, "have no result"},
		{"a result without its call", user + "," + result, kept, "has no call before it"},
		{"an item of the other API", `{"role":"user","content":"hi"}`, kept, `items of type "" are not known`},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := New("say ok\noptional")
			if err != nil {
				t.Fatal(err)
			}
			body := `{"model":"m","input":[` + row.input + `],"stream":true` + row.rest + `}`
			m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/responses", strings.NewReader(body)))
			got := strings.Join(m.Problems(), "\n")
			if (row.want == "") != (got == "") || !strings.Contains(got, row.want) {
				t.Errorf("problems %q, want %q", got, row.want)
			}
		})
	}
	m, err := New("say ok\noptional")
	if err != nil {
		t.Fatal(err)
	}
	m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"model":"m","input":[`+user+`],"store":false}`)))
	if len(m.Problems()) != 1 {
		t.Errorf("a request at the wrong door: %q", m.Problems())
	}
}

// TestMessagesLaws: what the Messages API refuses, the scripted model refuses too.
func TestMessagesLaws(t *testing.T) {
	const (
		user   = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
		text   = `{"role":"assistant","content":[{"type":"text","text":"t"}]}`
		call   = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}`
		sealed = `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"S"},{"type":"text","text":"t"}]}`
		marked = `{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}`
		rest   = `,"max_tokens":9`
	)
	for _, row := range []struct{ name, messages, rest, want string }{
		{"a turn", user + "," + text + "," + user + "," + call + "," + result, rest, ""},
		{"nothing", "", rest, "at least one message"},
		{"no limit", user, "", "max_tokens"},
		{"the model begins", text + "," + user, rest, "begin and end with a user message"},
		{"the model ends", user + "," + text, rest, "begin and end with a user message"},
		{"an empty message", user + `,{"role":"assistant","content":[]},` + user, rest, "non-empty"},
		{"a blank text", `{"role":"user","content":[{"type":"text","text":" "}]}`, rest, "blank"},
		{"thinking that nobody sealed", user + "," + sealed + "," + user, rest, "never given out"},
		{"a call without its result", user + "," + call + "," + user, rest, "have no result"},
		{"a result without its call", user + "," + result, rest, "has no call before it"},
		{"a result behind a text", user + "," + call + `,{"role":"user","content":[{"type":"text","text":"t"},{"type":"tool_result","tool_use_id":"a","content":"1"}]}`, rest, "must come first"},
		{"a call of the user", `{"role":"user","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}`, rest, "a tool_use block of the user"},
		{"too many marks", strings.Repeat(marked+",", 4) + marked, rest, "a maximum of 4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := New("say ok\noptional")
			if err != nil {
				t.Fatal(err)
			}
			body := `{"model":"m","system":[{"type":"text","text":"s"}],"messages":[` + row.messages + `],"stream":true` + row.rest + `}`
			m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/messages", strings.NewReader(body)))
			got := strings.Join(m.Problems(), "\n")
			if (row.want == "") != (got == "") || !strings.Contains(got, row.want) {
				t.Errorf("problems %q, want %q", got, row.want)
			}
		})
	}
}
