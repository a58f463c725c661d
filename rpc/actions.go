package rpc

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// codeAction offers the answers to every open question, and runs.
func (s *Server) codeAction(_ context.Context, _ *wire.Call, p protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	return s.surfaces.Menu.CodeActions(p), nil
}

// resolveCodeAction gives an action back as it is: ours are complete.
func (s *Server) resolveCodeAction(_ context.Context, _ *wire.Call, a protocol.CodeAction) (*protocol.CodeAction, error) {
	return &a, nil
}

// codeLens shows the answers to the questions that stand in a document.
func (s *Server) codeLens(_ context.Context, _ *wire.Call, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	return s.surfaces.Menu.CodeLenses(p), nil
}

// progressCancel is the person's Stop on a progress line.
func (s *Server) progressCancel(_ context.Context, p struct {
	Token json.RawMessage `json:"token"`
}) error {
	id, target := s.surfaces.Progress.Running(p.Token)
	for _, of := range s.back.Sessions.Live() {
		if of.ID() == id {
			of.Cancel(target, "cancelled by the user")
		}
	}
	return nil
}
