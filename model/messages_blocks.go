package model

import (
	"encoding/json"
	"strings"
)

// block is one block of an answer of the Messages API: text, a call, thinking, or something
// that only goes back.
type block struct {
	kind     string
	members  map[string]json.RawMessage // as the block began
	texts    map[string]*strings.Builder
	input    strings.Builder // JSON, in pieces
	call     *building
	unsealed bool // a seal that it began with is a placeholder
}

// Kinds of blocks that are read. Others only go back.
const (
	textKind     = "text"
	thinkingKind = "thinking"
	callKind     = "tool_use"
)

// seal adds to the signature of thinking.
func (b *block) seal(more string) {
	if b.unsealed {
		b.texts["signature"].Reset()
		b.unsealed = false
	}
	b.add("signature", more)
}

// add appends to a member that is a text.
func (b *block) add(name, words string) {
	if b.texts == nil {
		b.texts = map[string]*strings.Builder{}
	}
	if b.texts[name] == nil {
		b.texts[name] = &strings.Builder{}
	}
	b.texts[name].WriteString(words)
}

// text is a member that is a text, "" if it is none.
func (b *block) text(name string) string {
	if so := b.texts[name]; so != nil {
		return so.String()
	}
	return ""
}

// mark is what is kept of the block, and whether anything is. Thinking without a seal says
// nothing to the provider, who refuses it.
func (b *block) mark() (mark, bool) {
	switch b.kind {
	case textKind:
		return mark{Type: "message", Bytes: len(b.text("text"))}, b.text("text") != ""
	case callKind:
		return mark{Type: "function_call"}, true
	case thinkingKind:
		sealed := struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{b.kind, b.text("thinking"), b.text("signature")}
		return mark{Type: b.kind, raw: encodeJSON(sealed)}, sealed.Signature != ""
	}
	for name := range b.texts {
		b.members[name] = encodeJSON(b.text(name))
	}
	if input := b.input.String(); json.Valid([]byte(input)) {
		b.members["input"] = compacted(json.RawMessage(input))
	}
	sealed := mark{Type: b.kind, raw: compacted(encodeJSON(b.members))}
	return sealed, sealed.sealed()
}
