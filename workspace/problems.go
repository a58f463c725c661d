package workspace

import (
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/problems"
)

// SetProblems takes over what the editor has to say about a document from now on.
// version is the document's, 0 where the client names none. Lists are cut, errors
// first; URIs of other schemes than file are ignored.
func (v *Vault) SetProblems(uri string, version int32, list []tool.Problem) {
	if p, ok := v.document(uri); ok {
		v.problems.Set(p.key(), kindOfName(p), version, list)
	}
}

// Problems are those that the editor has sent last for a document, the gravest
// first.
func (v *Vault) Problems(uri string) []tool.Problem {
	if p, ok := v.document(uri); ok {
		return v.problems.Of(p.key())
	}
	return nil
}

// kindOfName is what the editor goes by when it checks a file.
func kindOfName(p Path) string { return strings.ToLower(filepath.Ext(p.abs)) }

// watchProblems is called before a change of these files, News of what it gives
// behind it.
func (v *Vault) watchProblems(paths ...Path) problems.Watch {
	files := make([]problems.File, len(paths))
	for i, p := range paths {
		files[i] = problems.File{Key: p.key(), Kind: kindOfName(p), Name: pathname.Printable(p.Display()), Version: func() int32 { return v.buffers.versionOf(p) }}
	}
	return v.problems.Watch(files...)
}
