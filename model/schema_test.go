package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPlainSchema: a schema that was refused goes out with nothing but what every provider
// takes, whatever a server of tools has written into it.
func TestPlainSchema(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 200) + `{}` + strings.Repeat(`}`, 200)
	for _, row := range []struct{ name, schema, want string }{
		{"as ours are", `{"type":"object","properties":{"path":{"type":"string","description":"where"}},"required":["path"],"additionalProperties":false}`,
			`{"type":"object","properties":{"path":{"type":"string","description":"where"}},"required":["path"]}`},
		{"words that some refuse", `{"$schema":"x","type":"object","title":"T","properties":{"n":{"type":"integer","minimum":1,"default":2,"format":"int32"},"s":{"type":"string","enum":["a","b"],"pattern":"^a"}}}`,
			`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string","enum":["a","b"]}}}`},
		{"one of several types", `{"type":"object","properties":{"a":{"type":["null","string"]},"b":{"anyOf":[{"type":"integer"},{"type":"string"}],"description":"d"},"c":{"oneOf":[{"type":"array","items":{"type":"string"}}]}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","description":"d"},"c":{"type":"array","items":{"type":"string"}}}}`},
		{"several forms of all", `{"anyOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"members of the wrong type", `{"type":5,"properties":[1],"required":"a","items":7,"enum":"x"}`, `{"type":"object","items":{}}`},
		{"no schema", ``, `{"type":"object","properties":{}}`},
	} {
		for _, api := range []api{apiChat, apiResponses, apiMessages} {
			req := ask("hi")
			req.Tools = []Tool{{Name: "x", Schema: json.RawMessage(row.schema)}}
			body := string(encode(req, Info{Name: "m", form: form{api: api}}, map[string]bool{quirkSchema: true}).body.whole())
			if !strings.Contains(body, row.want) {
				t.Errorf("%s, %q: %s", row.name, api, body)
			}
		}
	}
	if plain := encodeJSON(plainSchema(json.RawMessage(deep), deepestSchema)); len(plain) > 1000 {
		t.Errorf("a deep one has %d bytes", len(plain))
	}
}

// A refusal of the schema is found where the tools were described for an earlier request, too.
func TestSchemaIsNoted(t *testing.T) {
	req := ask("hi")
	req.Kept = &Kept{}
	req.Tools = []Tool{{Name: "x", Schema: json.RawMessage(`{"type":"object"}`)}}
	for range 2 {
		sent := encode(req, Info{Name: "m"}, nil).sent
		if got := findQuirk(`{"error":{"message":"Invalid schema for function 'x'"}}`, sent); got != quirkSchema {
			t.Errorf("found %q among %q", got, sent)
		}
	}
}
