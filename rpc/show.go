package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

type reviewResult struct {
	ApprovalID string `json:"approvalId"`
	Text       string `json:"text"`
	URI        string `json:"uri,omitempty"`
}

// review shows a question whole: as a document where the editor can, and
// always in the answer. From then on surfaces of one line offer a yes.
func (s *commands) review(_ context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
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
	c.Reserve() // what the editor does with it comes behind the answer
	uri := s.surfaces.Asker.OpenReview(q)
	words, whole := q.ReviewWithin(surface.MostReview, uri)
	if whole && s.client.marker != nil {
		s.surfaces.Asker.Review(q, true) // it shows what the answer holds
	}
	return reviewResult{q.ApprovalID, words, uri}, nil
}

type located struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
}

// openTranscript opens the live transcript of a session, and of one that another
// process has open a copy of it.
func (s *commands) openTranscript(ctx context.Context, _ *wire.Call, p sessionParams) (out located, err error) {
	path := ""
	of, err := s.store.Get(p.SessionID)
	switch {
	case errors.As(err, new(*session.LockedError)):
		path, err = s.surfaces.Transcripts.CopyOf(ctx, p.SessionID)
	case err != nil:
		return out, err
	default:
		s.surfaces.TellShown(of)
		path, err = s.surfaces.Transcripts.Write(of)
	}
	if err != nil {
		return out, fmt.Errorf("write the transcript: %w", err)
	}
	s.surfaces.Open(path)
	return located{fileuri.Of(path), path}, nil
}

// openArtifact opens the full output of a call: the one that is named, else the
// last one of the current session.
func (s *commands) openArtifact(_ context.Context, _ *wire.Call, raw json.RawMessage) (any, error) {
	var p artifactParams
	if err := json.Unmarshal(raw, &p); err != nil { // Check asks for a name, which a command need not have
		return nil, wire.ParamsError(err)
	}
	if p.ref() == "" {
		var err error
		if p.ArtifactID, err = s.lastArtifact(); err != nil {
			return nil, err
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	found, path, err := s.findArtifact(p.ref())
	if err != nil {
		return nil, err
	}
	s.surfaces.Open(path)
	return located{found.FileURI, path}, nil
}

// lastArtifact is the one that the newest result of the current session points to.
func (s *commands) lastArtifact() (id string, err error) {
	current := s.currentID()
	if current == "" {
		return "", wire.InvalidParams("artifactId", "there is no current session yet")
	}
	of, err := s.store.Get(current)
	if err == nil {
		err = of.Each(func(e history.Event) {
			if r, ok := e.Body.(history.ToolReturned); ok && r.Artifact != nil {
				id = r.Artifact.ArtifactID
			}
		})
	}
	if err == nil && id == "" {
		err = wire.InvalidParams("artifactId", "no output of the session was too large")
	}
	return id, err
}

// undo is sessionUndo for clients without a plugin: of the current session, and
// the last run where nothing is named. They also hear in words what came of it.
func (s *commands) undo(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p sessionUndoParams
	var beside undoTo                         // callId, runId and seq beside sessionId
	for _, into := range []any{&p, &beside} { // check asks for what a command need not name
		if err := json.Unmarshal(raw, into); err != nil {
			return nil, wire.ParamsError(err)
		}
	}
	if p.To == (undoTo{}) {
		p.To = beside
	}
	if p.To == (undoTo{}) {
		of, err := s.store.Get(p.SessionID)
		if err != nil {
			return nil, err
		}
		if p.To.RunID, err = of.LastRun(ctx); err != nil {
			return nil, err
		}
		if p.To.RunID == "" {
			out := sessionUndoResult{[]history.FileChange{}, []undoConflict{}}
			s.sayUndone(p, out)
			return out, nil
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	out, err := s.sessionUndo(ctx, c, p)
	if err != nil {
		return nil, err
	}
	s.sayUndone(p, out)
	return out, nil
}

type useModelParams struct {
	Model     string `json:"model"`
	SessionID string `json:"sessionId"`
}

func (p *useModelParams) Check() error { return needs("model", p.Model) }

type useModelResult struct {
	Model string `json:"model"`
	RunID string `json:"runId,omitempty"`
}

// takeModel stores a model and runs the prompt again that found none.
func (s *commands) takeModel(_ context.Context, c *wire.Call, p useModelParams) (useModelResult, error) {
	p.SessionID = cmp.Or(p.SessionID, s.currentID())
	c.Reserve() // the answer names the run, so it goes out before any event does
	ack, of, err := s.useModel(p.Model, p.SessionID)
	if refused, is := errors.AsType[*config.RefusedError](err); is {
		err = wire.InvalidParams("model", refused.Reason)
	}
	if err != nil {
		return useModelResult{}, err
	}
	if ack.Owed {
		s.drive(of)
	}
	c.Release()
	return useModelResult{p.Model, ack.RunID}, nil
}
