package rpc

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sessions answers what is asked about sessions, but for what starts or stops a run.
type sessions struct {
	*link
	store       *store.Store
	bundles     Bundles
	transcripts *surface.Transcripts
	audit       *auditor
}

type sessionNewParams struct {
	SessionKey string    `json:"sessionKey"`
	Title      string    `json:"title"`
	Agent      string    `json:"agent"`
	Mode       tool.Mode `json:"mode"`
	Model      string    `json:"model"`
	Ephemeral  bool      `json:"ephemeral"`
	Reset      bool      `json:"reset"`
}

type sessionResult struct {
	Session history.Info `json:"session"`
}

func (p *sessionNewParams) Check() error {
	if p.Reset && p.SessionKey == "" {
		return wire.Missing("sessionKey") // it says what is reset
	}
	return nil
}

// sessionNew makes a session, or finds the one with the key.
func (s *sessions) sessionNew(_ context.Context, c *wire.Call, p sessionNewParams) (sessionResult, error) {
	c.Reserve() // the answer precedes session.opened
	of, _, err := s.store.New(session.NewSession{Key: p.SessionKey, Title: p.Title, Agent: p.Agent, Mode: p.Mode, Model: p.Model, Ephemeral: p.Ephemeral, Reset: p.Reset})
	if err != nil {
		return sessionResult{}, err
	}
	return sessionResult{of.Info()}, nil
}

type sessionUpdateParams struct {
	SessionID    string               `json:"sessionId"`
	Title        *string              `json:"title"`
	Mode         *tool.Mode           `json:"mode"`
	Confirm      bool                 `json:"confirm"`
	Agent        *string              `json:"agent"`
	Model        *string              `json:"model"`
	RuntimeMode  *string              `json:"runtimeMode"`
	Runner       *string              `json:"runner"`
	Params       *session.ParamsPatch `json:"params"`
	SystemPrompt *string              `json:"systemPrompt"`
}

func (p *sessionUpdateParams) Check() error { return needs("sessionId", p.SessionID) }

// UnmarshalJSON takes null as cleared: back to what a new session has.
func (p *sessionUpdateParams) UnmarshalJSON(raw []byte) error {
	type plain sessionUpdateParams
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	for _, m := range []struct {
		name    string
		to      **string
		cleared string
	}{
		{"title", &p.Title, ""}, {"agent", &p.Agent, "build"}, {"model", &p.Model, ""},
		{"runtimeMode", &p.RuntimeMode, "local"}, {"runner", &p.Runner, ""}, {"systemPrompt", &p.SystemPrompt, ""},
	} {
		if string(members[m.name]) == "null" {
			*m.to = &m.cleared
		}
	}
	if string(members["mode"]) == "null" {
		p.Mode = new(tool.Mode)
	}
	if string(members["params"]) == "null" {
		p.Params = session.ClearParams()
	}
	return nil
}

type sessionUpdateResult struct {
	Session history.Info      `json:"session"`
	Applied map[string]string `json:"applied"`
}

// sessionUpdate changes a session.
func (s *sessions) sessionUpdate(_ context.Context, c *wire.Call, p sessionUpdateParams) (sessionUpdateResult, error) {
	c.Reserve() // what the change causes comes behind its answer
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return sessionUpdateResult{}, err
	}
	applied, err := of.Update(session.Update{Title: p.Title, Mode: p.Mode, Confirm: p.Confirm, Agent: p.Agent, Model: p.Model, RuntimeMode: p.RuntimeMode, Runner: p.Runner, Params: p.Params, SystemPrompt: p.SystemPrompt})
	if err != nil {
		return sessionUpdateResult{}, err
	}
	return sessionUpdateResult{of.Info(), applied}, nil
}

type sessionForkParams struct {
	SessionID string  `json:"sessionId"`
	AtSeq     *int64  `json:"atSeq"`
	Title     *string `json:"title"`
}

func (p *sessionForkParams) Check() error {
	if p.AtSeq != nil && *p.AtSeq < 1 {
		return wire.InvalidParams("atSeq", "is not a seq: they begin with 1")
	}
	return needs("sessionId", p.SessionID)
}

// sessionFork makes a session that begins with what another one was. The answer
// precedes its session.opened; what was copied is paged.
func (s *sessions) sessionFork(_ context.Context, c *wire.Call, p sessionForkParams) (sessionResult, error) {
	c.Reserve()
	at := int64(0)
	if p.AtSeq != nil {
		at = *p.AtSeq
	}
	of, err := s.store.Fork(p.SessionID, at, p.Title)
	if err != nil {
		return sessionResult{}, err
	}
	return sessionResult{of.Info()}, nil
}

type sessionListParams struct {
	Query           string `json:"query"`
	Cursor          string `json:"cursor"`
	Limit           int    `json:"limit"`
	IncludeChildren bool   `json:"includeChildren"`
}

type sessionListResult struct {
	Sessions   []history.Info `json:"sessions"`
	NextCursor *string        `json:"nextCursor"`
}

func (p *sessionListParams) Check() error { return counts("limit", p.Limit) }

// sessionList lists and searches sessions, newest first.
func (s *sessions) sessionList(_ context.Context, _ *wire.Call, p sessionListParams) (sessionListResult, error) {
	from, begun, err := decodeCursor[listCursor](p.Cursor)
	if err != nil {
		return sessionListResult{}, err
	}
	all, err := s.store.List(store.Query{Text: p.Query, Children: p.IncludeChildren})
	if err != nil {
		return sessionListResult{}, err
	}
	limit := min(p.Limit, mostListed)
	if limit == 0 {
		limit = listPage
	}
	out := sessionListResult{Sessions: []history.Info{}}
	for _, i := range all {
		if begun && store.Newer(i, history.Info{ID: from.ID, UpdatedAt: from.UpdatedAt}) <= 0 {
			continue
		}
		if len(out.Sessions) == limit {
			last := out.Sessions[limit-1]
			out.NextCursor = encodeCursor(listCursor{last.UpdatedAt, last.ID})
			break
		}
		i.LockedBy = s.store.HeldBy(i.ID) // only of those that are shown: each costs a try of its lock
		out.Sessions = append(out.Sessions, i)
	}
	return out, nil
}

// listCursor is the place behind a session in the list. It stays where it is
// while sessions are added; one that is used meanwhile moves to the front.
type listCursor struct {
	UpdatedAt string `json:"u"`
	ID        string `json:"i"`
}

type sessionDeleteParams sessionParams

func (p *sessionDeleteParams) Check() error { return needs("sessionId", p.SessionID) }

// sessionDelete cancels and removes a session; what is not there is fine.
func (s *sessions) sessionDelete(ctx context.Context, _ *wire.Call, p sessionDeleteParams) (struct{}, error) {
	s.transcripts.Forget(p.SessionID)
	err := s.store.Delete(ctx, p.SessionID)
	s.transcripts.Forget(p.SessionID) // what its end has written
	return struct{}{}, err
}

type sessionExportParams struct {
	SessionID string `json:"sessionId"`
	Redact    *bool  `json:"redact"`
}

func (p *sessionExportParams) Check() error { return needs("sessionId", p.SessionID) }

type sessionExportResult struct {
	ArtifactID string `json:"artifactId"`
}

// TooLargeError says that a bundle does not fit into an artifact.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("it is over %d bytes", e.Limit) }

// sessionExport writes a session as it is on disk into one of its artifacts,
// redacted unless the client says that it is not to be. The session is only read: it
// may be running, here or in another process. Such a client could page the same text
// with agent/events, so an export as it is needs no more than its word; the bundle
// says that it is not redacted, and the audit that it was made.
func (s *sessions) sessionExport(ctx context.Context, _ *wire.Call, p sessionExportParams) (sessionExportResult, error) {
	redact := p.Redact == nil || *p.Redact
	ref, err := s.bundles.Export(ctx, p.SessionID, redact)
	if err != nil {
		return sessionExportResult{}, err
	}
	if !redact {
		s.audit.note("export", "session "+p.SessionID+", not redacted", "client")
	}
	return sessionExportResult{ref.ArtifactID}, nil
}
