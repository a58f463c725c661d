package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func foreignTool(schema string) Tool {
	return ThirdParty(Spec{Name: "x", Effect: Net, Schema: json.RawMessage(schema)}, func(json.RawMessage) (*Plan, error) {
		return &Plan{Title: "x"}, nil
	})
}

const personSchema = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"],"additionalProperties":false}`

func TestForeignArguments(t *testing.T) {
	for _, row := range []struct{ schema, args, input, want string }{
		{personSchema, `{"name":"a"}`, `{"name":"a"}`, ""},
		{personSchema, `{ "age": 5, "name": "\u0061" }`, `{"age":5,"name":"a"}`, ""},
		{personSchema, `{"name":"a","age":null}`, `{"name":"a"}`, ""},
		{personSchema, `{"name":null}`, "", "do not fit"},
		{personSchema, `{"name":"a","extra":1}`, "", "do not fit"},
		{personSchema, `{"name":"a","name":"b"}`, "", `argument "name" is given twice`},
		{personSchema, ``, "", "do not fit"},
		{personSchema, `[1]`, "", "must be a JSON object"},
		{personSchema, `"a"`, "", "must be a JSON object"},
		{personSchema, `{"name":`, "", "not valid JSON"},
		{personSchema, `{"name":"a"} {}`, "", "not valid JSON"},
		{`{"type":"object"}`, `{"id":12345678901234567890,"b":null}`, `{"b":null,"id":12345678901234567890}`, ""},
		{`{"type":"object"}`, ``, `{}`, ""},
		{`{"type":"object"}`, `null`, `{}`, ""},
		{`nonsense`, `{"a":1}`, `{"a":1}`, ""},
	} {
		p, err := foreignTool(row.schema).Plan(json.RawMessage(row.args))
		switch {
		case row.want == "" && (err != nil || string(p.Input) != row.input):
			t.Errorf("%s with %s: %+v %v", row.args, row.schema, p, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %s", row.args, err, row.want)
		}
	}
}

// Schemas of other people skip the check where they cannot be used. The first of
// them would otherwise end the process: a stack overflow cannot be caught.
func TestForeignSchemaThatCannotBeUsed(t *testing.T) {
	doubling := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling += `"d40":{"type":"string"}}}`
	for name, schema := range map[string]string{
		"refers to itself":     `{"$ref":"#"}`,
		"in a circle":          `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		"dynamic circle":       `{"$dynamicRef":"#"}`,
		"doubles":              doubling,
		"elsewhere":            `{"$ref":"https://example.com/schema"}`,
		"by an anchor":         `{"$ref":"#me","$anchor":"me"}`,
		"by its own id":        `{"$id":"https://a/b","$ref":"b"}`,
		"a lookahead":          `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`,
		"a type that is wrong": `{"type":7}`,
		"nothing there":        `{"$ref":"#/$defs/none"}`,
	} {
		if _, err := foreignTool(schema).Plan(json.RawMessage(`{"a":"y"}`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tree := `{"type":"object","properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string"}}}`
	if _, err := foreignTool(tree).Plan(json.RawMessage(`{"p":1}`)); err == nil {
		t.Error("a plain reference is not followed")
	}
}

// The limit of a schema, at the edge.
func TestForeignSchemaWeight(t *testing.T) {
	for n, want := range map[int]bool{maxSchemaWeight - 2: true, maxSchemaWeight - 1: true, maxSchemaWeight: false} {
		if got := bounded(make([]any, n)); got != want {
			t.Errorf("%d parts: %v", n+1, got)
		}
	}
}

func TestForeignAlwaysShowsAnObjectSchema(t *testing.T) {
	for schema, want := range map[string]string{
		"": `{"type":"object"}`, "null": `{"type":"object"}`, `true`: `{"type":"object"}`, `{"a":1`: `{"type":"object"}`,
		personSchema: personSchema,
	} {
		if got := string(foreignTool(schema).Spec().Schema); got != want {
			t.Errorf("%s: %s", schema, got)
		}
	}
}
