package rpc

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// documents follows what the editor tells of its documents, folders and settings.
type documents struct {
	*link
	open      Documents
	conf      *config.Store
	workspace Folders
	surfaces  *surface.Surfaces

	mu      sync.Mutex // guards everything below
	folders []Folder
}

// begin takes over the folders of initialize.
func (s *documents) begin(folders []Folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followLocked(folders)
}

func (s *documents) followLocked(folders []Folder) {
	s.folders = slices.Clone(folders)
	uris := make([]string, len(folders))
	for i, f := range folders {
		uris[i] = f.URI
	}
	s.surfaces.SetFolders(uris)
}

// didOpen takes over what the editor shows: from now on it is the truth for
// that file.
func (s *documents) didOpen(_ context.Context, p protocol.DidOpenTextDocumentParams) error {
	s.open.DidOpen(string(p.TextDocument.URI), p.TextDocument.Version, p.TextDocument.Text)
	s.surfaces.Asker.Opened(string(p.TextDocument.URI))
	return nil
}

// didChange applies changes in order. A document that was never opened here, or
// was lost, stays unknown: the disk counts.
func (s *documents) didChange(_ context.Context, p protocol.DidChangeTextDocumentParams) error {
	uri := string(p.TextDocument.URI)
	before, _, known := s.open.Buffer(uri)
	if known && s.open.DidChange(uri, p.TextDocument.Version, s.client.encoding.Apply(before, wire.TextChanges(p.ContentChanges))) {
		return nil // our own edit, and not where the person is
	}
	s.surfaces.Typed(uri, wire.LastLine(p.ContentChanges))
	return nil
}

func (s *documents) didSave(_ context.Context, p protocol.DidSaveTextDocumentParams) error {
	s.open.DidSave(string(p.TextDocument.URI))
	s.conf.Reload() // it may be a file of the configuration, by whatever name
	return nil
}

// didChangeWatchedFiles comes from editors that watch files: what was written by
// another program is read, too.
func (s *documents) didChangeWatchedFiles(context.Context, wire.None) error {
	s.conf.Reload()
	return nil
}

func (s *documents) didClose(_ context.Context, p protocol.DidCloseTextDocumentParams) error {
	s.open.DidClose(string(p.TextDocument.URI))
	return nil
}

// didChangeWorkspaceFolders follows the editor's folders.
func (s *documents) didChangeWorkspaceFolders(_ context.Context, p struct {
	Event struct {
		Added   []wireFolder `json:"added"`
		Removed []wireFolder `json:"removed"`
	} `json:"event"`
}) error {
	added, ignored := foldersOf(initializeParams{WorkspaceFolders: p.Event.Added})
	s.mu.Lock()
	folders := slices.DeleteFunc(s.folders, func(f Folder) bool {
		return slices.ContainsFunc(p.Event.Removed, func(gone wireFolder) bool { return gone.URI == f.URI })
	})
	folders = append(folders, added...)
	s.followLocked(folders)
	s.mu.Unlock()
	for _, uri := range ignored {
		s.surfaces.Later(surface.Message(locale.FolderIgnored.In(s.client.Locale, uri)))
	}
	s.workspace.SetFolders(folders)
	return nil
}

// didChangeConfiguration replaces the inline layer, and takes what a marker client
// says of its own workspace trust, which a person may give at any time.
func (s *documents) didChangeConfiguration(_ context.Context, p struct {
	Settings json.RawMessage `json:"settings"`
}) error {
	if len(p.Settings) == 0 {
		return nil
	}
	inline := p.Settings
	if nested := memberOf(p.Settings, "agentSidecar"); len(nested) > 0 {
		inline = nested
	}
	s.conf.SetInline(inline)
	if trusted := clientTrust(inline); s.client.marker != nil && trusted != nil {
		s.conf.SetClientTrust(*trusted)
	}
	return nil
}
