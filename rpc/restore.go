package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

type sessionRestoreParams struct {
	SessionID string      `json:"sessionId"`
	Seq       int64       `json:"seq"`
	Title     *string     `json:"title"`
	DryRun    bool        `json:"dryRun"`
	Confirm   bool        `json:"confirm"`
	Digest    string      `json:"digest"`
	Skip      restoreSkip `json:"skip"`
}

func (p *sessionRestoreParams) Check() error {
	if err := needs("sessionId", p.SessionID); err != nil {
		return err
	}
	switch {
	case p.Seq == 0:
		return wire.Missing("seq")
	case p.Seq < 0:
		return wire.InvalidParams("seq", "is not a seq: they begin with 1")
	case !p.DryRun && !p.Confirm:
		return confirmationRequired("confirm", "files are changed back; see what with dryRun: true, and say confirm: true")
	}
	return oneOf("skip", p.Skip, restoreSkips)
}

type sessionRestoreResult struct {
	Session   *history.Info        `json:"session"`
	Changes   []history.FileChange `json:"changes"`
	Conflicts []undoConflict       `json:"conflicts"`
	Digest    string               `json:"digest"`
}

// sessionRestore goes back to a prompt: a fork that ends before it, and the files as they
// were then. Its events come behind the answer.
func (s *undos) sessionRestore(ctx context.Context, c *wire.Call, p sessionRestoreParams) (sessionRestoreResult, error) {
	done, err := s.store.Restore(ctx, store.Restore{
		SessionID: p.SessionID, Seq: p.Seq, Title: p.Title, DryRun: p.DryRun, Digest: p.Digest, Anyway: p.Skip == skipConflicts,
	}, c.Reserve)
	if err != nil {
		return sessionRestoreResult{}, err
	}
	c.Reserve() // what a session that was made causes comes behind
	return sessionRestoreResult{infoOf(done.Session), done.Changes, s.conflicts(done.Conflicts), done.Digest}, nil
}

// infoOf is what is told of a session, if there is one.
func infoOf(of *session.Session) *history.Info {
	if of == nil {
		return nil
	}
	info := of.Info()
	return &info
}
