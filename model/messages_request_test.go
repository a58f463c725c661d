package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMessagesRequest: history to the messages of Anthropic's API.
func TestMessagesRequest(t *testing.T) {
	half, limit := 0.5, int64(9)
	image := Image{MIME: "image/png", Data: pngOf(1, 1)}
	state := func(provider string, items ...string) *Opaque {
		return &Opaque{Provider: provider, Fields: rawFields(blocksField, "["+strings.Join(items, ",")+"]", "reasoning_content", `"chat"`)}
	}
	const (
		mark    = `,"cache_control":{"type":"ephemeral"}`
		tail    = `],"max_tokens":8192,"stream":true}`
		user    = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
		last    = `{"role":"user","content":[{"type":"text","text":"hi"` + mark + `}]}`
		thought = `{"type":"thinking","thinking":"<é>","signature":"A<b>\u003c=="}`
		hidden  = `{"type":"redacted_thinking","data":"B"}`
		call    = `{"type":"tool_use","id":"a","name":"x","input":{}}`
		said    = `{"type":"text","text":"t"}`
		result  = `{"type":"tool_result","tool_use_id":"a","content":"1"`
	)
	shown := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + onePixel + `"}}`
	hi := Message{Role: "user", Text: "hi"}
	calls := []Call{{ID: "a", Name: "x", Arguments: "{}"}}
	answered := Message{Role: "tool", CallID: "a", Text: "1"}
	one := func(m ...Message) Request { return Request{Messages: m} }
	for _, row := range []struct {
		name string
		req  Request
		want string
	}{
		{"the system prompt is kept in the cache", one(Message{Role: "system", Text: "a"}, Message{Role: "system", Text: "b"}, hi),
			`{"model":"m","system":[{"type":"text","text":"a\n\nb"` + mark + `}],"messages":[` + last + tail},
		{"a later one is said by the user", one(hi, Message{Role: "system", Text: "b"}), `{"model":"m","messages":[` + last + `,{"role":"user","content":[{"type":"text","text":"b"` + mark + `}]}` + tail},
		{"what was said in the last two messages to it is", one(hi, Message{Role: "assistant", Text: "t"}, hi, Message{Role: "assistant", Text: "t"}, hi),
			`{"model":"m","messages":[` + user + `,{"role":"assistant","content":[` + said + `]},` + last + `,{"role":"assistant","content":[` + said + `]},` + last + tail},
		{"nothing is ever empty", one(Message{Role: "user"}), `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"(empty message)"` + mark + `}]}` + tail},
		{"nor are there no messages", one(Message{Role: "system", Text: " "}), `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"(empty message)"` + mark + `}]}` + tail},
		{"the user begins and ends", one(Message{Role: "assistant", Text: "t"}),
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"(empty message)"` + mark + `}]},{"role":"assistant","content":[` + said + `]},{"role":"user","content":[{"type":"text","text":"(empty message)"` + mark + `}]}` + tail},
		{"the results of an answer are one message, images in them", one(hi, Message{Role: "assistant", Text: "t", Calls: append(calls, Call{ID: "b", Name: "y", Arguments: `{"a": 1}`})}, answered, Message{Role: "tool", CallID: "b", Images: []Image{image}}),
			`{"model":"m","messages":[` + last + `,{"role":"assistant","content":[` + said + `,` + call + `,{"type":"tool_use","id":"b","name":"y","input":{"a": 1}}]},{"role":"user","content":[` + result + `},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"(no output)"},` + shown + `]` + mark + `}]}` + tail},
		{"thinking goes back in its place, byte for byte", one(hi, Message{Role: "assistant", Text: "tu", Calls: calls, Opaque: state("p", thought, `{"type":"message","bytes":1}`, hidden, `{"type":"message","bytes":1}`, `{"type":"function_call"}`)}, answered),
			`{"model":"m","messages":[` + last + `,{"role":"assistant","content":[` + thought + `,` + said + `,` + hidden + `,{"type":"text","text":"u"},` + call + `]},{"role":"user","content":[` + result + mark + `}]}` + tail},
		{"to its own provider only", one(hi, Message{Role: "assistant", Text: "t", Calls: calls, Opaque: state("other", thought)}, answered),
			`{"model":"m","messages":[` + last + `,{"role":"assistant","content":[` + said + `,` + call + `]},{"role":"user","content":[` + result + mark + `}]}` + tail},
		{"thinking and nothing else says nothing", one(hi, Message{Role: "assistant", Text: " ", Opaque: state("p", thought, `{"type":"message","bytes":1}`)}, hi), `{"model":"m","messages":[` + last + `,` + last + tail},
		{"a text that was cut since stays whole", one(hi, Message{Role: "assistant", Text: "t", Calls: calls, Opaque: state("p", thought, `{"type":"message","bytes":9}`, `{"type":"function_call"}`, `{"type":"message","bytes":9}`)}, answered),
			`{"model":"m","messages":[` + last + `,{"role":"assistant","content":[` + thought + `,` + said + `,` + call + `]},{"role":"user","content":[` + result + mark + `}]}` + tail},
		{"state that is none", one(hi, Message{Role: "assistant", Text: "t", Opaque: state("p", `7`, `{"bytes":1}`, `"thinking"`)}, hi),
			`{"model":"m","messages":[` + last + `,{"role":"assistant","content":[` + said + `]},` + last + tail},
		{"tools, and none; the last one ends what is cached of them", Request{Messages: []Message{hi}, Tools: []Tool{{Name: "x", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "y"}}, ToolChoice: "none"},
			`{"model":"m","messages":[` + last + `],"tools":[{"name":"x","description":"d","input_schema":{"type":"object"}},{"name":"y","input_schema":{"type":"object","properties":{}}` + mark + `}],"tool_choice":{"type":"none"},"max_tokens":8192,"stream":true}`},
		{"parameters", Request{Messages: []Message{hi}, Params: Params{Temperature: &half, TopP: &half, MaxTokens: &limit}}, `{"model":"m","messages":[` + last + `],"max_tokens":9,"temperature":0.5,"top_p":0.5,"stream":true}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := encode(row.req, Info{Provider: "p", Name: "m", Vision: true, form: form{api: apiMessages, marks: true}}, nil).body.whole()
			if got := string(body); got != row.want || !json.Valid(body) {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestMessagesRequestElsewhere: what Amazon and Google want otherwise, and what is left out by a quirk.
func TestMessagesRequestElsewhere(t *testing.T) {
	req := Request{Messages: []Message{{Role: "system", Text: "s"}, {Role: "user", Text: "hi"}}, Tools: []Tool{{Name: "x"}}}
	for name, row := range map[string]struct {
		as     form
		max    int64
		quirks map[string]bool
		begins string
		ends   string
		marks  int
	}{
		"Google":          {form{api: apiMessages, version: versionAtGoogle, marks: true}, 64_000, nil, `{"anthropic_version":"vertex-2023-10-16","system":`, `,"max_tokens":32000,"stream":true}`, 3},
		"Amazon":          {form{api: apiMessages, version: versionAtAmazon, marks: true}, 0, nil, `{"anthropic_version":"bedrock-2023-05-31","system":`, `,"max_tokens":8192}`, 3},
		"no marks":        {form{api: apiMessages, version: "", marks: true}, 4_096, map[string]bool{quirkCache: true}, `{"model":"m",`, `,"max_tokens":4096,"stream":true}`, 0},
		"a smaller limit": {form{api: apiMessages, version: "", marks: true}, 64_000, map[string]bool{quirkOutputLimit: true}, `{"model":"m",`, `,"max_tokens":4096,"stream":true}`, 3},
	} {
		body := string(encode(req, Info{Provider: "p", Name: "m", MaxOutput: row.max, form: row.as}, row.quirks).body.whole())
		if !strings.HasPrefix(body, row.begins) || !strings.HasSuffix(body, row.ends) || strings.Count(body, cacheMark) != row.marks {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// claudeBody is a request as the API reads it.
type claudeBody struct {
	System   []map[string]any
	Tools    []map[string]any
	Messages []struct {
		Role    string
		Content []map[string]any
	}
}

// refuse says what the API would refuse, "" if nothing.
func (b claudeBody) refuse() string {
	marks := 0
	for _, part := range slices.Concat(b.System, b.Tools) {
		if part["cache_control"] != nil {
			marks++
		}
	}
	open := []string{}
	for i, m := range b.Messages {
		results := []string{}
		for at, c := range m.Content {
			text, _ := c["text"].(string)
			switch kind := c["type"]; {
			case c["cache_control"] != nil && (kind == "thinking" || kind == "redacted_thinking" || m.Role == "assistant"):
				return "a mark on an answer"
			case kind == "text" && IsBlank(text):
				return "an empty text"
			case kind == "tool_use" && !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(c["id"].(string)) && !strings.HasPrefix(c["id"].(string), "functions.x"):
				return "the id of a call"
			case kind == "tool_result" && at != len(results):
				return "a result behind something else"
			case kind == "tool_result":
				results = append(results, c["tool_use_id"].(string))
			}
			if c["cache_control"] != nil {
				marks++
			}
		}
		if !slices.Equal(results, open) {
			return fmt.Sprintf("message %d has the results %v of the calls %v", i, results, open)
		}
		open = []string{}
		for _, c := range m.Content {
			if c["type"] == "tool_use" && slices.Contains(open, c["id"].(string)) {
				return "two calls of one id"
			} else if c["type"] == "tool_use" {
				open = append(open, c["id"].(string))
			}
		}
		switch {
		case len(m.Content) == 0:
			return "an empty message"
		case i == 0 && m.Role != "user", i == len(b.Messages)-1 && m.Role != "user":
			return "it begins or ends with " + m.Role
		}
	}
	if len(b.Messages) == 0 || marks > 4 {
		return fmt.Sprintf("%d messages, %d marks", len(b.Messages), marks)
	}
	return ""
}

// TestMessagesAnyHistory: whatever was said, the API takes it.
func TestMessagesAnyHistory(t *testing.T) {
	for seed := range uint64(200) {
		r := &talk{Rand: rand.New(rand.NewPCG(seed, 2))}
		all := []Message{{Role: "system", Text: "s"}}
		for range 1 + r.IntN(12) {
			all = append(all, r.next()...)
		}
		if last := all[len(all)-1]; len(last.Calls) > 0 {
			all = append(all, Message{Role: "user", Text: "on"}) // whose results are said to be missing
		}
		raw := encode(Request{Messages: all, Tools: []Tool{{Name: "x"}}}, Info{Provider: "p", Name: "m", Vision: true, form: form{api: apiMessages, marks: true}}, nil).body.whole()
		var body claudeBody
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, raw)
		}
		if why := body.refuse(); why != "" {
			t.Errorf("seed %d: %s: %s", seed, why, raw)
		}
	}
}
