package workspace

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sign gives plan its digest over the tool, the arguments and the hashes of the
// files it would change, so that another content is another question
// (protocol §4.5).
func sign(plan *tool.Plan, spec tool.Spec, in any, hashes ...string) {
	raw, err := json.Marshal(in)
	if err == nil {
		raw, err = tool.Canonical(raw)
	}
	if err != nil {
		raw = nil // strings and numbers always encode; the hashes still count
	}
	signed := *plan
	signed.Tool, signed.Input = spec.Name, raw
	plan.Digest = tool.Digest(&signed, hashes...)
}
