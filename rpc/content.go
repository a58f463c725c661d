package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// The schemes of documents that only this server can give.
const (
	artifactScheme   = "agent-artifact"
	checkpointScheme = "agent-checkpoint"
	diffScheme       = "agent-diff"
)

// contentSchemes lists them.
func contentSchemes() []string { return []string{artifactScheme, checkpointScheme, diffScheme} }

type contentParams struct {
	URI string `json:"uri"`
}

type contentResult struct {
	Text string `json:"text"`
}

// textDocumentContent shows an artifact, the review of an approval or what a file
// held before a change as a document of the editor (protocol §8, ruling 45).
func (s *Server) textDocumentContent(_ context.Context, _ *wire.Call, p contentParams) (contentResult, error) {
	switch scheme, parts := documentParts(p.URI); scheme {
	case diffScheme:
		return s.reviewContent(parts)
	case checkpointScheme:
		return s.checkpointContent(p.URI, parts)
	}
	a, err := s.artifact(context.Background(), nil, artifactParams{URI: p.URI})
	if err != nil {
		return contentResult{}, err
	}
	out := contentResult{a.Data}
	if !a.EOF {
		out.Text += fmt.Sprintf("\n… %d of %d bytes shown; the whole is %s\n", len(a.Data), a.Bytes, a.FileURI)
	}
	return out, nil
}

// documentParts reads what documentURI wrote, also where an editor has spelt it anew.
func documentParts(uri string) (scheme string, parts []string) {
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" || !strings.HasPrefix(u.Path, "/") {
		return "", nil
	}
	return u.Scheme, strings.Split(u.Path[1:], "/")
}

// reviewContent is the review of a question.
func (s *Server) reviewContent(parts []string) (contentResult, error) {
	id := strings.TrimSuffix(parts[0], ".diff")
	q := s.board.get(id)
	if q == nil {
		return contentResult{}, approvalNotFound(id)
	}
	path, err := s.writeReview(q)
	if err != nil {
		s.report("write a review", err)
	}
	words, whole := q.reviewWithin(mostReview, FileURI(path))
	if whole {
		s.board.review(q.ApprovalID)
	}
	return contentResult{words}, nil
}

// checkpointContent is what a file held before a change, exactly, without placeholders
// in the place of secrets: an editor shows it beside the file itself, which it has in
// clear, and may take lines of it back into that file. It goes to the person's editor
// alone: no tool can read it, and it stands in no event, log or audit. A session gives
// only what it has replaced itself.
func (s *Server) checkpointContent(uri string, parts []string) (contentResult, error) {
	if len(parts) < 2 {
		return contentResult{}, artifactNotFound(uri)
	}
	of, err := s.back.Sessions.Get(parts[0])
	if err != nil {
		return contentResult{}, err
	}
	was, isText, size, err := of.Checkpoint(parts[1])
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
