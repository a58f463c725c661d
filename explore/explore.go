// Package explore is the read-only sub-agent that looks things up, and the
// check of what it cites. What it may do is enforced by its tool set and its
// policy, not by its prompt; what it says is not believed until every place it
// names was found in the files (control §9).
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

// Source gives the lines of files that may be cited. The Vault implements it.
type Source interface {
	// CitedLine is line n, from 1, of a file of the Vault. An error means that
	// there is no such line, or that the file may not be cited.
	CitedLine(path string, n int) (string, error)
}

// Runner runs explorers.
type Runner struct{ source Source }

// NewRunner returns a runner that checks citations against source.
func NewRunner(source Source) *Runner { return &Runner{source} }

// Run sends an explorer and returns its report, every citation checked. Its
// budget is the session's (control §9).
func (e *Runner) Run(ctx context.Context, parent *session.Session, task session.Task) (session.Report, error) {
	return parent.Delegate(ctx, task, func(text string) (string, *history.Citations) {
		checked, ok, bad := Check(e.source, text)
		return checked, &history.Citations{OK: ok, Bad: bad}
	})
}
