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
