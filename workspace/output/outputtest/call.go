package outputtest

import (
	"context"
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

// Allowed runs a plan with what it asks for, as if a person had said yes.
func Allowed(ctx context.Context, p *tool.Plan, to tool.Sink) (tool.Result, error) {
	return p.Run(ctx, tool.Grant{Needs: p.Needs}, to)
}

// Run is the result of one.
func Run(t *testing.T, of tool.Tool, args string) tool.Result {
	t.Helper()
	r, err := Allowed(t.Context(), Plan(t, of, args), &Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
