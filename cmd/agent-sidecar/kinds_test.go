package main

import (
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/tasks"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// TestOwnToolsHaveKinds: a client of the Agent Client Protocol shows each of our tools by its kind.
func TestOwnToolsHaveKinds(t *testing.T) {
	for _, name := range slices.Concat(workspace.ToolNames, tasks.Names) {
		if convert.Kind(name) == v1.ToolKindOther {
			t.Errorf("%s has no kind", name)
		}
	}
}
