package main

import (
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// schema prints the protocol, or the schema of the configuration file, as it is
// checked in, or the protocol in the language of an editor's extensions.
func (p *program) schema([]string) int {
	var out []byte
	var err error
	switch p.format {
	case "metamodel":
		out = schema.MetaModel()
	case "jsonschema":
		out = schema.JSONSchema()
	case "config":
		out = schema.Config()
	case "ts":
		out, err = rpc.TypeScript()
	case "lua":
		out, err = rpc.Lua()
	default:
		return p.misused("--format %q: there are metamodel, jsonschema, config, ts and lua", p.format)
	}
	if err != nil {
		return p.fail("write the protocol down: %v", err)
	}
	if _, err := p.pipe.Write(out); err != nil {
		return p.fail("%v", err)
	}
	return 0
}
