package rpc

import (
	"cmp"
	"context"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type sessionChangesParams struct {
	SessionID string `json:"sessionId"`
	RunID     string `json:"runId"`
	Cursor    string `json:"cursor"`
	Limit     int    `json:"limit"`
}

func (p *sessionChangesParams) Check() error {
	return cmp.Or(counts("limit", p.Limit), needs("sessionId", p.SessionID))
}

type sessionChangesResult struct {
	Items      []changedFile `json:"items"`
	NextCursor *string       `json:"nextCursor"`
	Incomplete bool          `json:"incomplete,omitempty"`
}

// changedFile is how a file is now, beside what it was before a run or a session.
type changedFile struct {
	URI        string   `json:"uri"`
	Path       string   `json:"path"`
	Kind       string   `json:"kind"`
	From       string   `json:"from,omitempty"`
	Additions  int      `json:"additions"`
	Deletions  int      `json:"deletions"`
	Checkpoint string   `json:"checkpoint,omitempty"`
	CallIDs    []string `json:"callIds"`
}

// Each file of a page is read, and compared with what was kept of it.
const (
	changesPage    = 100
	mostChanges    = 500
	mostChangeCall = 20 // the last so many calls of one file are named
)

// sessionChanges lists the files that a run or a session has changed and that are not
// back, each with the document that has what was there before.
func (s *sessions) sessionChanges(ctx context.Context, _ *wire.Call, p sessionChangesParams) (sessionChangesResult, error) {
	from, _, err := decodeCursor[uint](p.Cursor)
	if err != nil {
		return sessionChangesResult{}, err
	}
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return sessionChangesResult{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.leaving, cancel)() // shutdown does not wait for a long log, or for hundreds of large files
	touched, incomplete, err := of.Touched(ctx, p.RunID)
	if err != nil {
		return sessionChangesResult{}, err
	}
	out := sessionChangesResult{Items: []changedFile{}, Incomplete: incomplete}
	page, next := pageOf(touched, from, min(p.Limit, mostChanges), changesPage)
	out.NextCursor = next
	for _, t := range page {
		if err := ctx.Err(); err != nil {
			return sessionChangesResult{}, err
		}
		now, differs := of.Compare(t)
		if !differs {
			continue
		}
		f := changedFile{URI: now.URI, Path: now.Path, Kind: now.Kind, From: now.From, Additions: now.Additions, Deletions: now.Deletions, CallIDs: lastCalls(t)}
		if now.Checkpoint != "" {
			before := now.Path
			if now.From != "" {
				before = now.From
			}
			f.Checkpoint = history.DocumentURI(history.CheckpointScheme, of.ID(), now.Checkpoint, before)
		}
		out.Items = append(out.Items, f)
	}
	return out, nil
}

func lastCalls(t history.Touched) []string {
	return nonNil(t.Calls[max(0, len(t.Calls)-mostChangeCall):])
}
