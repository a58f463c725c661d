package model

import (
	"bytes"
	"encoding/json"
	"slices"
)

// outputField is the member of Opaque that holds the items of an answer of the
// Responses API, in their order: reasoning byte for byte, of messages and calls
// only that they were there. It is no member of a chat message, so an endpoint
// that is asked through chat completions does not send it.
const outputField = "output"

// blocksField is the same of an answer of the Messages API, with its blocks.
const blocksField = "blocks"

// stateOf says which API has a member of Opaque; chat completions have the others.
var stateOf = map[string]api{outputField: apiResponses, blocksField: apiMessages}

// isForeign says that a message has sealed state that is not for this provider, or not for
// this API of it. The bare text of reasoning is none.
func (m *Message) isForeign(provider string, as api) bool {
	if m.Opaque == nil {
		return false
	}
	elsewhere := m.Opaque.Provider != provider
	for name := range m.Opaque.Fields {
		if !slices.Contains(reasoningTexts, name) && (elsewhere || stateOf[name] != as) {
			return true
		}
	}
	return slices.ContainsFunc(m.Calls, func(c Call) bool { return len(c.Extra) > 0 && (elsewhere || as != apiChat) })
}

// paragraph is between two messages of one answer.
const paragraph = "\n\n"

// mark is one item of an answer.
type mark struct {
	Type  string `json:"type"` // message, function_call, or what the provider calls a sealed one
	Phase string `json:"phase,omitempty"`
	Bytes int    `json:"bytes,omitempty"` // of a message's text

	raw json.RawMessage // of a sealed one: the item itself
}

// sealed: it goes back as it came.
func (m mark) sealed() bool { return m.Type != "" && m.Type != "message" && m.Type != "function_call" }

type marks []mark

// readMarks reads what marks.encode wrote. What cannot be read is left out.
func readMarks(raw json.RawMessage) marks {
	var items []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &items) != nil {
		return nil
	}
	var all marks
	for _, item := range items {
		var m mark
		if json.Unmarshal(item, &m) != nil && !m.sealed() {
			continue
		}
		m.raw = item
		all = append(all, m)
	}
	return all
}

// split gives each message its part of the text. Where the lengths do not fit,
// because the text was cut or cleaned since, the first message gets all of it. between is
// what is between two of them.
func (all marks) split(text, between string) []string {
	var lengths []int
	whole := -len(between)
	for _, m := range all {
		if m.Type == "message" && m.Bytes >= 0 {
			lengths = append(lengths, m.Bytes)
			whole += m.Bytes + len(between)
		}
	}
	if len(lengths) == 0 {
		return nil
	}
	if whole != len(text) {
		return []string{text}
	}
	var parts []string
	for _, n := range lengths {
		parts = append(parts, text[:n])
		text = text[min(n+len(between), len(text)):]
	}
	return parts
}

// encode is the value of outputField or blocksField, nil where nothing in it would be missed.
func (all marks) encode() json.RawMessage {
	worth := false
	items := make([][]byte, 0, len(all))
	for _, m := range all {
		if worth = worth || m.sealed() || m.Phase != ""; m.sealed() {
			items = append(items, m.raw)
			continue
		}
		items = append(items, encodeJSON(m))
	}
	if !worth {
		return nil
	}
	// As it came: an encoder would write the items anew.
	return slices.Concat([]byte{'['}, bytes.Join(items, []byte{','}), []byte{']'})
}
