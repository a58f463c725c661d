package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

type exportParams struct {
	SessionID string `json:"sessionId"`
	Redact    *bool  `json:"redact"`
}

func (p *exportParams) Check() error { return need(p.SessionID) }

type exportResult struct {
	ArtifactID string `json:"artifactId"`
}

// TooLargeError says that a bundle does not fit into an artifact.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("it is over %d bytes", e.Limit) }

// sessionExport writes a session as it stands on disk into one of its artifacts,
// redacted unless the client says that it is not to be. The session is only read: it
// may be running, here or in another process. Such a client could page the same text
// with agent/events, so an export as it is needs no more than its word; the bundle
// says that it is not redacted, and the audit that it was made.
func (s *Server) sessionExport(ctx context.Context, _ *wire.Call, p exportParams) (exportResult, error) {
	redact := p.Redact == nil || *p.Redact
	ref, err := s.back.Bundles.Export(ctx, p.SessionID, redact)
	if large, ok := errors.AsType[*TooLargeError](err); ok {
		return exportResult{}, payloadTooLarge("the bundle", large.Limit)
	}
	if err != nil {
		return exportResult{}, err
	}
	if !redact {
		s.auditConfig("export", "session "+p.SessionID+", not redacted", "client")
	}
	return exportResult{ref.ArtifactID}, nil
}
