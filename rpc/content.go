package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// contentSchemes are those of the documents that only this server can give.
func contentSchemes() []string {
	return []string{"agent-artifact", history.CheckpointScheme, history.DiffScheme}
}

type contentParams struct {
	URI string `json:"uri"`
}

type contentResult struct {
	Text string `json:"text"`
}

// textDocumentContent shows an artifact, the review of an approval or what a file
// held before a change as a document of the editor.
func (s *Server) textDocumentContent(ctx context.Context, _ *wire.Call, p contentParams) (contentResult, error) {
	switch scheme, parts := history.DocumentParts(p.URI); scheme {
	case history.DiffScheme:
		return s.reviewContent(p.URI, parts)
	case history.CheckpointScheme:
		return s.checkpointContent(ctx, p.URI, parts)
	}
	a, err := s.artifact(context.Background(), nil, artifactParams{URI: p.URI})
	if err != nil {
		return contentResult{}, err
	}
	out := contentResult{a.Data}
	if !a.EOF {
		out.Text += fmt.Sprintf("\n… %d of %d bytes shown; all of it is in %s\n", len(a.Data), a.Bytes, a.FileURI)
	}
	return out, nil
}

// reviewContent is the review of a question, or one side of a file of its diff.
func (s *Server) reviewContent(uri string, parts []string) (contentResult, error) {
	id := parts[0]
	if len(parts) == 1 {
		id = strings.TrimSuffix(id, ".diff")
	}
	q := s.board.get(id)
	if q == nil {
		return contentResult{}, approvalNotFound(id)
	}
	if len(parts) > 1 {
		return s.sideContent(q, uri, parts)
	}
	path, err := s.writeReview(q)
	if err != nil {
		s.report("write a review", err)
	}
	words, whole := q.reviewWithin(mostReview, fileuri.Of(path))
	if whole {
		s.board.review(q.ApprovalID)
	}
	return contentResult{words}, nil
}

// sideContent is a file of a question's diff as it is, or as it would be. The review
// counts as opened when the editor has every file as it would be.
func (s *Server) sideContent(q *openQuestion, uri string, parts []string) (contentResult, error) {
	<-q.ready // the session asks right after it has told
	for _, d := range q.documents {
		for _, side := range []struct{ uri, text string }{{d.Before, d.BeforeText}, {d.After, d.AfterText}} {
			if _, its := history.DocumentParts(side.uri); !slices.Equal(its, parts) {
				continue
			}
			if side.uri == d.After && s.board.opened(q, d.After) {
				s.board.seen(q.ApprovalID)
			}
			return contentResult{side.text}, nil
		}
	}
	return contentResult{}, artifactNotFound(uri)
}

// checkpointContent is what a file held before a change, exactly, without placeholders
// in the place of secrets: an editor shows it beside the file itself, which it has in
// clear, and may take lines of it back into that file. It goes to the person's editor
// alone: no tool can read it, and it stands in no event, log or audit. A session gives
// only what it has replaced itself.
func (s *Server) checkpointContent(ctx context.Context, uri string, parts []string) (contentResult, error) {
	if len(parts) < 2 {
		return contentResult{}, artifactNotFound(uri)
	}
	of, err := s.back.Sessions.Get(parts[0])
	if err != nil {
		return contentResult{}, err
	}
	was, isText, size, err := of.Checkpoint(ctx, parts[1])
	switch {
	case errors.Is(err, session.ErrNoCheckpoint):
		return contentResult{}, artifactNotFound(uri)
	case errors.Is(err, session.ErrCheckpointGone):
		return contentResult{}, artifactExpired(uri)
	case err != nil:
		return contentResult{}, err
	case !isText:
		return contentResult{text.NoText.In(s.client.locale, size) + "\n"}, nil
	case len(was) > mostReview:
		return contentResult{text.TooLong.In(s.client.locale, size) + "\n"}, nil
	}
	return contentResult{was}, nil
}
