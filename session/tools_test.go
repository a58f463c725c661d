package session

import (
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a client is told that a model can be offered includes what is the session's own,
// and what comes and goes; every tool says what it does.
func TestOfferedTools(t *testing.T) {
	h := newHouse(t)
	foreign := tool.Define(tool.Spec{Name: "mcp__notes__find", Description: "Finds."}, func(struct{}) (*tool.Plan, error) { return nil, nil })
	var names []string
	for _, spec := range h.deps.Offered([]tool.Tool{foreign}) {
		names = append(names, spec.Name)
		if spec.Description == "" {
			t.Errorf("%s has no description", spec.Name)
		}
	}
	for _, want := range []string{"compact", "tasks_update", "tasks_list", "mcp__notes__find"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in %v", want, names)
		}
	}
	s := h.session(t)
	agent, _ := h.deps.agent("build", "primary")
	for _, name := range s.tools.set(t.Context(), agent, 0).Names() {
		if !slices.Contains(names, name) {
			t.Errorf("a session has %s, which is not in %v", name, names)
		}
	}
}
