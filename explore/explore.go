// Package explore is the read-only sub-agent that looks things up, and the
// check of what it cites. What it may do is enforced by its tool set and its
// policy, not by its prompt; what it says is not believed until every place it
// names was found in the files.
package explore

import (
	"context"
	_ "embed"
	"io"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Name is the agent's name.
const Name = "explore"

//go:embed explore.md
var prompt string

// Prompt is what the explorer is told about its work.
func Prompt() string { return prompt }

// Source gives the files that may be cited. The Vault implements it.
type Source interface {
	// Cited opens a file as its reader has it: text in UTF-8, unsaved where the
	// editor has it so. may says which objects may be looked at: any other is an
	// error before it is touched. What is no text is one, too. The caller closes it.
	Cited(path string, may func(object string) bool) (io.ReadCloser, error)
}

// Runner runs explorers.
type Runner struct{ source Source }

// NewRunner returns a runner that checks citations against source.
func NewRunner(source Source) *Runner { return &Runner{source} }

// Run sends an explorer and returns its report, every citation checked. How much
// of its budget it has depends on how thorough it is to be.
func (e *Runner) Run(ctx context.Context, parent session.Parent, task session.Task) (session.Report, error) {
	task.Share = thoroughnessOf(task.Prompt).share()
	return parent.Delegate(ctx, task, func(ctx context.Context, text string, sight session.Sight) (string, *history.Citations) {
		open := func(path string) (io.ReadCloser, error) { return e.source.Cited(path, sight.May) }
		checked, ok, bad := check(ctx, sources{open, sight.Shown}, text)
		return checked, &history.Citations{OK: ok, Bad: bad}
	})
}
