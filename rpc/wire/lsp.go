package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	experiment "github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
)

// LSPPackage is where the LSP types live. They have unions and optional members
// that encoding/json silently gets wrong in both directions, so they pass only
// through their own Marshal and Unmarshal.
const LSPPackage = "go.lsp.dev/protocol"

// codec decodes and encodes values of one type.
type codec struct {
	unmarshal func([]byte, any) error
	marshal   func(any) (json.RawMessage, error)
	names     []string // the members of the type that name a session
}

var (
	lspCodec = codec{unmarshal: protocol.Unmarshal, marshal: func(v any) (json.RawMessage, error) { return protocol.Marshal(v) }}
	ownCodec = codec{unmarshal: json.Unmarshal, marshal: EncodeJSON}
)

// codecFor picks the codec of t. It panics on a type of ours with an LSP type
// somewhere inside, which neither codec gets right: that is a defect of the
// method table, which a test finds.
func codecFor(t reflect.Type) codec {
	outer := t
	for outer.Kind() == reflect.Pointer || outer.Kind() == reflect.Slice && outer.Name() == "" {
		outer = outer.Elem()
	}
	if outer.PkgPath() == LSPPackage {
		return lspCodec
	}
	if inner := lspInside(outer, map[reflect.Type]bool{}); inner != nil {
		panic(fmt.Sprintf("wire: %v contains %v, which encoding/json gets wrong; keep it as raw JSON", t, inner))
	}
	own := ownCodec
	own.names = namesIn(outer)
	return own
}

// namesIn are the members of t, if that is a struct, that name a session.
func namesIn(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == "sessionId" || name == "sessionKey" {
			names = append(names, name)
		}
	}
	return names
}

// named refuses a session that is named by nothing at all. An absent name can mean
// every session, or a new one: who has lost an id must not get that.
func (c codec) named(params json.RawMessage) (err error) {
	if len(c.names) == 0 {
		return nil
	}
	eachMember(params, func(member string, value []byte) bool {
		for _, name := range c.names {
			if strings.EqualFold(member, name) && string(value) == `""` {
				err = InvalidParams(name, "is empty")
			}
		}
		return err == nil
	})
	return err
}

// lspInside returns an LSP type that t contains, or nil.
func lspInside(t reflect.Type, seen map[reflect.Type]bool) reflect.Type {
	if seen[t] {
		return nil
	}
	seen[t] = true
	if t.PkgPath() == LSPPackage {
		return t
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return lspInside(t.Elem(), seen)
	case reflect.Map:
		return lspInside(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if inner := lspInside(t.Field(i).Type, seen); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// encodeValue encodes v, whatever it is, with the codec of its type. nil is
// null.
func encodeValue(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("null"), nil
	}
	return codecFor(reflect.TypeOf(v)).marshal(v)
}

// EncodeJSON is json.Marshal without escaping <, > and &, which no reader of
// ours needs and which makes code unreadable in logs.
func EncodeJSON(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok {
		if raw == nil {
			return json.RawMessage("null"), nil
		}
		return raw, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// checked is what params can implement to say which member is missing or
// wrong; the error is usually Missing or InvalidParams.
type checked interface{ Check() error }

// Decode fills into, a pointer, from params inside of other params, as a handler's
// own are filled: absent ones leave it as it is, a Check is asked, and every error
// is -32602.
func Decode(params json.RawMessage, into any) error {
	return decodeParams(codecFor(reflect.TypeOf(into)), params, into)
}

// decodeParams fills into, a pointer, from params. Absent params leave it as it
// is. Every error is -32602 and names the member where that is known.
func decodeParams(c codec, params json.RawMessage, into any) error {
	if len(params) > 0 {
		if params[0] != '{' {
			return InvalidParams("", "must be an object, not an array")
		}
		if err := c.unmarshal(params, into); err != nil {
			return ParamsError(err)
		}
		if err := c.named(params); err != nil {
			return err
		}
	}
	v, ok := into.(checked)
	if !ok {
		return nil
	}
	err := v.Check()
	if _, known := errors.AsType[*Error](err); err != nil && !known {
		return InvalidParams("", err.Error())
	}
	return err
}

// ParamsError is -32602 for what a decoder says, with the member where it is
// known.
func ParamsError(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return InvalidParams(e.Field, fmt.Sprintf("%s does not fit here", e.Value))
	}
	if e, ok := errors.AsType[*experiment.SemanticError](err); ok && e.JSONPointer != "" {
		field := strings.ReplaceAll(strings.TrimPrefix(string(e.JSONPointer), "/"), "/", ".")
		return InvalidParams(field, "the value does not fit here")
	}
	return InvalidParams("", CutText(err.Error(), 200))
}

// TextChanges turns a didChange's changes into ours: whole and partial changes are a
// union, and taking one for the other corrupts a buffer.
func TextChanges(changes []protocol.TextDocumentContentChangeEvent) []TextChange {
	out := make([]TextChange, 0, len(changes))
	for _, change := range changes {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			out = append(out, TextChange{whole: true, text: c.Text})
		case *protocol.TextDocumentContentChangePartial:
			out = append(out, TextChange{start: Place(c.Range.Start), end: Place(c.Range.End), text: c.Text})
		}
	}
	return out
}

// LastLine is the zero-based line at which the last of a didChange's changes
// begins: where the person typed. A change of the whole document names none: -1.
func LastLine(changes []protocol.TextDocumentContentChangeEvent) int {
	if len(changes) == 0 {
		return -1
	}
	if c, ok := changes[len(changes)-1].(*protocol.TextDocumentContentChangePartial); ok {
		return int(c.Range.Start.Line)
	}
	return -1
}
