package rpc

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

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

func (p *sessionListParams) Check() error {
	if p.Limit < 0 {
		return wire.InvalidParams("limit", "is negative")
	}
	return nil
}

// sessionList lists and searches sessions, newest first.
func (s *sessions) sessionList(_ context.Context, _ *wire.Call, p sessionListParams) (sessionListResult, error) {
	from, err := decodeListCursor(p.Cursor)
	if err != nil {
		return sessionListResult{}, err
	}
	all, err := s.Store.List(store.Query{Text: p.Query, Children: p.IncludeChildren})
	if err != nil {
		return sessionListResult{}, err
	}
	limit := min(p.Limit, mostListed)
	if limit == 0 {
		limit = listPage
	}
	out := sessionListResult{Sessions: []history.Info{}}
	for _, i := range all {
		if from != nil && store.Newer(i, from.info()) <= 0 {
			continue
		}
		if len(out.Sessions) == limit {
			last := out.Sessions[limit-1]
			next := listCursor{last.UpdatedAt, last.ID}.encode()
			out.NextCursor = &next
			break
		}
		i.LockedBy = s.Store.HeldBy(i.ID) // only of those that are shown: each costs a try of its lock
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

func (c listCursor) info() history.Info { return history.Info{ID: c.ID, UpdatedAt: c.UpdatedAt} }

func (c listCursor) encode() string {
	raw, _ := json.Marshal(c) // two strings
	return base64.RawURLEncoding.EncodeToString(raw)
}

func decodeListCursor(cursor string) (*listCursor, error) {
	if cursor == "" {
		return nil, nil
	}
	var c listCursor
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &c) != nil || c.ID == "" {
		return nil, wire.InvalidParams("cursor", "is not one that was given")
	}
	return &c, nil
}
