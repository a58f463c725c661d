package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// message folds the events of the Messages API.
type message struct {
	answer
	id      string
	begun   bool
	blocks  []*block // in the order in which they began
	byIndex map[int]*block
	counted map[string]int64 // the last number of each counter
	cost    *float64
}

// messageEvent is one event, or a whole message.
type messageEvent struct {
	Type    text            `json:"type"`
	Index   number          `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   messageDelta    `json:"delta"`
	Usage   json.RawMessage `json:"usage"`
}

// messageDelta adds to a block, or says why the answer stopped.
type messageDelta struct {
	Type      text `json:"type"`
	Text      text `json:"text"`
	Thinking  text `json:"thinking"`
	Signature text `json:"signature"`
	Input     text `json:"partial_json"`
	Content   text `json:"content"` // of a summary that the provider made
	stopping
}

// stopping is why an answer stopped.
type stopping struct {
	StopReason text `json:"stop_reason"`
	Details    struct {
		Explanation text `json:"explanation"`
	} `json:"stop_details"`
}

// wholeMessage is a message as it begins, or all of it.
type wholeMessage struct {
	ID      text                  `json:"id"`
	Content list[json.RawMessage] `json:"content"`
	Usage   json.RawMessage       `json:"usage"`
	stopping
}

// messageEvents are the events that say something.
var messageEvents = map[text]func(*message, *messageEvent, func(Part) bool) bool{
	"message_start":       func(m *message, e *messageEvent, emit func(Part) bool) bool { return m.begin(e.Message, emit) },
	"content_block_start": func(m *message, e *messageEvent, emit func(Part) bool) bool { return m.open(e.Index, e.Block, emit) },
	"content_block_delta": (*message).extend,
	"content_block_stop":  func(m *message, e *messageEvent, emit func(Part) bool) bool { return m.settle(m.at(e.Index), emit) },
	"message_delta": func(m *message, e *messageEvent, _ func(Part) bool) bool {
		m.stop(e.Delta.stopping)
		m.count(e.Usage)
		return true
	},
	"message_stop": func(m *message, _ *messageEvent, _ func(Part) bool) bool { return m.end() },
	"ping":         func(*message, *messageEvent, func(Part) bool) bool { return true },
}

// add implements reply.
func (m *message) add(data []byte, emit func(Part) bool) bool {
	m.events++
	m.thinking = false
	var e messageEvent
	_ = json.Unmarshal(data, &e) // loose: what does not fit stays empty
	if take, known := messageEvents[e.Type]; known {
		return take(m, &e, emit)
	}
	if e.Type == "message" { // the body is not a stream
		m.whole = true
		return m.begin(data, emit) && m.end()
	}
	if why := decodeChunk(data).failed(data); why != nil {
		return m.fail(why)
	}
	return true // what is not known
}

func (m *message) fail(why json.RawMessage) bool {
	m.failed = bytes.Clone(why)
	return false
}

// begin takes the message as it begins. Some repeat that; the beginning of another message
// means that a gateway has mixed two.
func (m *message) begin(raw json.RawMessage, emit func(Part) bool) bool {
	var w wholeMessage
	_ = json.Unmarshal(raw, &w)
	if m.begun {
		if string(w.ID) == m.id {
			return true
		}
		return m.fail(encodeJSON(map[string]string{"error": "another answer began in the middle of this one"}))
	}
	m.begun, m.id = true, string(w.ID)
	m.count(w.Usage)
	m.stop(w.stopping)
	for i, raw := range w.Content {
		if !m.open(number{n: i, ok: true}, raw, emit) || !m.settle(m.at(number{n: i, ok: true}), emit) {
			return false
		}
	}
	return true
}

// at is the block of an index, or the last one where none is given; nil if there is none.
func (m *message) at(index number) *block {
	if index.ok {
		return m.byIndex[index.n]
	}
	if n := len(m.blocks); n > 0 {
		return m.blocks[n-1]
	}
	return nil
}

// open begins a block with what is in it already.
func (m *message) open(index number, raw json.RawMessage, emit func(Part) bool) bool {
	if len(m.blocks) == maxCalls {
		return m.fail(encodeJSON(map[string]string{"error": "the answer has more than 1000 blocks"}))
	}
	var start struct {
		Type      text `json:"type"`
		Text      text `json:"text"`
		Thinking  text `json:"thinking"`
		Signature text `json:"signature"`
		ID        text `json:"id"`
		Name      text `json:"name"`
	}
	_ = json.Unmarshal(raw, &start)
	b := &block{kind: string(start.Type)}
	m.blocks = append(m.blocks, b)
	if m.byIndex == nil {
		m.byIndex = map[int]*block{}
	}
	if index.ok {
		m.byIndex[index.n] = b
	}
	m.size++
	b.members = members(raw)
	switch b.kind {
	case textKind:
		return m.say(b, string(start.Text), emit)
	case thinkingKind:
		m.thinking = true
		b.add("signature", string(start.Signature))
		b.unsealed = true
		return m.think(b, string(start.Thinking), emit)
	case callKind:
		b.call = &building{position: len(m.calls.calls), id: string(start.ID), name: string(start.Name)}
		m.calls.calls = append(m.calls.calls, b.call)
		return emit(CallDelta{Index: b.call.position, ID: b.call.id, Name: b.call.name})
	}
	return true
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal(raw, &all)
	return all
}

// blockDeltas are what adds to a block.
var blockDeltas = map[text]func(*message, *block, *messageDelta, func(Part) bool) bool{
	"text_delta": func(m *message, b *block, d *messageDelta, emit func(Part) bool) bool {
		return m.say(b, string(d.Text), emit)
	},
	"thinking_delta": func(m *message, b *block, d *messageDelta, emit func(Part) bool) bool {
		return m.think(b, string(d.Thinking), emit)
	},
	"signature_delta": func(_ *message, b *block, d *messageDelta, _ func(Part) bool) bool {
		b.seal(string(d.Signature))
		return true
	},
	"input_json_delta": func(m *message, b *block, d *messageDelta, emit func(Part) bool) bool {
		return m.argue(b, string(d.Input), emit)
	},
	"compaction_delta": func(_ *message, b *block, d *messageDelta, _ func(Part) bool) bool {
		b.add("content", string(d.Content))
		return true
	},
}

// extend adds to a block, if it ever began.
func (m *message) extend(e *messageEvent, emit func(Part) bool) bool {
	b, take := m.at(e.Index), blockDeltas[e.Delta.Type]
	if b == nil || take == nil {
		return true
	}
	m.size++
	return take(m, b, &e.Delta, emit)
}

func (m *message) say(b *block, words string, emit func(Part) bool) bool {
	if len(words) == 0 || b.kind != textKind {
		return true
	}
	b.add("text", words)
	m.text.WriteString(words)
	return emit(TextDelta{words})
}

func (m *message) think(b *block, words string, emit func(Part) bool) bool {
	if len(words) == 0 || b.kind != thinkingKind {
		return true
	}
	b.add("thinking", words)
	m.reasoning.WriteString(words)
	return emit(ReasoningDelta{words})
}

func (m *message) argue(b *block, piece string, emit func(Part) bool) bool {
	if b.call == nil {
		b.input.WriteString(piece)
		return true
	}
	if len(piece) == 0 {
		return true
	}
	b.call.args.WriteString(piece)
	return emit(CallDelta{Index: b.call.position, ID: b.call.id, Name: b.call.name, Text: piece})
}

// settle takes the input that a call began with, where no other came.
func (m *message) settle(b *block, emit func(Part) bool) bool {
	if b == nil || b.call == nil || b.call.args.Len() > 0 || !isFault(b.members["input"]) {
		return true
	}
	return m.argue(b, string(compacted(b.members["input"])), emit)
}

// inOurWords are the reasons to stop that chat completions have a word for.
var inOurWords = map[string]string{"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls"}

// stop takes the reason why an answer ended.
func (m *message) stop(e stopping) {
	m.refusal.WriteString(string(e.Details.Explanation))
	reason := strings.ToLower(string(e.StopReason))
	word, known := inOurWords[reason]
	switch {
	case len(reason) == 0:
	case known:
		m.finish = word
	case isLimit[reason]:
		m.finish, m.cut = "length", true
	default:
		m.finish = string(e.StopReason)
	}
}

func (m *message) end() bool {
	m.ended = true
	if m.finish == "" {
		m.finish = "stop"
	}
	return true
}

// count takes the counters that have a number: each is that of the whole answer so far.
func (m *message) count(raw json.RawMessage) {
	all := members(raw)
	if m.counted == nil {
		m.counted = map[string]int64{}
	}
	for _, name := range []string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		if n, ok := count(all[name]); ok && !isNull(all[name]) {
			m.counted[name] = n
		}
	}
	if cost := costIn(all["cost"], nil); cost != nil {
		m.cost = cost
	}
	if len(m.counted) == 0 {
		return
	}
	read, written := m.counted["cache_read_input_tokens"], m.counted["cache_creation_input_tokens"]
	m.usage = &Usage{Input: m.counted["input_tokens"] + read + written, Output: m.counted["output_tokens"], Cached: read, CacheWrite: written, Cost: m.cost}
}

// done implements reply.
func (m *message) done(provider, model string) Done {
	d := m.answer.done(provider, model)
	var all marks
	for _, b := range m.blocks {
		if one, kept := b.mark(); kept {
			all = append(all, one)
		}
	}
	if state := all.encode(); state != nil {
		d.Opaque = &Opaque{Provider: provider, Fields: map[string]json.RawMessage{blocksField: state}}
	}
	return d
}
