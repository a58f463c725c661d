package v1_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestGenerateRefuses: what the generator does not understand is an error, and never a
// type that says less than the schema.
func TestGenerateRefuses(t *testing.T) {
	for _, c := range []struct{ member, more, says string }{
		{`{"type":"string"}`, ``, ""},
		{`{"type":"string","pattern":"a"}`, ``, `unknown field "pattern"`},
		{`{"type":["string","integer"]}`, ``, "no Go type has this form"},
		{`{"type":"string","const":"a"}`, ``, "no Go type has this form"},
		{`{"type":"array"}`, ``, "no Go type has this form"},
		{`{"type":"array","items":{"type":"string","minItems":1}}`, ``, `unknown field "minItems"`},
		{`{"type":"object","properties":{"b":{"type":"string"}}}`, ``, "no Go type has this form"},
		{`{"$ref":"#/$defs/Nowhere"}`, ``, "defines no Nowhere"},
		{`{"$ref":"#/$defs/U"}`, `"U":{"oneOf":[{"type":"object","properties":{"x":{"type":"string","const":"a"}},"required":["x"]},{"type":"object","properties":{"y":{"type":"string","const":"b"}},"required":["y"]}]}`, "told apart by x and by y"},
		{`{"$ref":"#/$defs/U"}`, `"U":{"properties":{"x":{"type":"string"}},"type":"object","oneOf":[{"type":"object","properties":{"x":{"type":"string","const":"a"}},"required":["x"]}]}`, "x is a tag and a member"},
		{`{"$ref":"#/$defs/U"}`, `"U":{"properties":{"m":{"type":"string"}},"type":"object","oneOf":[{"type":"object","properties":{"x":{"type":"string","const":"a"}},"required":["x"],"allOf":[{"$ref":"#/$defs/F"}]}]},"F":{"type":"object","properties":{"m":{"type":"string"}}}`, "m is a member of all forms and of F"},
		{`{"$ref":"#/$defs/U"}`, `"U":{"anyOf":[{"allOf":[{"$ref":"#/$defs/AForm"}]},{"allOf":[{"$ref":"#/$defs/BForm"}]}]},"AForm":{"type":"object","properties":{"m":{"type":"string"}},"required":["m"]},"BForm":{"type":"object","properties":{"m":{"type":"string"}},"required":["m"]}`, "nothing tells AForm from the other forms"},
		{`{"$ref":"#/$defs/U"}`, `"U":{"anyOf":[{"type":"object","properties":{"m":{"type":"string"}}},{"type":"object","properties":{"n":{"type":"string"}}}]}`, "a form without a name"},
	} {
		text := `{"$defs":{"AnyRequest":{"type":"object","properties":{"m":` + c.member + `},"x-method":"any"}`
		if c.more != "" {
			text += "," + c.more
		}
		var doc document
		if err := json.Unmarshal([]byte(text+"}}"), &doc); err != nil {
			t.Fatal(err)
		}
		made, err := generate(doc, []string{"any"})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v, want %q\n%s", c.member, c.more, err, c.says, made)
		}
	}
	if _, err := generate(document{}, []string{"any"}); err == nil || !strings.Contains(err.Error(), "no method any") {
		t.Errorf("a method that the schema does not have: %v", err)
	}
}
