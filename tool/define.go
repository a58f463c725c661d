package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Define makes a tool from a struct of arguments. The schema comes from the struct's
// json, jsonschema and words tags. Arguments are decoded once and strictly: unknown,
// repeated and mis-cased members are errors that name the member, and the decoded
// value is what is judged and run. plan fills the Plan; Define adds Tool, Effect,
// Input and Digest.
//
// Define panics when In cannot be described by a schema: that is a defect of
// the program, found by the first test that touches the tool.
func Define[In any](spec Spec, plan func(In) (*Plan, error)) Tool {
	return DefineAsking(spec, func(_ context.Context, in In) (*Plan, error) { return plan(in) })
}

// DefineAsking is Define for a tool that has to ask somebody what would happen before it has
// a plan. What it asks changes nothing, and it gives up when its context ends (PlanOf).
func DefineAsking[In any](spec Spec, plan func(context.Context, In) (*Plan, error)) Tool {
	schema, err := schemaFor[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	spec.Schema = schema.raw
	return defined[In]{spec, schema.required, plan}
}

type defined[In any] struct {
	spec     Spec // with the schema of In
	required []string
	plan     func(context.Context, In) (*Plan, error)
}

func (d defined[In]) Spec() Spec { return d.spec }

func (d defined[In]) Plan(args json.RawMessage) (*Plan, error) {
	return d.planIn(context.Background(), args)
}

// PlanOf is the plan of a call. A tool that asks somebody for it waits no longer than ctx.
func PlanOf(ctx context.Context, t Tool, args json.RawMessage) (*Plan, error) {
	if asking, does := t.(interface {
		planIn(ctx context.Context, args json.RawMessage) (*Plan, error)
	}); does {
		return asking.planIn(ctx, args)
	}
	return t.Plan(args)
}

func (d defined[In]) planIn(ctx context.Context, args json.RawMessage) (*Plan, error) {
	in, err := decode[In](args, d.spec.Schema, d.required)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.spec.Name, err)
	}
	p, err := d.plan(ctx, in)
	if old, ok := errors.AsType[*Outdated](err); ok {
		err = errors.Join(err, d.complete(old.Plan, in))
	}
	if err == nil {
		err = d.complete(p, in)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.spec.Name, err)
	}
	return p, nil
}

// complete adds what every plan of the tool has.
func (d defined[In]) complete(p *Plan, in In) (err error) {
	p.Tool, p.Effect = d.spec.Name, d.spec.Effect
	p.Input, err = canonical(in)
	p.Digest = Digest(p)
	return err
}

// decode reads args into In. Members that are null are treated as absent:
// models write null for an argument they do not want to give.
func decode[In any](args, schema json.RawMessage, required []string) (In, error) {
	var in In
	if len(strings.TrimSpace(string(args))) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	err := jsonexp.Unmarshal(args, &in, jsonexp.RejectUnknownMembers(true))
	if err == nil {
		if err = missing(args, required); err == nil {
			err = wrongWord(reflect.ValueOf(in), "")
		}
		return in, err
	}
	if sem, ok := errors.AsType[*jsonexp.SemanticError](err); ok {
		return in, unfit(sem, args, schema)
	}
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return in, fmt.Errorf("argument %q is given twice", strings.TrimPrefix(string(syn.JSONPointer), "/"))
		}
		return in, fmt.Errorf("arguments are not valid JSON (at byte %d)", syn.ByteOffset)
	}
	return in, errors.New("arguments are not valid JSON")
}

// missing names the first required member that args does not give. args is
// already known to be a valid object.
func missing(args json.RawMessage, required []string) error {
	var given map[string]jsontext.Value
	if err := jsonexp.Unmarshal(args, &given); err != nil {
		return errors.New("arguments must be a JSON object")
	}
	for _, name := range required {
		if v, ok := given[name]; !ok || v.Kind() == 'n' {
			return fmt.Errorf("argument %q is missing", name)
		}
	}
	return nil
}

// canonical is the JSON of v with sorted keys and without members that are
// absent, so that two spellings of one call are one call.
func canonical(v any) (json.RawMessage, error) {
	raw, err := jsonexp.Marshal(v, jsonexp.OmitZeroStructFields(true))
	if err != nil {
		return nil, err
	}
	return Canonical(raw)
}

// Canonical sorts the keys of a JSON text and normalises its numbers, so that
// equal values are equal bytes.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	v := jsontext.Value(append([]byte(nil), raw...))
	if err := v.Canonicalize(); err != nil {
		return nil, err
	}
	return json.RawMessage(v), nil
}

// CompactJSON encodes without escaping <, > and &.
func CompactJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Digest is the hex sha256 over everything that makes a plan the thing it is:
// the tool, its canonical arguments, the directory, what it touches (so that a
// link that leads elsewhere now is another question), Base and Starts.
func Digest(p *Plan) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", p.Tool, p.Input, p.Dir)
	for _, t := range p.Targets {
		fmt.Fprintf(h, "\x00%s\x00%s", t.Domain, t.Object)
	}
	fmt.Fprintf(h, "\x00\x00%d", len(p.Base))
	for _, b := range p.Base {
		fmt.Fprintf(h, "\x00%s", b)
	}
	if len(p.Starts) > 0 {
		fmt.Fprintf(h, "\x00\x00%d", len(p.Starts))
	}
	for _, f := range p.Starts {
		fmt.Fprintf(h, "\x00%s\x00%s\x00%s", f.Command, f.Object, f.Hash)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// schemaFor describes In for a model: members in the struct's order, nothing
// beyond them allowed, and no "null" types, which some providers refuse.
func schemaFor[In any]() (described, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return described{}, err
	}
	dropNull(s)
	enumerate(s, reflect.TypeFor[In]())
	raw, err := json.Marshal(s)
	return described{raw, s.Required}, err
}

type described struct {
	raw      json.RawMessage
	required []string
}

func dropNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		dropNull(p)
	}
	dropNull(s.Items)
}
