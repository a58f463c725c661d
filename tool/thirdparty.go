package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Foreign makes a tool whose arguments are described by somebody else's schema:
// an external tool, or one of an MCP server. Arguments are decoded once, as
// strictly as in Define as far as that goes without a type: an object, no member
// twice. They are held against the schema where that can be done; a schema that
// cannot be used skips the check, never the tool. What was judged is what is
// sent: plan gets the canonical text, which keeps whole numbers of any length as
// they are.
//
// A Schema that is no object is replaced by one that takes every object, because
// providers refuse anything else.
func ThirdParty(spec Spec, plan func(args json.RawMessage) (*Plan, error)) Tool {
	f := thirdParty{spec: spec, plan: plan, arguments: argumentsOf(spec.Schema)}
	f.spec.Tolerant = false // what somebody else's words mean, nobody here knows
	if !isObject(spec.Schema) {
		f.spec.Schema = json.RawMessage(`{"type":"object"}`)
	}
	return f
}

type thirdParty struct {
	spec      Spec
	plan      func(json.RawMessage) (*Plan, error)
	arguments func(json.RawMessage) error
}

func (f thirdParty) Spec() Spec { return f.spec }

func (f thirdParty) Plan(args json.RawMessage) (*Plan, error) {
	input, err := f.decode(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.spec.Name, err)
	}
	p, err := f.plan(input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.spec.Name, err)
	}
	p.Tool, p.Effect, p.Input = f.spec.Name, f.spec.Effect, input
	p.Digest = Digest(p)
	return p, nil
}

// decode reads the arguments and holds them against the schema. Members that are
// null are taken out where that makes them fit: models write null for what they
// do not want to give.
func (f thirdParty) decode(args json.RawMessage) (json.RawMessage, error) {
	if text := strings.TrimSpace(string(args)); text == "" || text == "null" {
		args = json.RawMessage("{}")
	}
	if err := f.wellFormed(args); err != nil {
		return nil, err
	}
	v := jsontext.Value(append([]byte(nil), args...))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return nil, errors.New("arguments are not valid JSON")
	}
	input := json.RawMessage(v)
	wrong := f.arguments(input)
	if wrong == nil {
		return input, nil
	}
	if slim, dropped := withoutNulls(input); dropped && f.arguments(slim) == nil {
		return slim, nil
	}
	return nil, fmt.Errorf("the arguments do not fit the schema: %w", wrong)
}

func (f thirdParty) wellFormed(args json.RawMessage) error {
	var given map[string]jsontext.Value
	err := jsonexp.Unmarshal(args, &given)
	var syn *jsontext.SyntacticError
	switch {
	case err == nil && given != nil:
		return nil
	case errors.As(err, &syn) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("argument %q is given twice", strings.TrimPrefix(string(syn.JSONPointer), "/"))
	case errors.As(err, &syn):
		return fmt.Errorf("arguments are not valid JSON (at byte %d)", syn.ByteOffset)
	}
	return errors.New("arguments must be a JSON object")
}

// withoutNulls is a canonical object without its members that are null.
func withoutNulls(input json.RawMessage) (slim json.RawMessage, dropped bool) {
	var members map[string]jsontext.Value
	if jsonexp.Unmarshal(input, &members) != nil {
		return input, false
	}
	for name, value := range members {
		if value.Kind() == 'n' {
			delete(members, name)
			dropped = true
		}
	}
	slim, err := jsonexp.Marshal(members, jsonexp.Deterministic(true))
	return slim, dropped && err == nil
}

func isObject(raw json.RawMessage) bool {
	return jsontext.Value(raw).IsValid() && jsontext.Value(raw).Kind() == '{'
}
