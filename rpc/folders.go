package rpc

import (
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"path/filepath"
)

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

func urisOf(folders []Folder) []string {
	uris := make([]string, len(folders))
	for i, f := range folders {
		uris[i] = f.URI
	}
	return uris
}
