package session

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// How large the documents of one question may be, in bytes: one side of a file, which
// goes to the client in one frame; all of them, which are held in memory; and their
// names, which are in its event.
const (
	maxDocument      = 256 << 10
	maxDocuments     = 8 << 20
	maxDocumentNames = 32 << 10
)

// documentsOf are the texts that an editor can compare before a person says yes: as
// the preview shows them, nothing in them is invisible, and secrets are placeholders on
// both sides. All of them or none: who has opened every one has seen all of the diff.
// Of two names that are shown alike an editor opens one document, and some editors do
// not tell names by their case.
func (v *previewer) documentsOf(files []tool.Compared) []history.DiffDocuments {
	var texts, names int
	named := map[string]bool{}
	shown := func(text string) string { return control.Lines(v.root.redactor.RedactAgain(history.Clean(text))) }
	var out []history.DiffDocuments
	for _, f := range files {
		if len(f.Before) > maxDocument || len(f.After) > maxDocument {
			return nil
		}
		d := history.DiffDocuments{Path: control.Title(f.Path, 0), BeforeText: shown(f.Before), AfterText: shown(f.After), Moved: f.Moved}
		texts, names = texts+len(d.BeforeText)+len(d.AfterText), names+7*len(d.Path)+100 // a URI has a byte as three
		name := strings.ToLower(d.Path)
		if named[name] {
			return nil
		}
		named[name] = true
		if len(d.BeforeText) > maxDocument || len(d.AfterText) > maxDocument || texts > maxDocuments || names > maxDocumentNames {
			return nil
		}
		out = append(out, d)
	}
	return out
}
