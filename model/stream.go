package model

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// answer folds the chunks of one stream into a Done. Only choice 0 counts.
type answer struct {
	content   strings.Builder // as it came
	text      strings.Builder // without the thoughts that it begins with
	reasoning strings.Builder
	thoughts  thoughts
	calls     merger
	opaque    opaque
	usage     *Usage
	finish    string
	cut       bool
	filtered  bool
	whole     bool // the last event was a completion, not a piece of one
	refusal   strings.Builder

	events    int
	size      int  // pieces of the answer so far
	usageLast bool // the last chunk held usage and no more of the answer
	failed    json.RawMessage
	strange   said.Text // whose form an event had, where it was of another API
	ended     bool      // nothing follows
	thinking  bool      // the last event began reasoning
}

// common implements reply.
func (a *answer) common() *answer { return a }

// Finish reasons that mean that a limit cut the output, under all their names.
var isLimit = map[string]bool{
	"length": true, "max_tokens": true, "max_output_tokens": true, "max_length": true,
	"model_length": true, "model_context_window_exceeded": true, "token_limit": true,
}

// Finish reasons by which a provider says that its content filter ended the answer.
var isFilter = map[string]bool{
	"content_filter": true, "content_filtered": true, "content-filter": true, "contentfilter": true, "refusal": true,
	"safety": true, "image_safety": true, "prohibited_content": true, "blocklist": true, "spii": true, "recitation": true,
	"sensitive": true, "guardrail_intervened": true, "moderation": true,
}

// Finish reasons that report a failure of the provider and not an end.
var isBroken = map[string]bool{
	"error": true, "network_error": true, "insufficient_system_resource": true,
	"abort": true, "engine_error": true,
}

// add takes one event and hands on what is new. It returns false when emit
// does, or when the event is an error, which is then in failed.
func (a *answer) add(data []byte, emit func(Part) bool) bool {
	a.events++
	c := decodeChunk(data)
	before := a.size
	body := c.Object == "chat.completion"
	a.whole = body && len(c.Choices) > 0
	for i := range c.Choices {
		ch := &c.Choices[i]
		a.count(ch.Usage)
		if ch.Index.ok && ch.Index.n != 0 {
			continue
		}
		if ch.Message != nil && (body || ch.Delta == nil || a.size == 0 && ch.Delta.empty() && !ch.Message.empty()) {
			a.whole = true
			ch.Delta = nil // a delta beside a message is a piece of it, or nothing
		}
		if !a.choice(ch, emit) {
			return false
		}
	}
	had := a.usage
	a.count(c.Groq.Usage)
	a.count(c.Usage) // the last one wins: counters are cumulative, never added up
	a.usageLast = a.usage != had && a.size == before
	if other := c.strange(); a.strange.IsZero() {
		a.strange = other
	}
	if why := c.failed(data); why != nil {
		a.failed = append(json.RawMessage(nil), why...)
		return false
	}
	return true
}

func (a *answer) count(raw json.RawMessage) {
	if u := decodeUsage(raw); u != nil {
		if u.Cost == nil && a.usage != nil {
			u.Cost = a.usage.Cost
		}
		a.usage = u
	}
}

func (a *answer) choice(ch *choice, emit func(Part) bool) bool {
	if isLimit[strings.ToLower(string(ch.FinishReason))] || isLimit[strings.ToLower(string(ch.NativeFinishReason))] {
		a.cut = true
	}
	if isFilter[strings.ToLower(string(ch.NativeFinishReason))] {
		a.filtered = true
	}
	if ch.FinishReason != "" {
		a.finish = string(ch.FinishReason)
	}
	d := ch.Delta
	switch {
	case d != nil:
	case ch.Message != nil:
		d = ch.Message
		// Cumulative where it is in a stream, whole where it is the body.
		d.Content.text = strings.TrimPrefix(d.Content.text, a.content.String())
	case ch.Text != "":
		d = &delta{Content: content{text: string(ch.Text)}}
	default:
		return true
	}
	return a.delta(d, emit)
}

func (a *answer) delta(d *delta, emit func(Part) bool) bool {
	thought := string(d.ReasoningContent)
	for _, other := range []string{string(d.Reasoning), string(d.ReasoningText), d.Content.thinking} {
		if thought == "" {
			thought = other // the same text under another name
		}
	}
	if thought != "" {
		a.size++
	}
	if !a.thinks(thought, emit) {
		return false
	}
	a.opaque.add(d)
	a.refusal.WriteString(string(d.Refusal))
	if d.Content.text != "" {
		a.size++
		a.content.WriteString(d.Content.text)
		thought, said := a.thoughts.next(d.Content.text)
		if !a.thinks(thought, emit) || !a.says(said, emit) {
			return false
		}
	}
	if d.Refusal != "" {
		a.size++
		a.content.WriteString(string(d.Refusal))
		if !a.says(string(d.Refusal), emit) {
			return false
		}
	}
	// function_call, from before there were tools, is never asked for: not read.
	for _, p := range d.ToolCalls {
		c := a.calls.add(p)
		if c == nil {
			a.failed = encodeJSON(map[string]string{"error": "the answer has more than 1000 tool calls"})
			return false
		}
		a.size++
		if !emit(CallDelta{Index: c.position, ID: c.id, Name: c.name, Text: string(p.Function.Arguments)}) {
			return false
		}
	}
	return true
}

func (a *answer) thinks(thought string, emit func(Part) bool) bool {
	a.reasoning.WriteString(thought)
	return thought == "" || emit(ReasoningDelta{thought})
}

func (a *answer) says(text string, emit func(Part) bool) bool {
	a.text.WriteString(text)
	return text == "" || emit(TextDelta{text})
}

// flush hands on what was held back until the end of the stream.
func (a *answer) flush(emit func(Part) bool) bool {
	thought, said := a.thoughts.rest()
	return a.thinks(thought, emit) && a.says(said, emit)
}

// grown rises with every piece of the answer; empty events leave it.
func (a *answer) grown() int { return a.size + len(a.opaque.details) }

// complete says that the provider finished: by a finish reason, or by usage at
// the end where it gives no reason.
func (a *answer) complete() bool { return a.finish != "" || a.usageLast }

// isPlainID says that an id is one that every provider takes.
func isPlainID(id string) bool {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
	}
	return id != "" && len(id) <= 40 && strings.IndexFunc(id, func(r rune) bool { return !plain(r) }) < 0
}

// done is the whole answer.
func (a *answer) done(provider, model string) Done {
	d := Done{
		Text:         a.text.String(),
		Reasoning:    a.reasoning.String(),
		Calls:        a.calls.done(),
		Opaque:       a.opaque.done(provider),
		FinishReason: a.finish,
		Cut:          a.cut,
		Filtered:     a.filtered || isFilter[strings.ToLower(a.finish)],
		Refusal:      a.refusal.String(),
		Usage:        a.usage,
		Model:        model,
		Provider:     provider,
	}
	for _, c := range d.Calls {
		d.Cut = d.Cut || isCut(c.Arguments)
		// Their origin must be known for them to go back unchanged.
		if d.Opaque == nil && (c.Extra != nil || c.ID != "" && !isPlainID(c.ID)) {
			d.Opaque = &Opaque{Provider: provider}
		}
	}
	return d
}
