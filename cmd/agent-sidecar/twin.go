package main

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// twin lets a session use the twin of a runner.
type twin struct {
	*runner.Twin
	runner string
}

// Fetch implements session.Twin.
func (t twin) Fetch(ctx context.Context, of, run string) (*session.Fetched, error) {
	f, err := t.Twin.Fetch(ctx, of, run)
	if f == nil {
		return nil, err
	}
	return t.of(f), err
}

func (t twin) of(f *runner.Fetched) *session.Fetched {
	return &session.Fetched{Runner: t.runner, Tool: f.Tool, Paths: f.Paths, Left: f.Left, Settle: f.Settle}
}
