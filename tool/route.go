package tool

import (
	"encoding/json"
	"fmt"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Router is a tool whose calls are those of another one. From the routing on only that one
// counts: hooks, rules, people and the audit see its name and its arguments, and it is what
// runs.
type Router interface {
	Tool
	// Route says which tool a call is of. The error is shown to the model.
	Route(args json.RawMessage) (Routed, error)
}

// Routed is a call of another tool.
type Routed struct {
	Tool  Tool // nil: the call is the router's own
	Input json.RawMessage
	// Back are the arguments of the router that lead to a call of Tool with input.
	Back func(input json.RawMessage) json.RawMessage
	// Needs is a tool that the caller must have, "" none: nobody is led further than to
	// where they may go by themselves.
	Needs string
}

// RouteOf is where a call of any tool leads: to the tool itself, where that is no router.
func RouteOf(t Tool, args json.RawMessage) (Routed, error) {
	router, is := t.(Router)
	if !is {
		return Routed{}, nil
	}
	return router.Route(args)
}

// TextMember is a text in a JSON object, "" where it is not there once and as a text.
func TextMember(object json.RawMessage, name string) string {
	var members map[string]jsontext.Value
	var text string
	if jsonexp.Unmarshal(object, &members) != nil || jsonexp.Unmarshal(members[name], &text) != nil {
		return ""
	}
	return text
}

// Via makes a router from a struct of arguments, which are read as Define reads them. All
// of its calls are of another tool. A schema in spec takes the place of the struct's.
func Via[In any](spec Spec, route func(In) (Routed, error)) Tool {
	schema, err := schemaFor[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	if spec.Schema == nil {
		spec.Schema = schema.raw
	}
	return via[In]{spec, schema.required, route}
}

type via[In any] struct {
	spec     Spec // with the schema of In
	required []string
	route    func(In) (Routed, error)
}

// Spec implements Tool.
func (v via[In]) Spec() Spec { return v.spec }

// Route implements Router.
func (v via[In]) Route(args json.RawMessage) (Routed, error) {
	in, err := decode[In](args, v.spec.Schema, v.required)
	if err != nil {
		return Routed{}, fmt.Errorf("%s: %w", v.spec.Name, err)
	}
	routed, err := v.route(in)
	if err != nil {
		return Routed{}, fmt.Errorf("%s: %w", v.spec.Name, err)
	}
	return routed, nil
}

// Plan implements Tool: it is the other tool's.
func (v via[In]) Plan(args json.RawMessage) (*Plan, error) {
	routed, err := v.Route(args)
	if err != nil {
		return nil, err
	}
	return routed.Tool.Plan(routed.Input)
}
