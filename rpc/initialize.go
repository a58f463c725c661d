package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// initialize takes the client in and builds the backend for its workspace. It
// does not wait for the network.
func (s *Server) initialize(_ context.Context, _ *wire.Call, p initializeParams) (*protocol.InitializeResult, error) {
	var inline inlineOptions
	if len(p.InitializationOptions) > 0 {
		_ = json.Unmarshal(p.InitializationOptions, &inline) // the configuration layer reports what is wrong with it
	}
	p.Locale = cmp.Or(p.Locale, s.opt.Locale)
	var known bool
	if s.client, known = clientOf(p, inline); !known {
		s.surfaces.Later(surface.Message(text.MarkerVersion.In(p.Locale)))
	}
	s.conn.SetTrace(p.Trace)
	folders, ignored := foldersOf(p)
	for _, uri := range ignored {
		s.surfaces.Later(surface.Message(text.FolderIgnored.In(p.Locale, uri)))
	}
	w := Workspace{Folders: folders, Inline: p.InitializationOptions, Marker: s.client.marker != nil, Approver: approver{s}, Notifier: s, Editor: &Editor{s.conn, &s.client, s.report}}
	if w.Marker {
		w.Trusted = clientTrust(p.InitializationOptions)
	}
	back, err := s.opt.Open(w)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	s.back = back
	// The person's own file may say where questions are shown; the editor says it last.
	if json.Unmarshal(back.Config.Settings().Surfaces, &inline.Surfaces) == nil {
		s.client, _ = clientOf(p, inline)
	}
	s.sessions = &sessions{back.Sessions, s.questions}
	s.artifacts = &artifacts{back.Sessions, back.Artifacts}
	s.documents = &documents{open: back.Documents, config: back.Config, workspace: back.Folders, surfaces: s.surfaces, client: s.client}
	for _, f := range folders {
		s.documents.folders = append(s.documents.folders, wireFolder{f.URI, f.Name})
	}
	s.surfaces.SetFolders(urisOf(folders))
	s.surfaces.Begin(s.client.Facts, back.Sessions, back.Documents)
	s.goWork(s.watchConfig(s.back.Config.Changed()))
	s.warnConfig()
	if len(back.Problems) > 0 {
		s.surfaces.Later(surface.Message(text.ConfigProblems.In(p.Locale, control.Title(strings.Join(back.Problems, "; "), surface.MaxWords))))
	}
	s.watch(p.ProcessID)
	return s.capabilities()
}

// inputGrace is how long the end of the input has to come before the death of
// the editor decides by itself.
const inputGrace = 2 * time.Second

// orphaned ends the server when the editor is dead. What the editor said before
// is still answered: an editor that says shutdown and dies leaves code 0
// behind. All of it is over within five seconds.
func (s *Server) orphaned() {
	time.AfterFunc(inputGrace, s.conn.End)
}

// watch ends the server when the editor dies.
func (s *Server) watch(pid *int) {
	n := s.opt.ClientProcessID
	if n == 0 && pid != nil {
		n = *pid
	}
	if n <= 0 {
		return
	}
	if stop, watching := wire.WatchParent(n, s.orphaned); watching {
		s.unwatch = stop
	}
}

// protocolVersion is ours; adding to it is compatible.
const protocolVersion = 1

func (s *Server) capabilities() (*protocol.InitializeResult, error) {
	own, err := wire.EncodeJSON(map[string]any{"agentSidecar": s.experimental()})
	if err != nil {
		return nil, err
	}
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	kinds := []protocol.CodeActionKind{"agent", "agent.approve", "agent.reject", "agent.review", "agent.run", "agent.cancel", surface.QuickFix}
	result := &protocol.InitializeResult{ServerInfo: protocol.ServerInfo{Name: s.opt.Name, Version: protocol.NewOptional(s.opt.Version)}}
	c := &result.Capabilities
	c.PositionEncoding = protocol.PositionEncodingKind(s.client.encoding)
	c.TextDocumentSync = &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{}}
	c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: kinds, ResolveProvider: &yes}
	c.CodeLensProvider = &protocol.CodeLensOptions{}
	c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: s.commandNames(), WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &yes}}
	c.Workspace = &protocol.WorkspaceOptions{
		WorkspaceFolders:    &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
		TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: contentSchemes()},
	}
	c.Experimental = protocol.LSPAny(own)
	return result, nil
}

// experimental is what a client that knows us needs to know.
func (s *Server) experimental() agentCapabilities {
	return agentCapabilities{
		Version:    protocolVersion,
		SchemaHash: s.opt.SchemaHash,
		Methods:    Methods(),
		Agents:     s.agents(),
		Approvals:  approvalCapabilities{decisions},
		Artifacts:  artifactCapabilities{maxArtifactRead},
		Limits:     connectionLimits{wire.MaxFrameBytes},
		Models:     nonNil(s.back.Lists.Models()),
		Sandbox:    s.back.Sandbox(),
		Commands:   s.commandNames(),
	}
}

type agentCapabilities struct {
	Agents     []agentInfo          `json:"agents"`
	Approvals  approvalCapabilities `json:"approvals"`
	Artifacts  artifactCapabilities `json:"artifacts"`
	Commands   []string             `json:"commands"`
	Limits     connectionLimits     `json:"limits"`
	Methods    []string             `json:"methods"`
	Models     []string             `json:"models"`
	Sandbox    Sandbox              `json:"sandbox"`
	SchemaHash string               `json:"schemaHash"`
	Version    int                  `json:"version"`
}

type approvalCapabilities struct {
	Decisions []string `json:"decisions"`
}

type artifactCapabilities struct {
	MaxReadBytes int64 `json:"maxReadBytes"`
}

type connectionLimits struct {
	MaxFrameBytes int64 `json:"maxFrameBytes"`
}
