package rpc

import (
	"context"
	"encoding/base64"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type sessionNewParams struct {
	SessionKey string `json:"sessionKey"`
	Title      string `json:"title"`
	Agent      string `json:"agent"`
	Mode       string `json:"mode"`
	Model      string `json:"model"`
	Ephemeral  bool   `json:"ephemeral"`
	Reset      bool   `json:"reset"`
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
func (s *Server) sessionNew(_ context.Context, c *wire.Call, p sessionNewParams) (sessionResult, error) {
	c.Reserve() // the answer precedes session.opened
	of, _, err := s.back.Sessions.New(session.NewSession{Key: p.SessionKey, Title: p.Title, Agent: p.Agent, Mode: p.Mode, Model: p.Model, Ephemeral: p.Ephemeral, Reset: p.Reset})
	if err != nil {
		return sessionResult{}, err
	}
	return sessionResult{of.Info()}, nil
}

// pageOf cuts a page out of a list and names the next one; null is the end.
func pageOf[T any](all []T, from, limit, usual int) ([]T, *string) {
	if limit <= 0 {
		limit = usual
	}
	from = min(from, len(all))
	to := min(from+limit, len(all))
	if to == len(all) {
		return all[from:to], nil
	}
	next := base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(to)))
	return all[from:to], &next
}

func decodeCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		var n int
		if n, err = strconv.Atoi(string(raw)); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, wire.InvalidParams("cursor", "is not one that was given")
}

type resumeParams struct {
	SessionID           string `json:"sessionId"`
	After               int64  `json:"after"`
	Replay              string `json:"replay"`
	ContinuePendingWork bool   `json:"continuePendingWork"`
}

func (p *resumeParams) Check() error {
	switch {
	case p.SessionID == "":
		return wire.Missing("sessionId")
	case p.After < 0:
		return wire.InvalidParams("after", "is negative")
	case p.Replay != "" && p.Replay != "none" && p.Replay != "events":
		return wire.InvalidParams("replay", fmt.Sprintf("%q is neither none nor events", p.Replay))
	}
	return nil
}

type resumeResult struct {
	Session          history.Info         `json:"session"`
	TailSeq          int64                `json:"tailSeq"`
	Interrupted      *history.Interrupted `json:"interrupted,omitempty"`
	PendingApprovals []history.Approval   `json:"pendingApprovals"`
	Queue            []history.QueueItem  `json:"queue"`
	RunID            string               `json:"runId,omitempty"`
}

// sessionResume opens a session again. Replayed events come before the answer;
// continuePendingWork starts a run that goes on with what was interrupted.
func (s *Server) sessionResume(_ context.Context, c *wire.Call, p resumeParams) (resumeResult, error) {
	of, err := s.back.Sessions.Get(p.SessionID)
	if err != nil {
		return resumeResult{}, err
	}
	r := of.Resume()
	if p.Replay == "events" && s.client.wants("session.opened") {
		s.conn.Replay(of.ID(), "", p.After, r.TailSeq)
	}
	out := resumeResult{r.Info, r.TailSeq, r.Interrupted, r.Pending, r.Queue, ""}
	s.setCurrent(of.ID())
	s.surfaces.TellShown(of)
	if p.ContinuePendingWork {
		c.Reserve()
		ack, err := of.Continue()
		if err != nil {
			return resumeResult{}, err
		}
		if ack.Owed {
			s.drive(of)
		}
		out.RunID = ack.RunID
	}
	return out, nil
}

// need is the check of params that are about one session.
func need(sessionID string) error {
	if sessionID == "" {
		return wire.Missing("sessionId")
	}
	return nil
}

type compactParams struct {
	SessionID string `json:"sessionId"`
	Focus     string `json:"focus"`
}

func (p *compactParams) Check() error { return need(p.SessionID) }

type runIDResult struct {
	RunID string `json:"runId"`
}

// sessionCompact summarises a session; its progress is that of a run of kind
// compaction. While something runs it waits for it.
func (s *Server) sessionCompact(_ context.Context, c *wire.Call, p compactParams) (runIDResult, error) {
	of, err := s.back.Sessions.Get(p.SessionID)
	if err != nil {
		return runIDResult{}, err
	}
	c.Reserve()
	ack, err := of.Prompt(session.Prompt{Kind: "compaction", Blocks: history.Text(p.Focus)})
	if err != nil {
		return runIDResult{}, err
	}
	if ack.Owed {
		s.drive(of)
	}
	return runIDResult{ack.RunID}, nil
}

type deleteParams sessionParams

func (p *deleteParams) Check() error { return need(p.SessionID) }

// sessionDelete cancels and removes a session; what is not there is fine.
func (s *Server) sessionDelete(ctx context.Context, _ *wire.Call, p deleteParams) (struct{}, error) {
	s.surfaces.Transcripts.Forget(p.SessionID)
	err := s.back.Sessions.Delete(ctx, p.SessionID)
	s.surfaces.Transcripts.Forget(p.SessionID) // what its end has written
	return struct{}{}, err
}

type sessionState struct {
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
	RunID     string `json:"runId,omitempty"`
}

type statusResult struct {
	Sessions         []sessionState `json:"sessions"`
	PendingApprovals int            `json:"pendingApprovals"`
	UptimeMs         int64          `json:"uptimeMs"`
	Sandbox          Sandbox        `json:"sandbox"`
	RSSBytes         uint64         `json:"rssBytes"`
	Providers        []Provider     `json:"providers"`
}

// status says what this process does.
func (s *Server) status(context.Context, *wire.Call, wire.None) (statusResult, error) {
	out := statusResult{Sessions: []sessionState{}, PendingApprovals: len(s.surfaces.Board.Pending("")), UptimeMs: time.Since(s.started).Milliseconds(), Sandbox: s.back.Sandbox(), Providers: s.back.Providers()}
	for _, of := range s.back.Sessions.Live() {
		out.Sessions = append(out.Sessions, sessionState{of.ID(), of.Info().State, of.LiveRun()})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	out.RSSBytes = residentBytes(m.Sys)
	return out, nil
}
