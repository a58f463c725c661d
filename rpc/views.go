package rpc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
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

// views answers what an editor asks of itself: what can be done in a document, what
// is in one of ours, and the Stop on a progress line.
type views struct {
	*link
	store     *store.Store
	surfaces  *surface.Surfaces
	artifacts *artifacts
	own       OwnFiles
	folders   Folders
	open      Documents
}

// textDocumentContent shows an artifact, the review of an approval or what a file
// held before a change as a document of the editor.
func (s *views) textDocumentContent(ctx context.Context, _ *wire.Call, p contentParams) (contentResult, error) {
	switch scheme, parts := history.DocumentParts(p.URI); scheme {
	case history.DiffScheme:
		return s.reviewContent(p.URI, parts)
	case history.CheckpointScheme:
		return s.checkpointContent(ctx, p.URI, parts)
	}
	a, err := s.artifacts.artifact(context.Background(), nil, artifactParams{URI: p.URI})
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
func (s *views) reviewContent(uri string, parts []string) (contentResult, error) {
	id := parts[0]
	if len(parts) == 1 {
		id = strings.TrimSuffix(id, ".diff")
	}
	q := s.surfaces.Pending.Get(id)
	if q == nil {
		return contentResult{}, approvalNotFound(id)
	}
	if len(parts) > 1 {
		text, found := s.surfaces.Asker.Side(q, parts)
		if !found {
			return contentResult{}, artifactNotFound(uri)
		}
		return contentResult{text}, nil
	}
	path, err := s.surfaces.WriteReview(q)
	if err != nil {
		s.Report("write a review", err)
	}
	words, whole := q.ReviewWithin(surface.MostReview, fileuri.Of(path))
	if whole {
		s.surfaces.Asker.Review(q, true)
	}
	return contentResult{words}, nil
}

// checkpointContent is what a file held before a change, exactly, without placeholders
// in the place of secrets: an editor shows it beside the file itself, which it has in
// clear, and may take lines of it back into that file. It goes to the person's editor
// alone: no tool can read it, and it is in no event, log or audit. A session gives
// only what it has replaced itself.
func (s *views) checkpointContent(ctx context.Context, uri string, parts []string) (contentResult, error) {
	if len(parts) < 2 {
		return contentResult{}, artifactNotFound(uri)
	}
	of, err := s.store.Get(parts[0])
	if err != nil {
		return contentResult{}, err
	}
	was, isText, size, err := of.Checkpoint(ctx, parts[1])
	switch {
	case errors.Is(err, session.ErrNoCheckpoint):
		if text, still := s.present(parts[1], strings.Join(parts[2:], "/")); still {
			return contentResult{text}, nil
		}
		return contentResult{}, artifactNotFound(uri)
	case errors.Is(err, session.ErrCheckpointGone):
		return contentResult{}, artifactExpired(uri)
	case err != nil:
		return contentResult{}, err
	case !isText:
		return contentResult{locale.NoText.In(s.client.Locale, size) + "\n"}, nil
	case len(was) > surface.MostReview:
		return contentResult{locale.TooLong.In(s.client.Locale, size) + "\n"}, nil
	}
	return contentResult{was}, nil
}

// present is the text of a file that is still what a hash says: what a change has made of it, until
// the next one.
func (s *views) present(hash, path string) (text string, still bool) {
	roots := s.folders.Roots()
	if path == "" || len(roots) == 0 {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(roots[0], filepath.FromSlash(path))
	}
	text, _, err := s.open.Document(fileuri.Of(path))
	sum := sha256.Sum256([]byte(text))
	return text, err == nil && hex.EncodeToString(sum[:]) == hash
}

// codeAction offers the answers to every open question, and runs.
func (s *views) codeAction(_ context.Context, _ *wire.Call, p protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	return s.surfaces.Menu.CodeActions(p), nil
}

// resolveCodeAction gives an action back as it is: ours are complete.
func (s *views) resolveCodeAction(_ context.Context, _ *wire.Call, a protocol.CodeAction) (*protocol.CodeAction, error) {
	return &a, nil
}

// codeLens shows the answers to the questions that are in a document.
func (s *views) codeLens(_ context.Context, _ *wire.Call, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	return s.surfaces.Menu.CodeLenses(p), nil
}

// progressCancel is the person's Stop on a progress line.
func (s *views) progressCancel(_ context.Context, p struct {
	Token json.RawMessage `json:"token"`
}) error {
	id, target := s.surfaces.Progress.Running(p.Token)
	for _, of := range s.store.Live() {
		if of.ID() == id {
			of.Cancel(target, "cancelled by the user")
		}
	}
	return nil
}
