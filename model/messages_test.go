package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// claudeOK is an answer of the Messages API.
const claudeOK = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":40,"cache_read_input_tokens":50,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

`

// TestMessagesAddresses: where a model is asked by the Messages API, and with which headers.
func TestMessagesAddresses(t *testing.T) {
	c := &Catalog{Env: func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "k1"}[name] }, Providers: []Provider{
		{Name: "google", BaseURL: "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models", APIKeys: []string{"k2"}},
		{Name: "amazon", BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com", APIKeys: []string{"k3"}},
		{Name: "work", BaseURL: "https://llm.example.com/v1/messages", APIKeys: []string{"k4"}, Models: map[string]ModelConfig{"claude-x": {API: "messages"}}},
		{Name: "old", BaseURL: "https://api.anthropic.com/v1", APIKeys: []string{"k5"}, Models: map[string]ModelConfig{"claude-x": {API: "chat"}}},
	}}
	for name, want := range map[string]string{
		"anthropic/claude-x":                "https://api.anthropic.com/v1/messages X-Api-Key 2023-06-01",
		"google/claude-x@1":                 "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-x@1:streamRawPredict  ",
		"amazon/us.anthropic.claude-x-v1:0": "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-x-v1:0/invoke-with-response-stream  ",
		"work/claude-x":                     "https://llm.example.com/v1/messages X-Api-Key 2023-06-01",
		"work/gpt-x":                        "https://llm.example.com/v1/chat/completions  ",
		"old/claude-x":                      "https://api.anthropic.com/v1/chat/completions  ",
	} {
		e, err := c.endpoint(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprintf("%s %s %s", e.wireRequest(Request{}, nil).url, e.keyName, e.header.Get("Anthropic-Version")); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for base, takes := range map[string]bool{"https://openrouter.ai/api/v1": true, "https://llm.example.com/v1": true, "http://127.0.0.1:4000": true, "https://api.anthropic.com/v1": false, "https://api.groq.com/openai/v1": false} {
		u, _ := url.Parse(base)
		if formOf("chat", "anthropic/claude-x", u).marks != takes || formOf("chat", "gpt-x", u).marks {
			t.Errorf("marks at %s", base)
		}
	}
}

// TestMessagesQuirks: what is refused is left out the next time, and remembered.
func TestMessagesQuirks(t *testing.T) {
	half := 0.5
	everything := Request{Messages: []Message{{Role: "system", Text: "s"}, {Role: "user", Text: "hi"},
		{Role: "assistant", Text: "t", Opaque: &Opaque{Provider: "test", Fields: rawFields(blocksField, `[{"type":"thinking","thinking":"x","signature":"S"},{"type":"message","bytes":1},{"type":"function_call"}]`)},
			Calls: []Call{{ID: "a", Name: "x"}}}, {Role: "tool", CallID: "a", Text: "1"}, {Role: "user", Text: "on"}},
		Params: Params{Temperature: &half, TopP: &half}}
	said := func(words string) step {
		return refuse(400, `{"type":"error","error":{"type":"invalid_request_error","message":`+string(quote(words))+`}}`)
	}
	for quirk, row := range map[string]struct {
		first step
		lacks string
	}{
		"cache_control": {said("system.0.text.cache_control: Extra inputs are not permitted"), "cache_control"},
		"thinking_back": {said("messages.1.content.0: Invalid `signature` in `thinking` block"), `"signature"`},
		"output_limit":  {said("max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku"), `"max_tokens":8192`},
		"temperature":   {said("`temperature` and `top_p` cannot both be specified for this model. Please use only one."), `"temperature"`},
		"plain":         {said("messages.1: Input does not match the expected shape."), `"thinking"`},
	} {
		c, seen := script(t, row.first, step{status: 200, body: claudeOK})
		c.Providers[0].Models = map[string]ModelConfig{"m": {API: "messages"}}
		m := open(t, c, "test/m")
		h := hear(t.Context(), m, everything)
		if h.done == nil || h.done.Quirk+strings.Join(h.done.Also, "") != quirk || h.text != "ok" {
			t.Errorf("%s: %+v, %v", quirk, h.done, h.err)
			continue
		}
		if first, second := (*seen)[0].body, (*seen)[1].body; !strings.Contains(first, row.lacks) || strings.Contains(second, row.lacks) {
			t.Errorf("%s: the second request is %s", quirk, second)
		}
		if h = hear(t.Context(), m, everything); h.done == nil || h.done.Quirk != "" || (*seen)[2].body != (*seen)[1].body {
			t.Errorf("%s was not remembered: %v", quirk, h.err)
		}
	}
}

// TestMessagesUsage: the input is the whole prompt, whatever of it was cached.
func TestMessagesUsage(t *testing.T) {
	c, _ := script(t, step{status: 200, body: claudeOK})
	c.Providers[0].Models = map[string]ModelConfig{"m": {API: "messages"}}
	if h := hear(t.Context(), open(t, c, "test/m"), ask("hi")); h.done == nil || *h.done.Usage != (Usage{Input: 93, Output: 2, Cached: 50, CacheWrite: 40}) {
		t.Errorf("%+v %v", h.done, h.err)
	}
}

// frame is an event in Amazon's framing.
func frame(payload string) []byte {
	headers := []byte("\x0b:event-type\x07\x00\x05chunk")
	var out bytes.Buffer
	number := func(n uint32) { _ = binary.Write(&out, binary.BigEndian, n) }
	number(uint32(frameHead + len(headers) + len(payload) + frameFoot))
	number(uint32(len(headers)))
	number(crc32.ChecksumIEEE(out.Bytes()))
	out.Write(headers)
	out.WriteString(payload)
	number(crc32.ChecksumIEEE(out.Bytes()))
	return out.Bytes()
}

// TestAmazonStream: the frames of Bedrock are read as the events in them; damaged ones, and an
// exception, are a failure.
func TestAmazonStream(t *testing.T) {
	var whole []byte
	for event := range strings.SplitSeq(claudeOK, "\n\n") {
		if _, data, ok := strings.Cut(event, "data: "); ok {
			whole = append(whole, frame(`{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(data))+`","p":"abc"}`)...)
		}
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	for name, row := range map[string]struct {
		body []byte
		says string
	}{
		"whole":        {whole, ""},
		"damaged":      {damaged, "damaged"},
		"cut":          {whole[:len(whole)/2], "cut"},
		"a long frame": {append([]byte{0xff, 0xff, 0xff, 0xff}, whole[4:]...), "damaged"},
		"exception":    {frame(`{"message":"Too many requests, please wait"}`), "Too many requests"},
	} {
		c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", amazonStream)
			_, _ = w.Write(row.body)
		})
		c.Retry.MaxAttempts = 1
		c.Providers[0].Models = map[string]ModelConfig{"m": {API: "messages"}}
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		if row.says == "" && h.text != "ok" || row.says != "" && (h.err == nil || !strings.Contains(h.err.Error(), row.says)) {
			t.Errorf("%s: %q %v", name, h.text, h.err)
		}
	}
}

// TestMessagesErrors: answers that are errors, and errors in the middle of one, as reported in
// public.
func TestMessagesErrors(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(wireFolder(), "messages", "errors-assembled.jsonl"))
	if err != nil {
		t.Log("not run: recordings are not here (AGENT_WIRE)")
		return
	}
	kinds := map[string]Kind{"overloaded": KindOverloaded, "rate_limit": KindRateLimited, "overflow": KindOverflow, "quota": KindQuota, "invalid": KindRejected, "server": KindServer, "cut": KindServer}
	for line := range bytes.Lines(list) {
		var row struct {
			Name, Body, Class string
			Status            int
			Headers           map[string]string `json:"response_headers"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			for name, value := range row.Headers {
				w.Header().Set(name, value)
			}
			w.Header().Del("Retry-After") // nobody waits here
			w.WriteHeader(row.Status)
			_, _ = w.Write([]byte(row.Body))
		})
		c.Retry.MaxAttempts = 1
		c.Providers[0].Models = map[string]ModelConfig{"m": {API: "messages"}}
		h := hear(t.Context(), open(t, c, "test/m"), ask("hi"))
		if h.err == nil || h.modelError().Kind != kinds[row.Class] {
			t.Errorf("%s: %v, want %s", row.Name, h.err, row.Class)
		}
	}
}
