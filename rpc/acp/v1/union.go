// Package v1 is the Agent Client Protocol, version 1, as Go types. They are
// generated from the official schema, which lies beside them, and have what the
// sidecar uses of it; what it does not know arrives as it was sent.
package v1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// List is an array that must be there: a nil one is written as [], not as null.
type List[T any] []T

// MarshalJSON writes the array.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return encode([]T(l))
}

// Empty is an object of which only the presence says something: a capability that
// is declared.
type Empty struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// form is one of the forms of a union.
type form struct {
	word  string // its word in the union's tag
	bare  bool   // it is written without the tag
	needs string // the member that tells it from other bare forms, if there are any
	at    any    // the address of the union's pointer to it
}

func (f form) pointer() reflect.Value { return reflect.ValueOf(f.at).Elem() }

var errForms = errors.New("exactly one form of a union must be set")

// encodeUnion writes the members that all forms have, the tag and the members of the
// one form that is set as one object.
func encodeUnion(tag string, members any, forms []form, other json.RawMessage) ([]byte, error) {
	var set *form
	for i := range forms {
		if forms[i].pointer().IsNil() {
			continue
		}
		if set != nil {
			return nil, fmt.Errorf("%w: %s and %s are", errForms, set.word, forms[i].word)
		}
		set = &forms[i]
	}
	if (set == nil) == (other == nil) {
		return nil, errForms
	}
	if other != nil {
		return other, nil
	}
	parts := []any{members}
	if !set.bare {
		parts = append(parts, map[string]string{tag: set.word})
	}
	return join(append(parts, set.pointer().Interface()))
}

// join writes several objects, which have no member in common, as one.
func join(objects []any) ([]byte, error) {
	var all [][]byte
	for _, o := range objects {
		text, err := encode(o)
		if err != nil {
			return nil, err
		}
		if inner := text[1 : len(text)-1]; len(inner) > 0 {
			all = append(all, inner)
		}
	}
	return append(append([]byte{'{'}, bytes.Join(all, []byte{','})...), '}'), nil
}

// encode is json.Marshal without escaping <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// decodeUnion reads the form that the tag names. It gives the word of a form that
// is not known, and then, or when no form fits, the text itself.
func decodeUnion(text []byte, tag string, forms []form) (unknown string, other json.RawMessage, err error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(text, &has); err != nil {
		return "", nil, err
	}
	if has == nil {
		return "", bytes.Clone(text), nil // null is no form
	}
	word, tagged := "", false
	if raw, is := has[tag]; is && tag != "" {
		tagged = json.Unmarshal(raw, &word) == nil && word != ""
	}
	for _, f := range forms {
		if f.fits(word, tagged, has) {
			p := f.pointer()
			p.Set(reflect.New(p.Type().Elem()))
			return "", nil, json.Unmarshal(text, p.Interface())
		}
	}
	return word, bytes.Clone(text), nil
}

func (f form) fits(word string, tagged bool, has map[string]json.RawMessage) bool {
	if tagged || !f.bare {
		return tagged && f.word == word
	}
	return f.needs == "" || has[f.needs] != nil
}

// SessionConfigSelectOptions are the values of a selection, plain or in groups. Both
// nil is an empty list.
type SessionConfigSelectOptions struct {
	Options []SessionConfigSelectOption
	Groups  []SessionConfigSelectGroup
}

// MarshalJSON writes the one list.
func (o SessionConfigSelectOptions) MarshalJSON() ([]byte, error) {
	if o.Groups != nil && o.Options != nil {
		return nil, errForms
	}
	if o.Groups != nil {
		return encode(o.Groups)
	}
	return encode(List[SessionConfigSelectOption](o.Options))
}

// UnmarshalJSON takes a list for groups when its first element is one.
func (o *SessionConfigSelectOptions) UnmarshalJSON(text []byte) error {
	*o = SessionConfigSelectOptions{}
	var all []struct {
		Group *string `json:"group"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if len(all) > 0 && all[0].Group != nil {
		return json.Unmarshal(text, &o.Groups)
	}
	return json.Unmarshal(text, &o.Options)
}
