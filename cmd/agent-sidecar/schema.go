package main

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc"
)

// metaModel is the protocol as JSON and its hash (protocol §9).
func metaModel() ([]byte, string) { return rpc.MetaModel() }

// schema prints the protocol from the Go types.
func (p *program) schema([]string) int {
	var out []byte
	switch p.format {
	case "metamodel":
		out, _ = rpc.MetaModel()
	case "jsonschema":
		out = rpc.JSONSchema()
	default:
		return p.fail("--format %q: there are metamodel and jsonschema", p.format)
	}
	fmt.Fprintf(p.out, "%s\n", out)
	return 0
}
