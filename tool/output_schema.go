package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// OutputSchema is what a last answer must be: JSON that fits a JSON Schema.
type OutputSchema struct {
	// Text is the schema as a model reads it.
	Text     string
	resolved *jsonschema.Resolved
}

// NewOutputSchema reads a schema. One that refers to anything outside of its own text is
// refused, and so is one that refers to itself: it would be checked without end.
func NewOutputSchema(text []byte) (*OutputSchema, error) {
	var document any
	if err := jsonexp.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("the schema is not valid JSON: %w", err)
	}
	if err := plain(document); err != nil {
		return nil, fmt.Errorf("the schema %w", err)
	}
	if root, is := document.(map[string]any); is {
		delete(root, "$id") // only what is elsewhere could refer to it
		if version, given := root["$schema"]; given && !slices.Contains(schemaVersions, fmt.Sprint(version)) {
			return nil, fmt.Errorf("the schema is of the version %v; draft-07 and 2020-12 can be used", version)
		}
	}
	if !bounded(document) {
		return nil, errors.New("the schema refers to itself, to something that is not there or by a name, or is too large with every $ref written out")
	}
	compact, err := CompactJSON(document)
	if err != nil {
		return nil, err
	}
	resolved, err := resolveSchema(compact)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	return &OutputSchema{string(compact), resolved}, nil
}

// schemaVersions are those that can be checked.
var schemaVersions = []string{"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#"}

// types are the words that JSON Schema has for them.
var types = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// values are the members of a schema that are no schemas.
var values = []string{"const", "enum", "examples"}

// plain says what is wrong with the references and types of a schema.
func plain(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := plain(e); err != nil {
				return err
			}
		}
	case map[string]any:
		if ref, is := v["$ref"].(string); is && !strings.HasPrefix(ref, "#") {
			return fmt.Errorf("refers to %q, which is not in its own text", ref)
		}
		if word, is := v["type"].(string); is && !slices.Contains(types, word) {
			return fmt.Errorf("has a type %q, which there is not", word)
		}
		for name, e := range v {
			if slices.Contains(values, name) {
				continue
			}
			if err := plain(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check is the JSON of an answer, or why it does not fit. A fence around the whole of it
// does not count.
func (s *OutputSchema) Check(answer string) (output json.RawMessage, err error) {
	answer = strings.TrimSpace(answer)
	if first, rest, is := strings.Cut(answer, "\n"); is && (first == "```json" || first == "```") {
		if inner, closed := strings.CutSuffix(rest, "```"); closed {
			answer = inner
		}
	}
	var v any
	if err := jsonexp.Unmarshal([]byte(answer), &v); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if err := check(s.resolved, v); err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, []byte(answer))
	return compact.Bytes(), err
}

// check is Validate, where a panic of the validator is an answer that does not fit.
func check(r *jsonschema.Resolved, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be checked: %v", p)
		}
	}()
	return r.Validate(v)
}
