package tool

import (
	"strings"
	"testing"
)

func TestOutputSchema(t *testing.T) {
	s, err := NewOutputSchema([]byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/x.json", "type": "object", "required": ["n"],
		"properties": {"n": {"$ref": "#/$defs/number"}, "tags": {"type": "array", "items": {"enum": ["a", "b"]}}}, "additionalProperties": false, "$defs": {"number": {"type": "integer", "minimum": 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ answer, output, says string }{
		{`{"n": 1}`, `{"n":1}`, ""},
		{" {\"n\": 12345678901234567890, \"tags\": [\"a\"]}\n", `{"n":12345678901234567890,"tags":["a"]}`, ""},
		{"```json\n{\"n\": 1}\n```", `{"n":1}`, ""},
		{"```\n{\"n\": 1}```\n", `{"n":1}`, ""},
		{"Here it is:\n```json\n{\"n\": 1}\n```", "", "it is not JSON"},
		{`{"n": 1} and more`, "", "it is not JSON"},
		{`{"n": 1, "n": 2}`, "", "duplicate"},
		{"", "", "it is not JSON"},
		{"{\"n\": 1", "", "it is not JSON"},
		{`{"n": 0}`, "", "minimum"},
		{`{"n": 1.5}`, "", "type"},
		{`{}`, "", "required"},
		{`{"n": 1, "m": 1}`, "", "additional"},
		{`{"n": 1, "tags": ["c"]}`, "", "enum"},
		{`[1]`, "", "type"},
		{"{\"n\": 1, \"tags\": [\"\xff\"]}", "", "UTF-8"},
		{strings.Repeat("[", 100_000), "", "it is not JSON"},
	} {
		output, err := s.Check(row.answer)
		if string(output) != row.output || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%.40q: %s, %v", row.answer, output, err)
		}
	}
}

// A schema is refused before anything is asked where it is broken, would be read from
// elsewhere, or would never be done.
func TestOutputSchemaIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       "not valid JSON",
		"{":                                      "not valid JSON",
		`{"type": "object", "type": 1}`:          "not valid JSON",
		`"object"`:                               "cannot be used",
		`{"type": "objekt"}`:                     "a type",
		`{"type": 3}`:                            "cannot be used",
		`{"pattern": "("}`:                       "cannot be used",
		`{"$ref": "https://example.com/s.json"}`: `refers to "https://example.com/s.json"`,
		`{"properties": {"a": {"$ref": "file:///etc/passwd"}}}`:         `refers to "file:///etc/passwd"`,
		`{"items": [{"$ref": "other.json#/a"}]}`:                        `refers to "other.json#/a"`,
		`{"$ref": "#"}`:                                                 "refers to itself",
		`{"$ref": "#/$defs/a"}`:                                         "something that is not there",
		`{"$dynamicRef": "#a"}`:                                         "by a name",
		`{"$defs": {"a": {"$id": "https://example.com/"}}}`:             "by a name",
		`{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}`:          "refers to itself",
		`{"$schema": "https://example.com/mine", "type": "object"}`:     "of the version",
		`{"enum": [` + strings.Repeat("1,", maxSchemaWeight) + `1]}`:    "too large",
		`{"type": "object", "default": {"$ref": "http://127.0.0.1/x"}}`: `refers to "http://127.0.0.1/x"`,
	} {
		s, err := NewOutputSchema([]byte(text))
		if s != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}
