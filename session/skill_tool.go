package session

import (
	"context"
	_ "embed"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed skill.md
var skillDescription string

type skillArgs struct {
	Name string `json:"name" jsonschema:"name of the skill"`
}

// skill lets the model load a skill. The folders are read when it is called, so that one
// that was written meanwhile is found.
func (o ownTools) skill() tool.Tool {
	return tool.Define(tool.Spec{Name: skillName, Effect: tool.Read, Description: skillDescription}, func(in skillArgs) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "load the skill " + control.Title(in.Name, 80),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:skill"}},
			Run: func(_ context.Context, _ tool.Grant, out tool.Sink) (tool.Result, error) {
				place := o.root.place()
				s, err := skills.Look(place.Surroundings.Skills()).Named(in.Name)
				if err != nil {
					return tool.Failed(err), nil
				}
				if k, ok := out.(*sink); ok {
					k.step.skill = &s
				}
				return tool.Result{Text: s.Text(place.Runner != "")}, nil
			},
		}, nil
	})
}
