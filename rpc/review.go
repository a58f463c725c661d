package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// reviewText is the whole of a question, as a person reads it before a yes.
func reviewText(a session.Approval) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# %s\n# risk: %s\n", a.Title, a.Reason, a.Risk)
	for _, t := range a.Targets {
		fmt.Fprintf(&b, "# target: %s\n", t)
	}
	for _, o := range a.Always {
		fmt.Fprintf(&b, "# `always` would store: %s\n", o.Pattern)
	}
	b.WriteByte('\n')
	switch {
	case a.Preview != nil:
		b.WriteString(a.Preview.Text)
	default:
		b.Write(a.Input)
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

type reviewResult struct {
	ApprovalID string `json:"approvalId"`
	Text       string `json:"text"`
	URI        string `json:"uri,omitempty"`
}

// commandReview shows a question whole: as a document where the editor can, and
// always in the answer. From then on surfaces of one line offer a yes (rulings
// 82, 116).
func (s *Server) commandReview(_ context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	var p struct {
		ApprovalID string `json:"approvalId"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, wire.ParamsError(err)
	}
	q, err := s.pick(p.ApprovalID)
	if err != nil {
		return nil, err
	}
	uri := s.openReview(q)
	return reviewResult{q.ApprovalID, reviewText(q.Approval), uri}, nil
}

// openReview writes the review to a file and asks the editor to show it. From
// then on it counts as seen.
func (s *Server) openReview(q *openQuestion) (uri string) {
	path, err := s.writeReview(q)
	if err != nil {
		s.report("write a review", err)
	} else {
		uri = FileURI(path)
		s.show(path)
	}
	s.board.review(q.ApprovalID)
	return uri
}

// writeReview puts the review beside the session's log, or that of a question
// without a session into a directory of this connection.
func (s *Server) writeReview(q *openQuestion) (path string, err error) {
	dir := ""
	if q.SessionID != "" {
		of, err := s.back.Sessions.Get(q.SessionID)
		if err != nil {
			return "", err
		}
		dir = filepath.Join(of.Dir(), "reviews")
	} else if dir, err = s.reviewDir(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, q.ApprovalID+".diff")
	return path, os.WriteFile(path, []byte(reviewText(q.Approval)), 0o600)
}

// reviewDir is made when it is needed and removed with the connection.
func (s *Server) reviewDir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reviews == "" {
		dir, err := os.MkdirTemp("", "agent-sidecar-review-*")
		if err != nil {
			return "", err
		}
		s.reviews = dir
	}
	return s.reviews, nil
}

// show asks the editor to open a file, where it can. Nobody waits for it.
func (s *Server) show(path string) {
	if !s.client.showDocument {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	asked, err := s.conn.Ask(ctx, "window/showDocument", map[string]any{"uri": FileURI(path), "takeFocus": false})
	if err != nil {
		cancel()
		s.report("show a document", err)
		return
	}
	s.goWork(func() {
		defer cancel()
		if err := asked.Wait(nil); err != nil {
			s.report("show a document", err)
		}
	})
}

type openResult struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
}

// commandTranscript opens the live transcript of a session.
func (s *Server) commandTranscript(_ context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	raw, err := s.onCurrent(raw)
	if err != nil {
		return nil, err
	}
	var p sessionParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	of, err := s.back.Sessions.Get(p.SessionID)
	if err != nil {
		return nil, err
	}
	path, err := s.transcripts.write(of)
	if err != nil {
		return nil, fmt.Errorf("write the transcript: %w", err)
	}
	s.show(path)
	return openResult{FileURI(path), path}, nil
}

// commandArtifact opens the full output of a call.
func (s *Server) commandArtifact(_ context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	var p artifactParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	found, path, err := s.findArtifact(p.ref())
	if err != nil {
		return nil, err
	}
	s.show(path)
	return openResult{found.FileURI, path}, nil
}
