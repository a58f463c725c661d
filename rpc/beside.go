package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// beside reads a piece of what is beside a session's log, by the name that the log
// has for it: an image by its uri, a long text of a prompt by its artifactId. The
// file is the sidecar's own, so no client is told where it is, and what else lies
// there is not found: long arguments of calls, and what providers want back.
func (s *artifacts) beside(ctx context.Context, p artifactParams) (artifactResult, error) {
	if p.ArtifactID != "" {
		return s.promptText(ctx, p)
	}
	return s.image(p)
}

// image reads a piece of an image. It is always base64.
func (s *artifacts) image(p artifactParams) (artifactResult, error) {
	data, err := s.sessions.Blob(p.SessionID, p.URI)
	if e, ok := errors.AsType[*session.NotFoundError](err); ok {
		return artifactResult{}, e
	}
	if err != nil {
		return artifactResult{}, artifactNotFound(p.URI)
	}
	mime, err := model.CheckImage(data)
	if err != nil {
		return artifactResult{}, artifactNotFound(p.URI)
	}
	if p.View == viewLines || p.View == viewGrep {
		return artifactResult{}, wire.InvalidParams("view", fmt.Sprintf("%q is none of range, head, tail, meta: an image has no lines", p.View))
	}
	p.Encoding = encodingBase64
	out := artifactResult{ArtifactID: p.URI, URI: p.URI, MIMEType: mime, Bytes: int64(len(data)), SHA256: p.URI, Encoding: p.Encoding}
	err = out.view(io.NewSectionReader(bytes.NewReader(data), 0, out.Bytes), p)
	return out, err
}

// promptText reads a piece of a text that was too long for the line of its prompt. A
// secret in it is a placeholder, as everywhere in the log.
func (s *artifacts) promptText(ctx context.Context, p artifactParams) (artifactResult, error) {
	data, err := s.sessions.PromptText(ctx, p.SessionID, p.ArtifactID)
	switch {
	case errors.Is(err, store.ErrNoText):
		return artifactResult{}, artifactNotFound(p.ArtifactID)
	case errors.Is(err, store.ErrTextGone):
		return artifactResult{}, artifactExpired(p.ArtifactID)
	case err != nil:
		return artifactResult{}, err
	}
	out := artifactResult{ArtifactID: p.ArtifactID, MIMEType: "text/plain", Bytes: int64(len(data)), Lines: linesOf(data), SHA256: p.ArtifactID, Encoding: encodingUTF8}
	err = out.view(io.NewSectionReader(bytes.NewReader(data), 0, out.Bytes), p)
	return out, err
}

func linesOf(text []byte) int64 {
	n := int64(bytes.Count(text, []byte("\n")))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
