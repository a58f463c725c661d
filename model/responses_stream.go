package model

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// output folds the events of the Responses API. Items are told apart by their
// output_index, because at some gateways their ids change on the way. What a
// `done` event repeats counts only where nothing of it was streamed before.
type output struct {
	answer
	items   []*outputItem // in the order in which they began
	byIndex map[int]*outputItem
}

// outputItem is a message, a call, reasoning, or something that is passed over.
type outputItem struct {
	kind   string
	phase  string
	opened bool           // an event said that it begins
	closed bool           // an event said that it is complete
	bytes  int            // of a message's text
	seen   map[string]int // bytes of each part that were streamed
	call   *building
	raw    json.RawMessage // of reasoning that is complete
}

// responseEvent is one event, or a whole response.
type responseEvent struct {
	Type         text            `json:"type"`
	Index        number          `json:"output_index"`
	ContentIndex text            `json:"content_index"`
	SummaryIndex text            `json:"summary_index"`
	Delta        text            `json:"delta"`
	Text         text            `json:"text"`
	Refusal      text            `json:"refusal"`
	Arguments    arguments       `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     response        `json:"response"`
	Error        json.RawMessage `json:"error"`
	Object       text            `json:"object"`
}

type response struct {
	Object     text                  `json:"object"`
	Status     text                  `json:"status"`
	Error      json.RawMessage       `json:"error"`
	Output     list[json.RawMessage] `json:"output"`
	Usage      json.RawMessage       `json:"usage"`
	Incomplete struct {
		Reason text `json:"reason"`
	} `json:"incomplete_details"`
}

// wholeItem is an item of the output as `added` and `done` give it.
type wholeItem struct {
	Type      text      `json:"type"`
	CallID    text      `json:"call_id"`
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
	Phase     text      `json:"phase"`
	Encrypted text      `json:"encrypted_content"`
	Content   itemParts `json:"content"`
	Summary   itemParts `json:"summary"`
}

type itemParts = list[struct {
	Text    text `json:"text"`
	Refusal text `json:"refusal"`
}]

// add implements reply.
func (o *output) add(data []byte, emit func(Part) bool) bool {
	o.events++
	o.thinking = false
	var e responseEvent
	_ = json.Unmarshal(data, &e) // loose: what does not fit stays empty
	switch e.Type {
	case "response.output_item.added":
		return o.begin(&e, emit)
	case "response.refusal.delta":
		o.refusal.WriteString(string(e.Delta))
		return o.say(o.at(e.Index, "message"), "c"+string(e.ContentIndex), string(e.Delta), emit)
	case "response.output_text.delta":
		return o.say(o.at(e.Index, "message"), "c"+string(e.ContentIndex), string(e.Delta), emit)
	case "response.output_text.done", "response.refusal.done":
		return o.rest(o.at(e.Index, "message"), "c"+string(e.ContentIndex), string(e.Text+e.Refusal), emit)
	case "response.reasoning_summary_text.delta":
		return o.say(o.at(e.Index, "reasoning"), "s"+string(e.SummaryIndex), string(e.Delta), emit)
	case "response.reasoning_summary_text.done":
		return o.rest(o.at(e.Index, "reasoning"), "s"+string(e.SummaryIndex), string(e.Text), emit)
	case "response.reasoning_text.delta":
		return o.say(o.at(e.Index, "reasoning"), "c"+string(e.ContentIndex), string(e.Delta), emit)
	case "response.reasoning_text.done":
		return o.rest(o.at(e.Index, "reasoning"), "c"+string(e.ContentIndex), string(e.Text), emit)
	case "response.function_call_arguments.delta":
		return o.argue(o.at(e.Index, "function_call"), string(e.Delta), emit)
	case "response.function_call_arguments.done":
		return o.settle(o.at(e.Index, "function_call"), string(e.Arguments), emit)
	case "response.output_item.done":
		return o.finishItem(o.closing(e.Index), e.Item, emit)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return o.finishAll(&e.Response, emit)
	case "error":
		return o.fail(data)
	}
	if e.Object == "response" { // the body is not a stream
		var whole response
		_ = json.Unmarshal(data, &whole)
		return o.finishAll(&whole, emit)
	}
	if why := decodeChunk(data).failed(data); why != nil && !isEventName(e.Type) {
		return o.fail(why)
	}
	return true // created, in_progress, and what is not known
}

func isEventName(t text) bool { return strings.HasPrefix(string(t), "response.") }

func (o *output) fail(why json.RawMessage) bool {
	o.failed = bytes.Clone(why)
	return false
}

// at is the item of a kind that an event is about; nil where there are too
// many.
func (o *output) at(index number, kind string) *outputItem {
	if it := o.last(index); it != nil && !it.closed && (it.kind == kind || it.kind == "") {
		return it
	}
	return o.start(index, kind)
}

// closing is the item that a done event is about.
func (o *output) closing(index number) *outputItem {
	if it := o.last(index); it != nil && !it.closed {
		return it
	}
	return o.start(index, "")
}

// last is the last item that began at an index, or at all where none is given.
func (o *output) last(index number) *outputItem {
	if index.ok {
		return o.byIndex[index.n]
	}
	if n := len(o.items); n > 0 {
		return o.items[n-1]
	}
	return nil
}

func (o *output) start(index number, kind string) *outputItem {
	if len(o.items) == maxCalls {
		return nil
	}
	it := &outputItem{kind: kind}
	o.items = append(o.items, it)
	if index.ok {
		if o.byIndex == nil {
			o.byIndex = map[int]*outputItem{}
		}
		o.byIndex[index.n] = it
	}
	return it
}

// begin opens an item. An index that is used again starts another one.
func (o *output) begin(e *responseEvent, emit func(Part) bool) bool {
	var w wholeItem
	_ = json.Unmarshal(e.Item, &w)
	it := o.at(e.Index, string(w.Type))
	if it != nil && it.opened {
		it = o.start(e.Index, string(w.Type))
	}
	if it == nil {
		return o.tooMany()
	}
	it.opened, it.kind, it.phase = true, string(w.Type), string(w.Phase)
	o.thinking = it.kind == "reasoning"
	if it.kind != "function_call" {
		return true
	}
	o.name(it, &w)
	return o.argue(it, string(w.Arguments), emit)
}

func (o *output) tooMany() bool {
	return o.fail(encodeJSON(map[string]string{"error": "the answer has more than 1000 items"}))
}

// say adds a piece of text or reasoning. What begins anew begins a paragraph.
func (o *output) say(it *outputItem, part, words string, emit func(Part) bool) bool {
	if it == nil {
		return o.tooMany()
	}
	if words == "" {
		return true
	}
	first := it.seen[part] == 0
	if it.seen == nil {
		it.seen = map[string]int{}
	}
	it.seen[part] += len(words)
	o.size++
	if it.kind == "reasoning" {
		if first && o.reasoning.Len() > 0 {
			words = paragraph + words
		}
		o.reasoning.WriteString(words)
		return emit(ReasoningDelta{words})
	}
	it.kind = "message"
	it.bytes += len(words)
	if it.bytes == len(words) && o.text.Len() > 0 {
		words = paragraph + words
	}
	o.text.WriteString(words)
	return emit(TextDelta{words})
}

// rest says what a whole text has more than was streamed of it.
func (o *output) rest(it *outputItem, part, whole string, emit func(Part) bool) bool {
	if it == nil {
		return o.tooMany()
	}
	so := &o.text
	if it.kind == "reasoning" {
		so = &o.reasoning
	}
	n := it.seen[part]
	if n > len(whole) || !strings.HasSuffix(so.String(), whole[:n]) {
		return true // something else: what was shown stays
	}
	return o.say(it, part, whole[n:], emit)
}

// name makes a call of an item, and gives it what is known of its name.
func (o *output) name(it *outputItem, w *wholeItem) *building {
	if it.call == nil {
		it.kind = "function_call"
		it.call = &building{position: len(o.calls.calls)}
		o.calls.calls = append(o.calls.calls, it.call)
	}
	if it.call.id == "" {
		it.call.id = string(w.CallID)
	}
	if it.call.name == "" {
		it.call.name = string(w.Name)
	}
	return it.call
}

// argue adds to the arguments of a call.
func (o *output) argue(it *outputItem, piece string, emit func(Part) bool) bool {
	if it == nil {
		return o.tooMany()
	}
	c := o.name(it, &wholeItem{})
	c.args.WriteString(piece)
	o.size++
	return emit(CallDelta{Index: c.position, ID: c.id, Name: c.name, Text: piece})
}

// settle takes the whole arguments, where they were not streamed.
func (o *output) settle(it *outputItem, whole string, emit func(Part) bool) bool {
	if it == nil {
		return o.tooMany()
	}
	if whole == "" || o.name(it, &wholeItem{}).args.Len() > 0 {
		return true
	}
	return o.argue(it, whole, emit)
}

// finishItem takes an item that is complete.
func (o *output) finishItem(it *outputItem, raw json.RawMessage, emit func(Part) bool) bool {
	if it == nil {
		return o.tooMany()
	}
	it.closed = true
	var w wholeItem
	_ = json.Unmarshal(raw, &w)
	if it.kind == "" {
		it.kind = string(w.Type)
	}
	if it.phase == "" {
		it.phase = string(w.Phase)
	}
	switch it.kind {
	case "function_call":
		o.name(it, &w)
		return o.settle(it, string(w.Arguments), emit)
	case "reasoning":
		// Without state it is of no use to the provider, who may refuse its id.
		if w.Encrypted != "" || len(w.Content) > 0 {
			it.raw = compacted(raw)
		}
		if len(it.seen) > 0 {
			return true
		}
		parts := w.Summary
		if len(parts) == 0 {
			parts = w.Content
		}
		return o.sayAll(it, parts, emit)
	case "message":
		if len(it.seen) > 0 {
			return true
		}
		return o.sayAll(it, w.Content, emit)
	}
	return true
}

func (o *output) sayAll(it *outputItem, parts itemParts, emit func(Part) bool) bool {
	for i, p := range parts {
		if !o.say(it, "whole"+strconv.Itoa(i), string(p.Text+p.Refusal), emit) {
			return false
		}
	}
	return true
}

// finishAll takes the last event, or a body that is no stream. Of its output
// counts what is of a kind that was not streamed.
func (o *output) finishAll(r *response, emit func(Part) bool) bool {
	o.count(r.Usage)
	if isFault(r.Error) || r.Status == "failed" || r.Status == "cancelled" {
		why := r.Error
		if !isFault(why) {
			why = encodeJSON("the provider ended the response as " + string(r.Status))
		}
		return o.fail(encodeJSON(map[string]json.RawMessage{"error": why}))
	}
	streamed := map[string]bool{}
	for _, it := range o.items {
		streamed[it.kind] = true
	}
	for _, raw := range r.Output {
		var w wholeItem
		_ = json.Unmarshal(raw, &w)
		if !streamed[string(w.Type)] && !o.finishItem(o.start(number{}, ""), raw, emit) {
			return false
		}
	}
	o.ended = true
	switch reason := string(r.Incomplete.Reason); {
	case reason != "" && isLimit[reason]:
		o.finish, o.cut = "length", true
	case reason != "":
		o.finish = reason
	case r.Status == "incomplete":
		o.finish, o.cut = "length", true
	case len(o.calls.calls) > 0:
		o.finish = "tool_calls"
	default:
		o.finish = "stop"
	}
	return true
}

// done implements reply.
func (o *output) done(provider, model string) Done {
	var all marks
	for _, it := range o.items {
		switch {
		case it.kind == "reasoning" && it.raw != nil:
			all = append(all, mark{Type: "reasoning", raw: it.raw})
		case it.kind == "message" && it.bytes > 0:
			all = append(all, mark{Type: "message", Phase: it.phase, Bytes: it.bytes})
		case it.kind == "function_call":
			all = append(all, mark{Type: "function_call"})
		}
	}
	d := o.answer.done(provider, model)
	if state := all.encode(); state != nil {
		d.Opaque = &Opaque{Provider: provider, Fields: map[string]json.RawMessage{outputField: state}}
	}
	return d
}
