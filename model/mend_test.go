package model

import (
	"strings"
	"testing"
	"testing/synctest"
)

// twoCalls is a history that every kind of server can refuse.
var twoCalls = Request{Messages: []Message{
	{Role: "user", Text: "go"},
	{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}, {ID: "b", Name: "y"}}},
	{Role: "tool", CallID: "a", Text: "one"},
	{Role: "tool", CallID: "b", Text: "two"},
}}

// TestShapeMended: what servers say of a history leads to the form that they take.
func TestShapeMended(t *testing.T) {
	const plain = "[I called x with {}]"
	for _, row := range []struct {
		status         int
		refusal, quirk string
		has, hasNot    string // of the second request
	}{
		{400, `{"error":{"message":"This model only supports single tool-calls at once!"}}`, quirkOneCall, `"one","tool_call_id":"a"},{"role":"assistant"`, plain},
		{500, `{"error":{"message":"Jinja Exception: This model only supports single tool-calls at once!"}}`, quirkOneCall, `"one","tool_call_id":"a"},{"role":"assistant"`, plain},
		{400, `{"error":{"message":"Multiple tool calls are not supported by this model"}}`, quirkOneCall, `"one","tool_call_id":"a"},{"role":"assistant"`, plain},
		{400, `{"error":{"message":"[{'type': 'string_type', 'loc': ('body', 'messages', 1, 'content'), 'msg': 'Input should be a valid string', 'input': None}]"}}`, quirkContent, onlyCalls, plain},
		{422, `{"detail":[{"loc":["body","messages",1,"content"],"msg":"Input should be a valid string"}]}`, quirkContent, onlyCalls, plain},
		{400, `{"error":{"message":"Invalid value for 'content': expected a string, got null."}}`, quirkContent, onlyCalls, plain},
		{400, `{"error":{"message":"messages[1].content must not be null"}}`, quirkContent, onlyCalls, plain},
		{400, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`, quirkPlain, plain, `"tool_calls"`},
		{500, `{"error":{"message":"After the optional system message, conversation roles must alternate"}}`, quirkPlain, plain, `"tool_calls"`},
		{400, `{"error":{"message":"messages.1: this cannot be read"}}`, quirkPlain, plain, `"tool_calls"`},
		{400, `{"error":{"message":"Invalid role: tool"}}`, quirkPlain, plain, `"tool_calls"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := script(t, refuse(row.status, row.refusal), ok(), ok())
			m := open(t, c, "test/m")
			h := hear(t.Context(), m, twoCalls)
			if h.done == nil || h.done.Quirk != row.quirk || len(*seen) != 2 {
				t.Fatalf("%s: %+v, %v after %d requests", row.refusal, h.done, h.err, len(*seen))
			}
			if body := (*seen)[1].body; !strings.Contains(body, row.has) || strings.Contains(body, row.hasNot) {
				t.Errorf("%s: sent %s", row.refusal, body)
			}
			if h = hear(t.Context(), m, twoCalls); h.done == nil || h.done.Quirk != "" || (*seen)[2].body != (*seen)[1].body {
				t.Errorf("%s: it was not remembered: %v", row.refusal, h.err)
			}
		})
	}
}

// A template that knows no system prompt gets its text before the first words of the user.
func TestSystemMended(t *testing.T) {
	all := Request{Messages: append([]Message{{Role: "system", Text: "Be good."}, {Role: "system", Text: "So far: nothing."}}, twoCalls.Messages...)}
	for refusal, status := range map[string]int{
		`{"error":{"message":"System role not supported"}}`:                                      400,
		`{"error":{"message":"Jinja Exception: System role not supported"}}`:                     500,
		`{"error":{"message":"system messages are not supported by this model"}}`:                422,
		`{"error":{"message":"Developer instruction is not enabled for models/gemma-3-27b-it"}}`: 400,
		`{"error":{"message":"This model does not support system messages."}}`:                   400,
		`{"error":{"message":"Only user and assistant roles are supported!"}}`:                   400,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := script(t, refuse(status, refusal), ok(), ok())
			m := open(t, c, "test/m")
			h := hear(t.Context(), m, all)
			if h.done == nil || h.done.Quirk+strings.Join(h.done.Also, "") != quirkSystem || len(*seen) != 2 {
				t.Fatalf("%s: %+v, %v after %d requests", refusal, h.done, h.err, len(*seen))
			}
			if body := (*seen)[1].body; strings.Contains(body, `"system"`) || !strings.Contains(body, `"messages":[{"role":"user","content":"Be good.\n\nSo far: nothing.\n\ngo"},{"role":"assistant"`) {
				t.Errorf("%s: sent %s", refusal, body)
			}
			if h = hear(t.Context(), m, all); h.done == nil || h.done.Quirk != "" || (*seen)[2].body != (*seen)[1].body {
				t.Errorf("%s: it was not remembered: %v", refusal, h.err)
			}
		})
	}
}

// A history with several faults is mended beside the one parameter that is refused.
func TestSeveralFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, seen := script(t,
			refuse(400, `{"error":{"message":"This model only supports single tool-calls at once!"}}`),
			refuse(400, `{"error":"Unrecognized request argument supplied: stream_options"}`),
			refuse(400, `{"error":{"message":"Assistant message must have content."}}`), ok())
		h := hear(t.Context(), open(t, c, "test/m"), twoCalls)
		if h.done == nil || h.done.Quirk != quirkStreamOptions || strings.Join(h.done.Also, " ") != "one_call content" || len(*seen) != 4 {
			t.Errorf("%+v, %v after %d requests", h.done, h.err, len(*seen))
		}
	})
}

// What the plainest form does not help is told as it was, and not remembered; what is
// not about the history is not asked for in another form.
func TestPlainestRefused(t *testing.T) {
	for refusal, want := range map[string]struct {
		asked int
		says  string
	}{
		`{"error":{"message":"messages[1]: bad"}}`:        {2, "messages[1]: bad (message 2 of the conversation is meant: an answer of the model that calls x, y)"},
		`{"error":{"message":"messages.2.content: bad"}}`: {2, "(message 3 of the conversation is meant: the result of a call)"},
		`{"error":{"message":"messages.9: bad"}}`:         {2, "messages.9: bad"},
		`{"error":{"message":"temperature is too hot"}}`:  {1, "temperature is too hot"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := script(t, refuse(400, refusal), refuse(400, `{"error":{"message":"messages[0]: still bad"}}`), ok())
			m := open(t, c, "test/m")
			if h := hear(t.Context(), m, twoCalls); len(*seen) != want.asked || !strings.HasSuffix(h.modelError().Message, want.says) {
				t.Errorf("%s: %v after %d requests", refusal, h.err, len(*seen))
			}
			if len(m.Info().Quirks) > 0 {
				t.Errorf("%s: remembered %v", refusal, m.Info().Quirks)
			}
		})
	}
}

// TestPaired: every call has one result behind it, whatever the history has.
func TestPaired(t *testing.T) {
	call := func(ids ...string) Message {
		m := Message{Role: "assistant"}
		for _, id := range ids {
			m.Calls = append(m.Calls, Call{ID: id, Name: "x"})
		}
		return m
	}
	result := func(id string) Message { return Message{Role: "tool", CallID: id, Text: "of " + id} }
	user := Message{Role: "user", Text: "u"}
	for _, row := range []struct {
		all          []Message
		want, single string
	}{
		{[]Message{call("a", "b"), result("a"), result("b"), user}, "a,b of_a of_b u", "a of_a b of_b u"},
		{[]Message{call("a", "b"), result("b"), result("a"), user}, "a,b of_a of_b u", "a of_a b of_b u"},
		{[]Message{call("a", "b"), result("b"), user}, "a,b none of_b u", "a none b of_b u"},
		{[]Message{call("a"), user, result("a")}, "a none u told", "a none u told"},
		{[]Message{call("a"), result("a"), result("a"), user}, "a of_a told u", "a of_a told u"},
		{[]Message{result("a"), user}, "told u", "told u"},
		{[]Message{call("", ""), result(""), result(""), user}, ", of_ of_ u", " of_  of_ u"},
	} {
		for want, quirks := range map[string]map[string]bool{row.want: {}, row.single: {quirkOneCall: true}} {
			w := newWriter(dialect{quirks: quirks}, written{})
			var paired []Message
			for at := 0; at < len(row.all); {
				end, _ := groupAt(row.all, at)
				paired = append(paired, w.paired(row.all[at:end], end == len(row.all))...)
				at = end
			}
			var got []string
			for _, m := range paired {
				switch {
				case len(m.Calls) > 0:
					ids := []string{}
					for _, c := range m.Calls {
						ids = append(ids, c.ID)
					}
					got = append(got, strings.Join(ids, ","))
				case m.Text == noResult:
					got = append(got, "none")
				case strings.HasPrefix(m.Text, lostResult):
					got = append(got, "told")
				default:
					got = append(got, strings.ReplaceAll(m.Text, " ", "_"))
				}
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%v: %q, want %q", quirks, s, want)
			}
		}
	}
}
