package rpc

import (
	"context"
	"encoding/json"
	"io"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Options is what a server is made of before any client has spoken.
type Options struct {
	Name    string
	Version string
	// Open builds everything behind the protocol for the workspace of the client.
	// It is called once, by initialize, and must not wait for the network.
	Open func(Workspace) (*Backend, error)
	// ClientProcessID is the editor's process where the command line says so; 0:
	// what initialize says.
	ClientProcessID int
	// Locale is that of the environment, for clients that name none: of editors
	// only VS Code does.
	Locale string
	// Schema is the machine-readable protocol and its hash.
	Schema     json.RawMessage
	SchemaHash string
	Log        zerolog.Logger
	// Panicked is told of a handler's panic; nil: it is only logged.
	Panicked func(method string, value any, stack []byte)
}

// Workspace is what a client says about itself in initialize.
type Workspace struct {
	Folders []Folder
	Inline  json.RawMessage // initializationOptions; nil when absent
	Marker  bool            // the client declared experimental.agentSidecar
	Trusted *bool           // from the editor's own workspace trust
	// HostTools are the client's own, checked.
	HostTools []HostTool

	Approver session.Approver
	Notifier session.Notifier
	Editor   *Editor // nil: there is no editor
}

// Folder is one workspace folder.
type Folder struct {
	Name string
	Path string // absolute
	URI  string
}

// Backend is what the protocol serves.
type Backend struct {
	Sessions  *store.Store
	Config    *config.Store
	Documents Documents
	Artifacts Artifacts
	Folders   Folders
	Bundles   Bundles
	Runners   Runners
	MCP       MCP
	// Tools are those that a model can be offered in some session. Only agent/describe asks, so they
	// are described then and not while the editor waits for initialize.
	Tools func() []tool.Spec
	// Own is what the person and the workspace have written for the agent.
	Own OwnFiles
	// Lists are the models and their providers.
	Lists ModelLists
	// Sandbox is how commands are confined under the present configuration.
	Sandbox  func() Sandbox
	Copies   Copies
	Ledger   *ledger.Ledger
	Problems []string // of the configuration, beyond what Config itself reports
	// Audit is the audit of a session, or "config".
	Audit func(name string) *audit.Log
	// ForeignMemory are the memory files that another hand has changed and that
	// would be in the prompt with a person's yes.
	ForeignMemory func() []ForeignMemory
	// UnaskedOpen says that commands could run in the sandbox without a question here, and
	// that the person is to be asked once whether they may.
	UnaskedOpen func() bool
	// Close lets go of everything but the sessions, which are closed before.
	Close func(context.Context) error
}

// OwnFiles are what people have written for the agent, as the files are when it is asked.
type OwnFiles interface {
	Skills() skills.Found
	// Commands are prompt commands, each with no more than it may choose.
	Commands() prompts.Found
}

// Folders are those of the workspace.
type Folders interface {
	// Roots are the folders, resolved, the first one first; trust is remembered for each
	// of them.
	Roots() []string
	// WorkspaceID is what rules are tied to, "none" without a folder.
	WorkspaceID() string
	// SetFolders follows the client's workspace folders.
	SetFolders([]Folder)
	// NamesLike are files and directories for a person who types a part of a path, the nearest
	// first, at most so many. It ends within a second, with what it has found.
	NamesLike(ctx context.Context, part string, most int) []string
}

// Bundles writes sessions as files.
type Bundles interface {
	// Export writes the bundle of a session into one of its artifacts. It is a
	// *TooLargeError where it does not fit.
	Export(ctx context.Context, sessionID string, redact bool) (tool.ArtifactRef, error)
}

// Sandbox is how commands are confined.
type Sandbox struct {
	Level   string   `json:"level"`
	Network string   `json:"network"`
	Files   string   `json:"files"`
	Missing []string `json:"missing"`
	// AutoAllow is the key of that name: "workspace" or "off". Where it cannot apply,
	// Missing says so.
	AutoAllow string `json:"autoAllow"`
}

// Provider says whether there is a key for one, and never which: what an editor
// needs to ask for it.
type Provider struct {
	Name   string   `json:"name"`
	HasKey bool     `json:"hasKey"`
	KeyEnv []string `json:"keyEnv"`
}

// Documents are the editor's unsaved buffers. The Vault implements it.
type Documents interface {
	DidOpen(uri string, version int32, text string)
	// DidChange says whether the change is one that the editor was asked for.
	DidChange(uri string, version int32, text string) (ours bool)
	DidSave(uri string)
	DidClose(uri string)
	Forget(uri string)
	Buffer(uri string) (text string, version int32, ok bool)
	// Document is the text that a person sees under a URI, and the objects that it is
	// read by, the links on the way first. What may not be read without a question
	// anyone who reads it, and what is no text, is an error.
	Document(uri string) (text string, objects []string, err error)
	// SetProblems takes over the editor's diagnostics of a document; version 0 is
	// not known. Problems are the last ones, the gravest first.
	SetProblems(uri string, version int32, list []tool.Problem)
	Problems(uri string) []tool.Problem
}

// Artifacts are the full texts of large outputs. The Vault implements it.
type Artifacts interface {
	// Find resolves an id, a path inside an artifact store, or a URI.
	Find(ref string) (artifact tool.ArtifactRef, fullPath, sessionID string, err error)
	// List is all that a session has kept, in the order of their ids.
	List(sessionID string) ([]tool.ArtifactRef, error)
	// Named are those of a session with these ids that there still are, in the order
	// of the ids; it opens no other.
	Named(sessionID string, ids []string) []tool.ArtifactRef
	// Open reads a found artifact.
	Open(fullPath string) (interface {
		io.ReaderAt
		io.Closer
	}, error)
}

// ModelLists are the models and their providers. What has a ctx asks the provider, and
// ends within 10 s, and with ctx.
type ModelLists interface {
	// Models are the configured names, as the configuration and the environment are now.
	Models() []string
	// Efforts are the levels of effort that a model takes, nil where it takes none or is not known.
	Efforts(name string) []string
	// Providers are those that models can be asked of, as the configuration and the
	// environment are now.
	Providers() []Provider
	// Lists asks one provider, or with "" all that there are here; known is false where
	// nothing has that name.
	Lists(ctx context.Context, provider string) (lists []model.ModelList, known bool)
	// ListAt asks one address, without any key. The error is about the address itself.
	ListAt(ctx context.Context, baseURL string) (model.ModelList, error)
	// About says what is known of one model, or with "" of the one of new sessions. The
	// error is about the name.
	About(ctx context.Context, name string) (model.ModelList, error)
}

// ForeignMemory is a memory file that another hand has changed.
type ForeignMemory struct {
	Name   string // in the first folder
	Text   string
	Accept func() error // a person said yes to exactly this text
}

// Sync is how the server is that keeps copies of sessions.
type Sync struct {
	Reached bool   `json:"reached"`
	Missing string `json:"missing,omitempty"` // why sessions here are not copied, for people to read
}

// Copies are those of the sessions on the person's own server.
type Copies interface {
	// Sync is how they are; nil where none is configured.
	Sync() *Sync
}
