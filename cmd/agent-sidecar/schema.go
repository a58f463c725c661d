package main

import (
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// schema prints the protocol, as it is checked in.
func (p *program) schema([]string) int {
	var out []byte
	switch p.format {
	case "metamodel":
		out = schema.MetaModel()
	case "jsonschema":
		out = schema.JSONSchema()
	default:
		return p.misused("--format %q: there are metamodel and jsonschema", p.format)
	}
	return p.show(out)
}
