// Package explore is the read-only sub-agent that looks things up, and the
// check of what it cites. What it may do is enforced by its tool set and its
// policy, not by its prompt; what it says is not believed until every place it
// names was found in the files.
package explore

import (
	"context"
	_ "embed"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Name is the agent's name.
const Name = "explore"

//go:embed explore.md
var prompt string

// Prompt is what the explorer is told about its work.
func Prompt() string { return prompt }

// Explorer runs explorers.
type Explorer struct{}

// Run sends an explorer and returns its report, every citation checked. How much
// of its budget it has depends on how thorough it is to be.
func (Explorer) Run(ctx context.Context, parent session.Parent, task session.Task) (session.Report, error) {
	task.Share = thoroughnessOf(task.Prompt).share()
	return parent.Delegate(ctx, task, func(ctx context.Context, text string, sight session.Sight) (string, *history.Citations) {
		checked, ok, bad := check(ctx, sources{sight.Open, sight.Shown}, text)
		return checked, &history.Citations{OK: ok, Bad: bad}
	})
}
