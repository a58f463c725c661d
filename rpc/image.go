package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// image reads a piece of an image that lies beside a session's log, by the name
// that the log has for it (protocol §3 agent/artifact). It is always base64. The
// file is the sidecar's own, so no client is told where it is.
func (s *Server) image(p artifactParams) (artifactResult, error) {
	data, err := s.back.Sessions.Blob(p.SessionID, p.URI)
	if e, ok := errors.AsType[*session.NotFoundError](err); ok {
		return artifactResult{}, e
	}
	if err != nil {
		return artifactResult{}, artifactNotFound(p.URI)
	}
	mime, err := model.CheckImage(data)
	if err != nil { // long texts and arguments lie there, too
		return artifactResult{}, artifactNotFound(p.URI)
	}
	out := artifactResult{ArtifactID: p.URI, URI: p.URI, MIMEType: mime, Bytes: int64(len(data)), SHA256: p.URI, Encoding: "base64"}
	whole := io.NewSectionReader(bytes.NewReader(data), 0, out.Bytes)
	switch p.View {
	case "meta":
		out.EOF = true // there is nothing to read on
		return out, nil
	case "", "range":
		return out, out.read(whole, p.Offset, p.length(), "base64")
	case "head":
		return out, out.read(whole, 0, p.length(), "base64")
	case "tail":
		return out, out.read(whole, max(out.Bytes-p.length(), 0), p.length(), "base64")
	default:
		return artifactResult{}, wire.InvalidParams("view", fmt.Sprintf("%q is none of range, head, tail, meta: an image has no lines", p.View))
	}
}
