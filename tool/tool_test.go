package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

type sampleArgs struct {
	Path  string   `json:"path" jsonschema:"the file to read"`
	Limit int      `json:"limit,omitempty" jsonschema:"how many lines"`
	All   *bool    `json:"all,omitempty"`
	Names []string `json:"names,omitempty"`
}

func sample() Tool {
	return Define(Spec{Name: "sample", Effect: Read}, func(in sampleArgs) (*Plan, error) {
		return &Plan{Title: "sample " + in.Path}, nil
	})
}

func TestDecodeIsStrict(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{`{"path":"a"}`, ""},
		{`{"path":"a","limit":null}`, ""},
		{`{"path":"a","extra":1}`, `unknown argument "extra"`},
		{`{"Path":"a"}`, `unknown argument "Path"`},
		{`{"path":"a","path":"b"}`, `argument "path" is given twice`},
		{`{"path":"a","limit":"5"}`, `argument "limit": a JSON string does not fit, want a whole number`},
		{`{}`, `argument "path" is missing`},
		{`{"path":null}`, `argument "path" is missing`},
		{``, `argument "path" is missing`},
		{`{"path":7}`, `argument "path": a JSON number does not fit, want a string`},
		{`[1]`, `arguments must be a JSON object`},
		{`{"path":`, `arguments are not valid JSON`},
	} {
		_, err := sample().Plan(json.RawMessage(row.args))
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.args, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %s", row.args, err, row.want)
		}
	}
}

// Words of an argument stand in the schema, wherever it is, and no other is taken.
func TestWords(t *testing.T) {
	type item struct {
		Status string `json:"status" words:"open,done"`
	}
	type args struct {
		Mode  string `json:"mode,omitempty" words:"content,files,count"`
		Items []item `json:"items,omitempty"`
		More  *item  `json:"more,omitempty"`
		Free  string `json:"free,omitempty"`
	}
	words := Define(Spec{Name: "words", Effect: Read}, func(args) (*Plan, error) { return &Plan{}, nil })
	schema := string(words.Spec().Schema)
	if strings.Count(schema, `"enum":["open","done"]`) != 2 || strings.Count(schema, `"enum":["content","files","count"]`) != 1 || strings.Count(schema, "enum") != 3 {
		t.Error(schema)
	}
	for _, row := range []struct{ args, want string }{
		{`{}`, ""},
		{`{"mode":"files","items":[{"status":"open"}],"more":{"status":"done"},"free":"any"}`, ""},
		{`{"mode":""}`, ""},
		{`{"mode":null}`, ""},
		{`{"mode":"Files"}`, `argument "mode" must be content, files or count, not "Files"`},
		{`{"mode":"content,files"}`, `argument "mode" must be`},
		{`{"items":[{"status":"open"},{"status":"closed"}]}`, `argument "items/1/status" must be open or done, not "closed"`},
		{`{"items":[{"status":""}]}`, `argument "items/0/status" must be open or done, not ""`},
		{`{"more":{"status":"x"}}`, `argument "more/status" must be open or done, not "x"`},
	} {
		_, err := words.Plan(json.RawMessage(row.args))
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.args, err, row.want)
		}
	}
}

func TestDigestIsOfTheValueNotTheSpelling(t *testing.T) {
	a, _ := sample().Plan(json.RawMessage(`{"path":"a","limit":5}`))
	b, _ := sample().Plan(json.RawMessage(`{ "limit": 5, "path": "\u0061" }`))
	c, _ := sample().Plan(json.RawMessage(`{"path":"a","limit":6}`))
	if a.Digest != b.Digest || a.Digest == c.Digest {
		t.Fatalf("digests %s %s %s", a.Digest, b.Digest, c.Digest)
	}
}

func TestSchemaKeepsOrderAndHasNoNull(t *testing.T) {
	s := string(sample().Spec().Schema)
	if strings.Contains(s, "null") || strings.Index(s, `"path"`) > strings.Index(s, `"limit"`) {
		t.Fatal(s)
	}
	if !strings.Contains(s, `"required":["path"]`) || !strings.Contains(s, `"additionalProperties":false`) {
		t.Fatal(s)
	}
}

func TestLookup(t *testing.T) {
	set := NewSet(sample())
	for name, want := range map[string]bool{"sample": true, "Sample": true, "functions.sample": true, "samples": false} {
		if _, ok := set.Lookup(name); ok != want {
			t.Errorf("Lookup(%q) = %v", name, ok)
		}
	}
}
