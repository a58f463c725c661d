package main

import (
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// schema prints the protocol, or the schema of the configuration file, as it is
// checked in.
func (p *program) schema([]string) int {
	var out []byte
	switch p.format {
	case "metamodel":
		out = schema.MetaModel()
	case "jsonschema":
		out = schema.JSONSchema()
	case "config":
		out = schema.Config()
	default:
		return p.misused("--format %q: there are metamodel, jsonschema and config", p.format)
	}
	return p.show(out)
}
