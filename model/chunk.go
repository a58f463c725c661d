package model

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// The types here decode what providers really send. None of them fails on a
// member of the wrong type: what does not fit is left empty.

// chunk is one event of a stream, or a whole completion.
type chunk struct {
	Object  text            `json:"object"`
	Type    text            `json:"type"`
	Choices list[choice]    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"x_groq"`
	Error    json.RawMessage `json:"error"`
	Message  json.RawMessage `json:"message"`
	Done     json.RawMessage `json:"done"`     // Ollama's own API
	Response text            `json:"response"` // the same
	Detail   json.RawMessage `json:"detail"`
	BaseResp struct {
		StatusCode text `json:"status_code"`
	} `json:"base_resp"`
}

type choice struct {
	Index              number          `json:"index"`
	Delta              *delta          `json:"delta"`
	Message            *delta          `json:"message"` // a whole completion; cumulative beside delta at Perplexity
	Text               text            `json:"text"`    // completions of the older kind
	FinishReason       text            `json:"finish_reason"`
	NativeFinishReason text            `json:"native_finish_reason"`
	Usage              json.RawMessage `json:"usage"` // Moonshot
	Error              json.RawMessage `json:"error"`
}

type delta struct {
	Content            content         `json:"content"`
	Refusal            text            `json:"refusal"`
	ReasoningContent   text            `json:"reasoning_content"`
	Reasoning          text            `json:"reasoning"`
	ReasoningText      text            `json:"reasoning_text"`
	ReasoningDetails   json.RawMessage `json:"reasoning_details"`
	ReasoningEncrypted json.RawMessage `json:"reasoning_encrypted"`
	ReasoningOpaque    json.RawMessage `json:"reasoning_opaque"`
	ExtraContent       json.RawMessage `json:"extra_content"`
	ToolCalls          list[callPiece] `json:"tool_calls"`
}

// empty says that nothing of an answer is in it.
func (d *delta) empty() bool {
	return d.Content.text == "" && d.Content.thinking == "" && len(d.ToolCalls) == 0 &&
		d.Refusal == "" && d.ReasoningContent == "" && d.Reasoning == "" && d.ReasoningText == ""
}

type callPiece struct {
	Index        number          `json:"index"`
	ID           text            `json:"id"`
	Function     function        `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

type function struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
}

// decodeChunk never fails: data that is not an object gives an empty chunk.
func decodeChunk(data []byte) *chunk {
	c := new(chunk)
	// A type error leaves the member empty and decodes the rest.
	_ = json.Unmarshal(data, c)
	return c
}

// failed is the error that the chunk carries, nil if none. whole is the chunk
// itself, for errors without a member of their own.
func (c *chunk) failed(whole []byte) json.RawMessage {
	if isFault(c.Error) || isFault(c.Groq.Error) {
		return whole
	}
	for i := range c.Choices {
		if isFault(c.Choices[i].Error) {
			return whole
		}
	}
	if s := c.BaseResp.StatusCode; s != "" && s != "0" {
		return whole
	}
	if len(c.Choices) > 0 || !isNull(c.Usage) {
		return nil
	}
	if c.Object == "error" || c.Type == "error" || !isNull(c.Detail) || len(c.Message) > 2 && c.Message[0] == '"' {
		return whole
	}
	return nil
}

// isFault: null, "", {}, [] and false say that there is no error.
func isFault(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, "{}", "[]", "false", "0":
		return false
	}
	return true
}

// text is a string; numbers and booleans are taken as they are written, all
// else is empty.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		*t = text(unquote(b))
	case 'n', '{', '[':
		*t = ""
	default:
		*t = text(b)
	}
	return nil
}

// unquote decodes a JSON string; lone surrogates and bad UTF-8 become U+FFFD.
func unquote(b []byte) string {
	if inner := b[1 : len(b)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(b, &s)
	return s
}

// number is an index that may be missing, a float or a string of digits.
type number struct {
	n  int
	ok bool
}

func (n *number) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b)
	f, err := strconv.ParseFloat(string(t), 64)
	if err != nil || math.Abs(f) > 1<<30 {
		return nil
	}
	n.n, n.ok = int(f), true
	return nil
}

// arguments is the text of a call's arguments; an object is written out again,
// null is nothing.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n':
		*a = ""
	case b[0] == '"':
		*a = arguments(unquote(b))
	default:
		var out bytes.Buffer
		if json.Compact(&out, b) == nil {
			*a = arguments(out.String())
		}
	}
	return nil
}

// list takes an array, a single object in place of one (TGI), or nothing.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '{':
		var one T
		_ = json.Unmarshal(b, &one)
		*l = list[T]{one}
	case '[':
		var many []T
		_ = json.Unmarshal(b, &many)
		*l = many
	}
	return nil
}

// content is text, or parts of which some are thoughts (Mistral).
type content struct {
	text, thinking string
}

func (c *content) UnmarshalJSON(b []byte) error {
	*c = content{}
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		c.text = unquote(b)
	case '[', '{':
		var parts list[struct {
			Type     text            `json:"type"`
			Text     text            `json:"text"`
			Thinking json.RawMessage `json:"thinking"`
		}]
		_ = parts.UnmarshalJSON(b)
		for _, p := range parts {
			if p.Type == "thinking" || p.Type == "reasoning" {
				var inner content
				_ = inner.UnmarshalJSON(p.Thinking)
				c.thinking += inner.text + inner.thinking + string(p.Text)
			} else {
				c.text += string(p.Text)
			}
		}
	}
	return nil
}

// count is a token counter; providers write 12, 12.0 and "12".
func count(raw json.RawMessage) (int64, bool) {
	f, ok := amount(raw)
	return int64(f), ok && f >= 0 && f < 1<<53
}

func amount(raw json.RawMessage) (float64, bool) {
	if len(raw) == 0 {
		return 0, false
	}
	var t text
	_ = t.UnmarshalJSON(raw)
	f, err := strconv.ParseFloat(string(t), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// cachedTokens are the parts of a prompt that were read from a cache and written to one.
type cachedTokens struct {
	Cached  json.RawMessage `json:"cached_tokens"`
	Written json.RawMessage `json:"cache_write_tokens"`    // OpenRouter, OpenAI
	Created json.RawMessage `json:"cache_creation_tokens"` // LiteLLM
}

// decodeUsage reads the counters under every name they are known by; nil when
// there are none.
func decodeUsage(raw json.RawMessage) *Usage {
	if isNull(raw) || raw[0] != '{' {
		return nil
	}
	var u struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Input      json.RawMessage `json:"input_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Output     json.RawMessage `json:"output_tokens"`
		Details    cachedTokens    `json:"prompt_tokens_details"`

		InputDetails cachedTokens    `json:"input_tokens_details"`
		HitTokens    json.RawMessage `json:"prompt_cache_hit_tokens"`
		CacheRead    json.RawMessage `json:"cache_read_input_tokens"`
		Created      json.RawMessage `json:"cache_creation_input_tokens"`
		Cached       json.RawMessage `json:"cached_tokens"`
		Cost         json.RawMessage `json:"cost"`
		Ticks        json.RawMessage `json:"cost_in_usd_ticks"` // xAI, 1e-10 USD each
	}
	_ = json.Unmarshal(raw, &u)
	first := func(raws ...json.RawMessage) (int64, bool) {
		for _, r := range raws {
			if n, ok := count(r); ok {
				return n, true
			}
		}
		return 0, false
	}
	in, okIn := first(u.Prompt, u.Input)
	out, okOut := first(u.Completion, u.Output)
	if !okIn && !okOut {
		return nil
	}
	cached, _ := first(u.Details.Cached, u.InputDetails.Cached, u.HitTokens, u.CacheRead, u.Cached)
	written, _ := first(u.Details.Written, u.InputDetails.Written, u.Details.Created, u.Created)
	usage := &Usage{Input: in, Output: out, Cached: cached, CacheWrite: written}
	usage.Cost = costIn(u.Cost, u.Ticks)
	return usage
}

// costIn is a cost in USD: a number, an object with the sum under one of its names, or
// a count of ticks. nil where there is none.
func costIn(cost, ticks json.RawMessage) *float64 {
	var sum struct {
		USD   json.RawMessage `json:"usd"`
		Total json.RawMessage `json:"total_cost"`
	}
	if len(cost) > 0 && cost[0] == '{' {
		_ = json.Unmarshal(cost, &sum) // loose: what does not fit stays empty
	}
	for _, raw := range []json.RawMessage{cost, sum.USD, sum.Total} {
		if n, ok := amount(raw); ok && n >= 0 {
			return &n
		}
	}
	if n, ok := amount(ticks); ok && n >= 0 {
		n /= 1e10
		return &n
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
