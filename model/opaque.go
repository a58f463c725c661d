package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// sentBack are the members of an assistant message that a provider may want to
// see again, in the order they are written.
var sentBack = []string{
	"reasoning_content", "reasoning", "reasoning_text", "reasoning_details",
	"reasoning_encrypted", "reasoning_opaque", "extra_content",
}

// opaque collects provider state of one answer. Annotations (citations,
// content filter results) are not sent back and not kept.
type opaque struct {
	texts   map[string]*strings.Builder // by member name
	values  map[string]json.RawMessage
	details []detail
}

// detail is one item of reasoning_details. members is nil while it is exactly
// what came, and kept so byte for byte.
type detail struct {
	raw     json.RawMessage
	kind    string
	members map[string]json.RawMessage
	joined  strings.Builder // of member, once joined
	member  string
}

func (o *opaque) text(name, s string) {
	if s == "" {
		return
	}
	if o.texts == nil {
		o.texts = map[string]*strings.Builder{}
	}
	if o.texts[name] == nil {
		o.texts[name] = new(strings.Builder)
	}
	o.texts[name].WriteString(s)
}

// value keeps the last one that says something.
func (o *opaque) value(name string, raw json.RawMessage) {
	if isNull(raw) {
		return
	}
	if old, ok := o.values[name]; ok && isFault(old) && !isFault(raw) {
		return // false, "" and {} do not erase
	}
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	o.values[name] = compacted(raw)
}

// add takes everything opaque of a delta.
func (o *opaque) add(d *delta) {
	o.text("reasoning_content", string(d.ReasoningContent))
	o.text("reasoning", string(d.Reasoning))
	o.text("reasoning_text", string(d.ReasoningText))
	o.value("reasoning_encrypted", d.ReasoningEncrypted)
	o.value("reasoning_opaque", d.ReasoningOpaque)
	if bytes.Contains(d.ExtraContent, []byte("thought_signature")) {
		o.value("extra_content", d.ExtraContent)
	}
	if isNull(d.ReasoningDetails) {
		return
	}
	var items list[json.RawMessage]
	_ = items.UnmarshalJSON(d.ReasoningDetails)
	for _, item := range items {
		o.detail(item)
	}
}

// detail joins a piece with the item before it where both are pieces of one
// text: same type, index and id. Their providers want the joined item back.
func (o *opaque) detail(raw json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) == 0 {
		return
	}
	var kind text
	_ = kind.UnmarshalJSON(members["type"])
	member := map[text]string{"reasoning.text": "text", "reasoning.summary": "summary"}[kind]
	if n := len(o.details); member != "" && n > 0 && o.details[n-1].continues(string(kind), members) {
		o.details[n-1].join(members)
		return
	}
	o.details = append(o.details, detail{raw: compacted(raw), kind: string(kind), member: member})
}

func (d *detail) continues(kind string, members map[string]json.RawMessage) bool {
	if d.kind != kind {
		return false
	}
	d.open()
	for _, name := range []string{"index", "id"} {
		a, b := d.members[name], members[name]
		if !isNull(a) && !isNull(b) && !bytes.Equal(a, b) {
			return false
		}
	}
	return true
}

// open makes the members of a kept item changeable.
func (d *detail) open() {
	if d.members != nil {
		return
	}
	_ = json.Unmarshal(d.raw, &d.members) // it was decoded before
	var s text
	_ = s.UnmarshalJSON(d.members[d.member])
	d.joined.WriteString(string(s))
}

func (d *detail) join(members map[string]json.RawMessage) {
	d.raw = nil
	for name, value := range members {
		switch {
		case name == d.member:
			var s text
			_ = s.UnmarshalJSON(value)
			d.joined.WriteString(string(s))
		case !isNull(value) || d.members[name] == nil:
			d.members[name] = bytes.Clone(value) // the signature comes last
		}
	}
}

func (d *detail) encode() json.RawMessage {
	if d.raw != nil {
		return d.raw
	}
	d.members[d.member] = quote(d.joined.String())
	return encodeJSON(d.members)
}

// done is the state of the answer, nil if there is none.
func (o *opaque) done(provider string) *Opaque {
	fields := map[string]json.RawMessage{}
	for name, b := range o.texts {
		fields[name] = quote(b.String())
	}
	for name, v := range o.values {
		fields[name] = v
	}
	if len(o.details) > 0 {
		var items []json.RawMessage
		for i := range o.details {
			items = append(items, o.details[i].encode())
		}
		fields["reasoning_details"] = encodeJSON(items)
	}
	if len(fields) == 0 {
		return nil
	}
	return &Opaque{Provider: provider, Fields: fields}
}

// compacted is a copy of raw without the blanks between its parts. The log does
// not keep those, and a request must be the same before and after a restart.
func compacted(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return bytes.Clone(raw)
	}
	return out.Bytes()
}

func quote(s string) json.RawMessage { return encodeJSON(s) }

// encodeJSON writes v without escaping <, > and &: the text stays as it came.
// v holds only strings, maps of raw JSON and plain structs, which always
// encode.
func encodeJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
