package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
func (s *Server) commandReview(ctx context.Context, _ *call, raw json.RawMessage) (any, error) {
	var p struct {
		ApprovalID string `json:"approvalId"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, paramsError(err)
	}
	q, err := s.pick(p.ApprovalID)
	if err != nil {
		return nil, err
	}
	uri := s.openReview(ctx, q)
	return reviewResult{q.ApprovalID, reviewText(q.Approval), uri}, nil
}

// openReview writes the review beside the session's log and asks the editor to
// show it.
func (s *Server) openReview(ctx context.Context, q *openQuestion) (uri string) {
	s.board.review(q.ApprovalID)
	of, err := s.back.Sessions.Get(q.SessionID)
	if err != nil {
		return ""
	}
	path := filepath.Join(of.Dir(), "reviews", q.ApprovalID+".diff")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.report("write a review", err)
		return ""
	}
	if err := os.WriteFile(path, []byte(reviewText(q.Approval)), 0o600); err != nil {
		s.report("write a review", err)
		return ""
	}
	s.show(path)
	s.board.nextMessage()
	return FileURI(path)
}

// show asks the editor to open a file, where it can. Nobody waits for it.
func (s *Server) show(path string) {
	if !s.client.showDocument {
		return
	}
	s.goWork(func() {
		ctx, cancel := context.WithTimeout(context.Background(), askLimit)
		defer cancel()
		if err := s.conn.call(ctx, "window/showDocument", map[string]any{"uri": FileURI(path), "takeFocus": false}, nil); err != nil {
			s.report("show a document", err)
		}
	})
}

type openResult struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
}

// commandTranscript opens the live transcript of a session.
func (s *Server) commandTranscript(_ context.Context, _ *call, raw json.RawMessage) (any, error) {
	var p sessionParams
	if err := s.currentParams(raw, &p, &p.SessionID); err != nil {
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
func (s *Server) commandArtifact(_ context.Context, _ *call, raw json.RawMessage) (any, error) {
	var p artifactParams
	if err := decodeParams(ownCodec, raw, &p); err != nil {
		return nil, err
	}
	found, path, _, err := s.back.Artifacts.Find(p.ref())
	if err != nil {
		return nil, artifactNotFound(p.ref())
	}
	s.show(path)
	return openResult{found.FileURI, path}, nil
}
