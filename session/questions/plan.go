package questions

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// PlanName is the tool with which an agent hands its plan to the person.
const PlanName = "plan_ready"

//go:embed plan_ready.md
var planDescription string

// maxPlan is how long a plan may be, in bytes.
const maxPlan = 64 << 10

type planArgs struct {
	Plan string `json:"plan" jsonschema:"the plan, in Markdown"`
}

// PlanTool hands a plan to the person. It is of a domain that only a person can allow; then
// accepted sees to it that the plan is carried out.
func PlanTool(accepted func(out tool.Sink, plan string) (tool.Result, error)) tool.Tool {
	spec := tool.Spec{Name: PlanName, Effect: tool.Read, Description: planDescription}
	return tool.Define(spec, func(in planArgs) (*tool.Plan, error) {
		plan := strings.TrimSpace(history.Clean(in.Plan))
		switch {
		case plan == "":
			return nil, errors.New(`argument "plan" is empty`)
		case len(plan) > maxPlan:
			return nil, errors.New(`argument "plan" is too long; write it in at most 64 KiB`)
		}
		return &tool.Plan{
			Title:   "hand over the plan",
			Targets: []tool.Target{{Domain: tool.DomainPlan, Object: "plan"}},
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return tool.Preview{Kind: "plan", Text: plan}, nil
			},
			Run: func(_ context.Context, _ tool.Grant, out tool.Sink) (tool.Result, error) {
				return accepted(out, plan)
			},
		}, nil
	})
}
