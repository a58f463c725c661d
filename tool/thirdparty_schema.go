package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxSchemaWeight is how many parts a schema may have with every reference
// written out. A schema from outside that refers to itself would overflow the
// stack of anyone who validates with it, and one whose references double at each
// level would never be done.
const maxSchemaWeight = 10_000

// argumentsOf checks arguments against a schema from outside. The schema is
// looked at when the first arguments come: most tools are never called.
func argumentsOf(schema json.RawMessage) func(json.RawMessage) error {
	resolved := sync.OnceValue(func() *jsonschema.Resolved { return resolve(schema) })
	return func(args json.RawMessage) error {
		r := resolved()
		if r == nil {
			return nil
		}
		var v any
		if err := json.Unmarshal(args, &v); err != nil {
			return errors.New("arguments are not valid JSON")
		}
		return validate(r, v)
	}
}

// validate treats a panic of the validator as a schema that cannot be used.
func validate(r *jsonschema.Resolved, v any) (err error) {
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	return r.Validate(v)
}

// resolve is nil where the schema cannot be used.
func resolve(raw json.RawMessage) *jsonschema.Resolved {
	var document any
	if json.Unmarshal(raw, &document) != nil || !bounded(document) {
		return nil
	}
	r, err := resolveSchema(raw)
	if err != nil {
		return nil
	}
	return r
}

// resolveSchema treats a panic of the library as a schema that cannot be used.
func resolveSchema(raw json.RawMessage) (r *jsonschema.Resolved, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("%v", p)
		}
	}()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// bounded says that a schema stays small when its references are written out.
// Only plain references into the document are followed; with any other kind the
// answer is no.
func bounded(document any) bool {
	w := weigher{document: document, done: map[string]int{}, open: map[string]bool{}}
	return w.weigh(document) <= maxSchemaWeight
}

type weigher struct {
	document any
	done     map[string]int  // weights of what references lead to
	open     map[string]bool // references that are being weighed: one of them again is a circle
}

func (w *weigher) weigh(v any) int {
	sum := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if sum += w.weigh(e); sum > maxSchemaWeight {
				return sum
			}
		}
	case map[string]any:
		for name, e := range v {
			switch name {
			case "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor":
				if _, is := e.(string); is {
					return maxSchemaWeight + 1
				}
			case "$ref":
				if ref, is := e.(string); is {
					sum += w.follow(ref)
				}
			}
			if sum += w.weigh(e); sum > maxSchemaWeight {
				return sum
			}
		}
	}
	return sum
}

func (w *weigher) follow(ref string) int {
	if n, known := w.done[ref]; known {
		return n
	}
	target, found := at(w.document, ref)
	if !found || w.open[ref] {
		return maxSchemaWeight + 1
	}
	w.open[ref] = true
	n := w.weigh(target)
	delete(w.open, ref)
	w.done[ref] = n
	return n
}

// at is what a reference such as "#/$defs/name" leads to.
func at(document any, ref string) (any, bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, false
	}
	if path == "" {
		return document, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		object, is := document.(map[string]any)
		if !is || object[step] == nil {
			return nil, false
		}
		document = object[step]
	}
	return document, true
}
