package outputtest

import (
	"encoding/json"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Plan is the plan of a call that is in order.
func Plan(t *testing.T, of tool.Tool, args string) *tool.Plan {
	t.Helper()
	p, err := of.Plan(json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Run is the result of one.
func Run(t *testing.T, of tool.Tool, args string) tool.Result {
	t.Helper()
	r, err := Plan(t, of, args).Run(t.Context(), &Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
