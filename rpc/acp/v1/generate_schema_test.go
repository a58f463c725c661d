package v1_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// document is the official schema; a definition is read when something needs it.
type document struct {
	Defs map[string]json.RawMessage `json:"$defs"`
}

func readDocument(t *testing.T) document {
	t.Helper()
	raw, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// schema is what the generator knows of JSON Schema. A keyword that is not here is
// an error where it is met.
type schema struct {
	Ref                  string          `json:"$ref"`
	Type                 kinds           `json:"type"`
	Const                any             `json:"const"`
	Properties           members         `json:"properties"`
	Required             []string        `json:"required"`
	Items                *schema         `json:"items"`
	AdditionalProperties *schemaOrTrue   `json:"additionalProperties"`
	AllOf                []*schema       `json:"allOf"`
	AnyOf                []*schema       `json:"anyOf"`
	OneOf                []*schema       `json:"oneOf"`
	Not                  json.RawMessage `json:"not"` // only of the form that has none of the known words
	Side                 string          `json:"x-side"`
	Method               string          `json:"x-method"`

	// Bounds and remarks, which a Go type does not have.
	UnevaluatedProperties                        *bool
	Minimum, Maximum, MinLength, Format, Default json.RawMessage
	Description                                  string
}

// kinds is the keyword type: one word or several.
type kinds []string

func (k *kinds) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(k))
}

// schemaOrTrue is the keyword additionalProperties: nil of a schema is true.
type schemaOrTrue struct{ of *schema }

func (s *schemaOrTrue) UnmarshalJSON(text []byte) error {
	if string(text) == "true" {
		return nil
	}
	return strictly(text, &s.of)
}

// members are properties in their order.
type members []member

type member struct {
	name string
	of   *schema
}

func (m *members) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		one := member{name: name.(string)}
		if err := strictly(raw, &one.of); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		*m = append(*m, one)
	}
	return nil
}

// strictly takes no keyword that the type does not have.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// def is a definition by its name.
func (d document) def(name string) (*schema, error) {
	raw, is := d.Defs[name]
	if !is {
		return nil, fmt.Errorf("the schema defines no %s", name)
	}
	var s *schema
	if err := strictly(raw, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// target is the definition that a schema is a mere reference to, or "".
func (s *schema) target() string {
	ref := s.Ref
	if len(s.AllOf) == 1 && len(s.Properties) == 0 {
		ref = s.AllOf[0].Ref
	}
	return strings.TrimPrefix(ref, "#/$defs/")
}
