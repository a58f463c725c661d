package rpc

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// initializeParams is what is used of initialize. It is decoded tolerantly: an
// editor's odd member never costs the connection.
type initializeParams struct {
	ProcessID             *int            `json:"processId"`
	Locale                string          `json:"locale"`
	RootURI               *string         `json:"rootUri"`
	RootPath              *string         `json:"rootPath"`
	WorkspaceFolders      []wireFolder    `json:"workspaceFolders"`
	Capabilities          capabilities    `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	Trace                 string          `json:"trace"`
}

// UnmarshalJSON leaves out what does not fit: what an editor writes in a place
// that it means otherwise must not cost the connection.
func (p *initializeParams) UnmarshalJSON(raw []byte) error {
	type plain initializeParams
	err := json.Unmarshal(raw, (*plain)(p))
	if _, misfit := errors.AsType[*json.UnmarshalTypeError](err); misfit {
		return nil
	}
	return err
}

type wireFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// capabilities are the client's, as far as we ask something of it.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     *struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	TextDocument struct {
		CodeAction *struct {
			CodeActionLiteralSupport json.RawMessage `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		Completion         *struct{} `json:"completion"`
		PublishDiagnostics *struct{} `json:"publishDiagnostics"`
	} `json:"textDocument"`
	Workspace struct {
		CodeLens struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"codeLens"`
		ApplyEdit     bool `json:"applyEdit"`
		WorkspaceEdit struct {
			DocumentChanges    bool              `json:"documentChanges"`
			ResourceOperations []json.RawMessage `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	Experimental struct {
		AgentSidecar *clientCapabilities `json:"agentSidecar"`
	} `json:"experimental"`
}

// clientCapabilities is how a client says that it knows us.
type clientCapabilities struct {
	Versions []int `json:"versions"`
	Events   *struct {
		OptOut []string `json:"optOut"`
	} `json:"events"`
	Approvals *struct {
		Request   *struct{} `json:"request"`
		EditInput *struct{} `json:"editInput"`
	} `json:"approvals"`
	Questions *struct{}      `json:"questions"`
	Semantic  *semanticKinds `json:"semantic"`
	// Tools and Tasks are lists of HostTool, each of which is read by itself.
	Tools json.RawMessage `json:"tools"`
	Tasks json.RawMessage `json:"tasks"`
}

// initializationOptions are the members of initializationOptions that are about the
// protocol itself.
type initializationOptions struct {
	CommandSuffix string `json:"commandSuffix"`
	Surfaces      struct {
		MessageRequest *bool `json:"messageRequest"`
		CodeLens       *bool `json:"codeLens"`
		Diagnostics    *bool `json:"diagnostics"`
		Transcript     *bool `json:"transcript"`
	} `json:"surfaces"`
	// AgentSidecar is for the schema; clientTrust reads it.
	AgentSidecar struct {
		Trusted *bool `json:"trusted"`
	} `json:"agentSidecar"`
}

// clientTrust is what a marker client says of its own workspace trust, nil where it
// says nothing. Its names count as they are spelt: beside the client's own word may
// stand what a repository's settings say, and another spelling must not outdo it.
func clientTrust(options json.RawMessage) *bool {
	var trusted *bool
	if json.Unmarshal(memberOf(memberOf(options, "agentSidecar"), "trusted"), &trusted) != nil {
		return nil
	}
	return trusted
}

// memberOf is a member of an object, nil where it has none, or is none.
func memberOf(object json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

// client is who we talk to. It is made by initialize and does not change.
type client struct {
	surface.Facts
	encoding       wire.Encoding
	marker         *clientCapabilities // nil: a plain LSP client
	applyEdit      bool                // takes workspace/applyEdit
	completes      bool                // is offered textDocument/completion: a plugin has its own in its own prompt
	versionedEdits bool                // and in it the version of the document that an edit is of
}

// clientOf reads the facts. known is false when a marker offers no version that
// we speak; such a client is treated as plain.
func clientOf(p initializeParams, inline initializationOptions) (c client, known bool) {
	can := p.Capabilities
	c = client{encoding: wire.Negotiate(can.General.PositionEncodings), applyEdit: can.Workspace.ApplyEdit}
	known = true
	if m := can.Experimental.AgentSidecar; m != nil {
		if known = slices.Contains(m.Versions, 1); known {
			c.marker = m
		}
	}
	// Anyone who takes operations on files takes documentChanges, which alone can contain
	// them; some clients declare only the former.
	edit := can.Workspace.WorkspaceEdit
	c.versionedEdits = edit.DocumentChanges || len(edit.ResourceOperations) > 0
	plain, said := c.marker == nil, inline.Surfaces
	c.completes = plain && can.TextDocument.Completion != nil
	c.Facts = surface.Facts{
		Locale: p.Locale, Plugin: !plain, Suffix: inline.CommandSuffix,
		Approvals:          c.marker != nil && c.marker.Approvals != nil,
		Questions:          c.marker != nil && c.marker.Questions != nil,
		CodeActions:        can.TextDocument.CodeAction != nil,
		Literals:           can.TextDocument.CodeAction != nil && len(can.TextDocument.CodeAction.CodeActionLiteralSupport) > 0,
		WorkDoneProgress:   can.Window.WorkDoneProgress,
		ShowDocument:       can.Window.ShowDocument != nil && can.Window.ShowDocument.Support,
		LensRefresh:        can.Workspace.CodeLens.RefreshSupport,
		CodeLens:           chosen(said.CodeLens, plain),
		PublishDiagnostics: chosen(said.Diagnostics, plain && can.TextDocument.PublishDiagnostics != nil),
		Transcript:         chosen(said.Transcript, plain),
	}
	c.MessageRequest = chosen(said.MessageRequest, plain) && !c.Approvals
	return c, known
}

func chosen(said *bool, otherwise bool) bool {
	if said != nil {
		return *said
	}
	return otherwise
}

// wantsRequest says whether questions are sent as requests.
func (c client) wantsRequest() bool {
	return c.Approvals && c.marker.Approvals.Request != nil
}

// wants says whether events of a type go to the client: all that it did not opt
// out of, and where it asked only for approvals, those.
func (c client) wants(kind string) bool {
	switch {
	case c.marker == nil:
		return false
	case c.marker.Events != nil:
		return !slices.Contains(c.marker.Events.OptOut, kind)
	default:
		return c.Approvals && strings.HasPrefix(kind, "approval.") || c.Facts.Questions && strings.HasPrefix(kind, "question.")
	}
}

// foldersOf are the file folders of the client, the first one first; without
// any, rootUri and then rootPath.
func foldersOf(p initializeParams) (folders []Folder, ignored []string) {
	wire := p.WorkspaceFolders
	if len(wire) == 0 && p.RootURI != nil && *p.RootURI != "" {
		wire = []wireFolder{{URI: *p.RootURI}}
	}
	if len(wire) == 0 && p.RootPath != nil && filepath.IsAbs(*p.RootPath) {
		wire = []wireFolder{{URI: fileuri.Of(*p.RootPath)}}
	}
	for _, f := range wire {
		path, ok := fileuri.Way(f.URI)
		if !ok {
			ignored = append(ignored, f.URI)
			continue
		}
		name := f.Name
		if name == "" {
			name = filepath.Base(filepath.Clean(path))
		}
		folders = append(folders, Folder{Name: name, Path: path, URI: f.URI})
	}
	return folders, ignored
}
