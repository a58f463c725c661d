package model

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestResponsesRequest: history to the input of the Responses API, message by
// message.
func TestResponsesRequest(t *testing.T) {
	zero, half, limit := 0.0, 0.5, int64(9)
	image := Image{MIME: "image/png", Data: pngOf(1, 1)}
	state := func(provider string, items ...string) *Opaque {
		return &Opaque{Provider: provider, Fields: rawFields("output", "["+strings.Join(items, ",")+"]", "reasoning_content", `"chat"`)}
	}
	const (
		head  = `{"model":"m"`
		tail  = `,"include":["reasoning.encrypted_content"],"store":false,"stream":true}`
		first = `{"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"A<b>\u003c=="}`
		more  = `{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"B"}`
		user  = `,"input":[{"type":"message","role":"user","content":"hi"}]`
		call  = `{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}`
		said  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t"}]}`
	)
	calls := []Call{{ID: "a", Name: "x", Arguments: "{}"}}
	one := func(m ...Message) Request { return Request{Messages: m} }
	for _, row := range []struct {
		name string
		req  Request
		want string // between head and tail
	}{
		{"leading system messages are the instructions", one(Message{Role: "system", Text: "a"}, Message{Role: "system", Text: "b"}, Message{Role: "user", Text: "<hi>"}),
			`,"instructions":"a\n\nb","input":[{"type":"message","role":"user","content":"<hi>"}]`},
		{"a later one is a message", one(Message{Role: "user", Text: "hi"}, Message{Role: "system", Text: "b"}),
			`,"input":[{"type":"message","role":"user","content":"hi"},{"type":"message","role":"system","content":"b"}]`},
		{"nothing is ever empty", one(Message{Role: "user"}, Message{Role: "assistant"}, Message{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}}, Message{Role: "tool", CallID: "a", Text: " \n"}),
			`,"input":[{"type":"message","role":"user","content":"(empty message)"},` + call + `,{"type":"function_call_output","call_id":"a","output":"(no output)"}]`},
		{"not the input either", one(Message{Role: "system", Text: "a"}), `,"instructions":"a","input":[{"type":"message","role":"user","content":"(empty message)"}]`},
		{"arguments that are no JSON", one(Message{Role: "assistant", Calls: []Call{{ID: "a", Name: "x", Arguments: `{"a":"b`}}}),
			`,"input":[{"type":"function_call","call_id":"a","name":"x","arguments":"{\"malformed_arguments\":\"{\\\"a\\\":\\\"b\"}"}]`},
		{"missing ids are numbered and answered in order", one(Message{Role: "assistant", Calls: []Call{{Name: "x"}, {Name: "y"}}}, Message{Role: "tool", Text: "1"}, Message{Role: "tool", Text: "2"}),
			`,"input":[{"type":"function_call","call_id":"call_1","name":"x","arguments":"{}"},{"type":"function_call","call_id":"call_2","name":"y","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"1"},{"type":"function_call_output","call_id":"call_2","output":"2"}]`},
		{"an odd id of another provider", one(Message{Role: "assistant", Calls: []Call{{ID: "functions.x:0", Name: "x"}}, Opaque: &Opaque{Provider: "other"}}, Message{Role: "tool", CallID: "functions.x:0", Text: "1"}),
			`,"input":[{"type":"function_call","call_id":"call_` + hashed("functions.x:0")[:16] + `","name":"x","arguments":"{}"},{"type":"function_call_output","call_id":"call_` + hashed("functions.x:0")[:16] + `","output":"1"}]`},
		{"reasoning goes back in its place, byte for byte", one(Message{Role: "assistant", Text: "t", Calls: calls, Opaque: state("p", first, `{"type":"message","phase":"commentary","bytes":1}`, more, `{"type":"function_call"}`)}),
			`,"input":[` + first + `,` + strings.Replace(said, `]}`, `],"phase":"commentary"}`, 1) + `,` + more + `,` + call + `]`},
		{"to its own provider only", one(Message{Role: "assistant", Text: "t", Calls: calls, Opaque: state("other", first, `{"type":"message","bytes":1}`, `{"type":"function_call"}`)}),
			`,"input":[` + said + `,` + call + `]`},
		{"reasoning that nothing follows stays behind", one(Message{Role: "user", Text: "hi"}, Message{Role: "assistant", Opaque: state("p", first)}), user},
		{"and so does the last", one(Message{Role: "assistant", Text: "t", Opaque: state("p", `{"type":"message","bytes":1}`, more)}), `,"input":[` + said + `]`},
		{"a text that was cut since is the first message", one(Message{Role: "assistant", Text: "tu", Opaque: state("p", first, `{"type":"message","bytes":9}`, more, `{"type":"message","bytes":9}`)}),
			`,"input":[` + first + `,` + strings.Replace(said, `"t"}`, `"tu"}`, 1) + `]`},
		{"two messages", one(Message{Role: "assistant", Text: "a\n\nt", Opaque: state("p", `{"type":"message","phase":"x","bytes":1}`, first, `{"type":"message","bytes":1}`)}),
			`,"input":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}],"phase":"x"},` + first + `,` + said + `]`},
		{"more calls than are known of", one(Message{Role: "assistant", Calls: append(calls, Call{ID: "b", Name: "y"}), Opaque: state("p", first, `{"type":"function_call"}`)}),
			`,"input":[` + first + `,` + call + `,{"type":"function_call","call_id":"b","name":"y","arguments":"{}"}]`},
		{"fewer", one(Message{Role: "assistant", Text: "t", Opaque: state("p", first, `{"type":"function_call"}`)}), `,"input":[` + first + `,` + said + `]`},
		{"state that is none", one(Message{Role: "assistant", Text: "t", Opaque: state("p", `7`, `{"type":"message","bytes":-4}`, `{"bytes":1}`, `"reasoning"`)}), `,"input":[` + said + `]`},
		{"images are data URLs", one(Message{Role: "user", Text: "see", Images: []Image{image}}),
			`,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,` + onePixel + `"}]}]`},
		{"images of results follow them", one(Message{Role: "assistant", Calls: calls}, Message{Role: "tool", CallID: "a", Images: []Image{image}}),
			`,"input":[` + call + `,{"type":"function_call_output","call_id":"a","output":"(no output)"},{"type":"message","role":"user","content":[{"type":"input_text","text":"The images that the tool results above refer to:"},{"type":"input_image","image_url":"data:image/png;base64,` + onePixel + `"}]}]`},
		{"tools, and none", Request{Messages: ask("hi").Messages, Tools: []Tool{{Name: "x", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "y"}}, ToolChoice: "none"},
			user + `,"tools":[{"type":"function","name":"x","description":"d","parameters":{"type":"object"},"strict":false},{"type":"function","name":"y","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":"none"`},
		{"no tools, no choice", Request{Messages: ask("hi").Messages, ToolChoice: "none"}, user},
		{"parameters each on its own, and zero", Request{Messages: ask("hi").Messages, Params: Params{Temperature: &zero}}, user + `,"temperature":0`},
		{"all of them", Request{Messages: ask("hi").Messages, Params: Params{Temperature: &half, TopP: &zero, MaxTokens: &limit}}, user + `,"temperature":0.5,"top_p":0,"max_output_tokens":9`},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := encodeResponses(row.req, Info{Provider: "p", Name: "m", Vision: true}, nil).body.whole()
			if !json.Valid(body) {
				t.Fatalf("not JSON: %s", body)
			}
			if got, want := string(body), head+row.want+tail; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	body := encodeResponses(ask("hi"), Info{Provider: "p", Name: "m", Reasoning: true}, nil).body.whole()
	if !strings.Contains(string(body), `"reasoning":{"summary":"auto"}`) {
		t.Errorf("a reasoning model is not asked for summaries: %s", body)
	}
}

// responsesOK is an answer of the Responses API.
const responsesOK = `data: {"type":"response.output_text.delta","output_index":0,"delta":"ok"}

data: {"type":"response.completed","response":{"status":"completed"}}

`

// TestResponsesQuirks: what an endpoint refuses is left out or asked elsewhere,
// once learned, for good.
func TestResponsesQuirks(t *testing.T) {
	refused := func(status int, message, param, code string) step {
		return refuse(status, string(encodeJSON(map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error", "param": param, "code": code}})))
	}
	thought := Message{Role: "assistant", Text: "t", Opaque: &Opaque{Provider: "test", Fields: rawFields("output", `[{"id":"rs_1","type":"reasoning","encrypted_content":"E"},{"type":"message","bytes":1}]`)}}
	warm, limit := 0.5, int64(99)
	everything := Request{
		Messages: []Message{thought, {Role: "user", Text: "hi"}}, Tools: []Tool{{Name: "x"}},
		Params: Params{Temperature: &warm, TopP: &warm, MaxTokens: &limit},
	}
	for _, row := range []struct {
		name  string
		api   string
		first step
		quirk string
		paths string // of the two requests, and of a third one later
		has   string // the second request
		lacks string
	}{
		{"tools with reasoning", "", refused(400, "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.", "reasoning_effort", ""), "", "chat responses responses", `"input":[`, `"messages"`},
		{"tools or reasoning", "", refused(400, "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", "reasoning_effort", ""), "", "chat responses responses", `"input":[`, `"messages"`},
		{"a model of the other API", "", refused(404, "This model is only supported in v1/responses and not in v1/chat/completions.", "model", ""), "", "chat responses responses", `"input":[`, `"messages"`},
		{"no encrypted reasoning", "responses", refused(400, "Encrypted content is not supported with this model.", "include", ""), "encrypted_content", "responses responses responses", `"text":"t"`, `encrypted_content`},
		{"encrypted by another", "responses", refused(400, "The encrypted content gAAA...c90= could not be verified.", "", "invalid_encrypted_content"), "encrypted_content", "responses responses responses", `"text":"t"`, `encrypted_content`},
		{"reasoning without what followed it", "responses", refused(400, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""), "encrypted_content", "responses responses responses", `"text":"t"`, `encrypted_content`},
		{"an id that it does not know", "responses", refused(404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "input", ""), "input.id", "responses responses responses", `"encrypted_content":"E"`, `rs_1`},
		{"an id that is too long", "responses", refused(400, "Invalid 'input[0].id': string too long. Expected a string with maximum length 64, but got a string with length 408 instead.", "input[0].id", "string_above_max_length"), "input.id", "responses responses responses", `"encrypted_content":"E"`, `rs_1`},
		{"no summaries", "responses", refused(400, "Your organization must be verified to generate reasoning summaries.", "reasoning.summary", "unsupported_value"), "reasoning", "responses responses responses", `"text":"t"`, `"summary":"auto"`},
		{"no temperature", "responses", refused(400, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature", ""), "temperature", "responses responses responses", `"top_p"`, `"temperature"`},
		{"no store", "responses", refused(400, "Unknown parameter: 'store'.", "store", "unknown_parameter"), "store", "responses responses responses", `"top_p"`, `"store"`},
		{"no limit", "responses", refused(400, "Unsupported parameter: max_output_tokens", "", ""), "max_output_tokens", "responses responses responses", `"top_p"`, `max_output_tokens`},
		{"a limit that is too high", "responses", refused(400, "max_output_tokens is too large: 99. This model supports at most 9.", "", ""), "output_limit", "responses responses responses", `"top_p"`, `max_output_tokens`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var paths []string
			answer := step{status: 200, body: responsesOK}
			c, seen := script(t, row.first, answer)
			c.Providers[0].Models = map[string]ModelConfig{"m": {API: row.api, Reasoning: true}}
			c.client = &http.Client{Transport: pathNoter{c.http().Transport, &paths}}
			m := open(t, c, "test/m")
			h := hear(t.Context(), m, everything)
			if h.done == nil || h.text != "ok" || h.done.Quirk != row.quirk || h.done.Moved != (row.quirk == "") {
				t.Fatalf("answer %+v, error %v", h.done, h.err)
			}
			second := (*seen)[1].body
			if !strings.Contains(second, row.has) || strings.Contains(second, row.lacks) || !json.Valid([]byte(second)) {
				t.Errorf("the second request is %s", second)
			}
			if h = hear(t.Context(), m, everything); h.done == nil || h.done.Quirk != "" || (*seen)[2].body != second {
				t.Errorf("it was not remembered: %v", h.err)
			}
			if got := strings.Join(paths, " "); got != row.paths {
				t.Errorf("asked at %s, want %s", got, row.paths)
			}
		})
	}
}

// TestResponsesMovedAndRefused: moving to the other API is not the one quirk.
func TestResponsesMovedAndRefused(t *testing.T) {
	c, seen := script(t, refuse(404, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions."}}`),
		refuse(400, `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`),
		refuse(400, `{"error":{"message":"Unknown parameter: 'store'.","param":"store"}}`), step{status: 200, body: responsesOK})
	m := open(t, c, "test/m")
	if h := hear(t.Context(), m, ask("hi")); h.modelError().Kind != KindRejected || len(*seen) != 3 {
		t.Errorf("a second quirk: %v after %d requests", h.err, len(*seen))
	}
	c, seen = script(t, refuse(404, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions."}}`),
		refuse(400, `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`), step{status: 200, body: responsesOK})
	h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
	if h.done == nil || !h.done.Moved || h.done.Quirk != quirkEncrypted || len(*seen) != 3 {
		t.Errorf("%+v, %v", h.done, h.err)
	}
	// An endpoint that sends everybody to the other door, from there too, ends.
	c, seen = script(t, refuse(400, `{"error":{"message":"Please use /v1/responses instead."}}`))
	if h := hear(t.Context(), open(t, c, "test/m"), ask("hi")); h.modelError().Kind != KindRejected || len(*seen) != 2 {
		t.Errorf("%v after %d requests", h.err, len(*seen))
	}
}

// pathNoter notes which API was asked.
type pathNoter struct {
	next  http.RoundTripper
	paths *[]string
}

func (n pathNoter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return n.next.RoundTrip(r) // a list of models
	}
	*n.paths = append(*n.paths, strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")[0])
	return n.next.RoundTrip(r)
}

// TestResponsesTurn: what an answer brought goes back with the next question,
// to the same provider, and to no other.
func TestResponsesTurn(t *testing.T) {
	const item = `{"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"gA<>&\u003c\u2028=="}`
	c, seen := script(t, step{status: 200, body: `data: {"type":"response.output_item.done","output_index":0,"item":` + item + `}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c1","name":"x","arguments":"{}"}}

data: {"type":"response.completed","response":{"status":"completed"}}

`}, step{status: 200, body: responsesOK})
	other := c.Providers[0]
	other.Name = "other"
	c.Providers = append(c.Providers, other)
	for i := range c.Providers {
		c.Providers[i].Models = map[string]ModelConfig{"m": {API: "responses"}, "n": {API: "responses"}}
	}
	h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
	if h.done == nil {
		t.Fatal(h.err)
	}
	next := Request{Messages: append(ask("hi").Messages,
		Message{Role: "assistant", Text: h.done.Text, Calls: h.done.Calls, Opaque: h.done.Opaque}, Message{Role: "tool", CallID: "c1", Text: "1"})}
	for _, row := range []struct {
		model string
		has   bool
	}{{"test/m", true}, {"other/m", false}, {"test/n", true}} {
		if h := hear(t.Context(), open(t, c, row.model), next); h.done == nil {
			t.Fatal(h.err)
		}
		body := (*seen)[len(*seen)-1].body
		sent := strings.ReplaceAll(item, " ", "") // blanks between its parts are no state
		if strings.Contains(body, sent+`,{"type":"function_call","call_id":"c1"`) != row.has || strings.Contains(body, "rs_1") != row.has {
			t.Errorf("%s was sent %s", row.model, body)
		}
	}
}
