package rpc

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// about says what there is, and what this process does.
type about struct {
	*link
	*signIns
	opt     Options
	back    *Backend
	open    *surface.Approvals
	methods []string // of ours
	started time.Time
}

// protocolVersion is ours; adding to it is compatible.
const protocolVersion = 1

// initialized is the answer to initialize.
func (s *about) initialized() (*protocol.InitializeResult, error) {
	own, err := wire.EncodeJSON(map[string]any{"agentSidecar": s.experimental()})
	if err != nil {
		return nil, err
	}
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	kinds := []protocol.CodeActionKind{"agent", "agent.answer", "agent.approve", "agent.reject", "agent.review", "agent.run", "agent.cancel", surface.QuickFix}
	result := &protocol.InitializeResult{ServerInfo: protocol.ServerInfo{Name: s.opt.Name, Version: protocol.NewOptional(s.opt.Version)}}
	c := &result.Capabilities
	c.PositionEncoding = protocol.PositionEncodingKind(s.client.encoding)
	c.TextDocumentSync = &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{}}
	c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: kinds, ResolveProvider: &yes}
	c.CodeLensProvider = &protocol.CodeLensOptions{}
	if s.client.completes {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"/", "@"}}
	}
	c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: commandNames(&s.client), WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &yes}}
	c.Workspace = &protocol.WorkspaceOptions{
		WorkspaceFolders:    &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
		TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: contentSchemes()},
	}
	c.Experimental = protocol.LSPAny(own)
	return result, nil
}

// experimental is what a client that knows us needs to know.
func (s *about) experimental() agentCapabilities {
	return agentCapabilities{
		Version:    protocolVersion,
		Workspace:  s.back.Folders.WorkspaceID(),
		SchemaHash: s.opt.SchemaHash,
		Methods:    s.methods,
		Agents:     s.agents(),
		Approvals:  approvalCapabilities{decisions},
		Artifacts:  artifactCapabilities{maxArtifactRead},
		Limits:     connectionLimits{wire.MaxFrameBytes},
		Models:     nonNil(s.back.Lists.Models()),
		Sandbox:    s.back.Sandbox(),
		Commands:   commandNames(&s.client),
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
	Workspace  string               `json:"workspaceId"`
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

type describeResult struct {
	MetaModel json.RawMessage      `json:"metaModel"`
	Tools     []toolInfo           `json:"tools"`
	Agents    []agentInfo          `json:"agents"`
	Skills    []skillInfo          `json:"skills"`
	Models    []string             `json:"models"`
	Efforts   map[string][]string  `json:"efforts"` // of those of Models that take any
	Commands  []string             `json:"commands"`
	Defaults  systemPromptDefaults `json:"defaults"`
}

// systemPromptDefaults are what applies where systemPrompt.mode is default: the identity, and no
// parameter at all. A settings view starts a custom prompt from it.
type systemPromptDefaults struct {
	SystemPrompt string       `json:"systemPrompt"`
	Params       model.Params `json:"params"`
}

type toolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      string          `json:"effect"`
	Schema      json.RawMessage `json:"schema"`
}

// describe says what there is: the protocol, the tools, the agents, the models
// and the commands.
func (s *about) describe(context.Context, *wire.Call, wire.None) (describeResult, error) {
	out := describeResult{MetaModel: s.opt.Schema, Tools: []toolInfo{}, Agents: s.agents(), Skills: s.skillInfos(s.back.Own.Skills()), Models: nonNil(s.back.Lists.Models()), Commands: commandNames(&s.client), Defaults: systemPromptDefaults{SystemPrompt: system.Default()}}
	out.Efforts = map[string][]string{}
	for _, name := range out.Models {
		if levels := s.back.Lists.Efforts(name); levels != nil {
			out.Efforts[name] = levels
		}
	}
	if len(out.MetaModel) == 0 {
		out.MetaModel = json.RawMessage("{}")
	}
	for _, t := range s.back.Tools() {
		out.Tools = append(out.Tools, toolInfo{t.Name, t.Description, t.Effect.String(), t.Schema})
	}
	return out, nil
}

// agentInfo is an agent as a client shows it. Mode is "primary", which a session
// or a run can name, or "subagent", which `task` sends, or a run in a session of
// another agent.
type agentInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"readOnly"`
	Mode        string `json:"mode"`
}

// agents are those there are now: a file that was written meanwhile counts.
func (s *about) agents() []agentInfo {
	s.back.Config.Reload()
	return agentsOf(s.back.Config.Settings())
}

func agentsOf(c *config.Settings) []agentInfo {
	agents := []agentInfo{}
	for _, a := range c.Agents {
		agents = append(agents, agentInfo{a.Name, a.Description, a.ReadOnly, a.Mode})
	}
	return agents
}

type sessionStatus struct {
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
	RunID     string `json:"runId,omitempty"`
}

type statusResult struct {
	Sessions         []sessionStatus `json:"sessions"`
	PendingApprovals int             `json:"pendingApprovals"`
	UptimeMs         int64           `json:"uptimeMs"`
	Sandbox          Sandbox         `json:"sandbox"`
	RSSBytes         uint64          `json:"rssBytes"`
	Providers        []Provider      `json:"providers"`
	Runners          []Runner        `json:"runners,omitempty"`
	Sync             *Sync           `json:"sync,omitempty"`
}

// status says what this process does.
func (s *about) status(context.Context, *wire.Call, wire.None) (statusResult, error) {
	out := statusResult{Sessions: []sessionStatus{}, PendingApprovals: len(s.open.Pending("")), UptimeMs: time.Since(s.started).Milliseconds(), Sandbox: s.back.Sandbox(), RSSBytes: residentBytes(), Providers: s.back.Lists.Providers(), Runners: s.back.Runners.All(), Sync: s.back.Copies.Sync()}
	for _, of := range s.back.Sessions.Live() {
		out.Sessions = append(out.Sessions, sessionStatus{of.ID(), of.Info().State, of.LiveRun()})
	}
	return out, nil
}

// residentBytes is the process's resident memory; where the system does not
// say, what the runtime has taken from it.
func residentBytes() uint64 {
	if raw, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(raw)); len(fields) > 1 {
			if pages, err := strconv.ParseUint(fields[1], 10, 64); err == nil {
				return pages * uint64(os.Getpagesize())
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
