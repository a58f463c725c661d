package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// semanticKinds is what a client declares that its language servers can be asked.
type semanticKinds struct {
	Definition bool `json:"definition"`
	References bool `json:"references"`
	Symbols    bool `json:"symbols"`
	Hover      bool `json:"hover"`
	Rename     bool `json:"rename"`
}

// semanticMethod asks the language servers of a client.
const semanticMethod = "agent/client/semantic"

type semanticParams struct {
	Kind     tool.LanguageKind `json:"kind"`
	URI      string            `json:"uri,omitempty"`
	Version  *int32            `json:"version,omitempty"`
	Position *wire.Place       `json:"position,omitempty"`
	Query    string            `json:"query,omitempty"`
	NewName  string            `json:"newName,omitempty"`
}

// Answers says whether the client has declared that its language servers can be asked this.
func (e *Editor) Answers(kind tool.LanguageKind) bool {
	marker := e.link.client.marker
	if marker == nil || marker.Semantic == nil {
		return false
	}
	can := marker.Semantic
	return map[tool.LanguageKind]bool{
		tool.LanguageDefinition: can.Definition, tool.LanguageReferences: can.References, tool.LanguageSymbols: can.Symbols,
		tool.LanguageHover: can.Hover, tool.LanguageRename: can.Rename,
	}[kind]
}

// AskLanguage asks the language servers of the client. The question is on its way when it
// returns; answer, which must be called once, waits until ctx ends, which withdraws the
// question and is the error then.
func (e *Editor) AskLanguage(ctx context.Context, q tool.LanguageQuestion) (answer func() (tool.LanguageAnswer, error)) {
	failed := func(err error) func() (tool.LanguageAnswer, error) {
		return func() (tool.LanguageAnswer, error) { return tool.LanguageAnswer{}, err }
	}
	params := semanticParams{Kind: q.Kind, URI: q.Document.URI, Query: q.Query, NewName: q.NewName}
	if q.Document.Version != 0 {
		params.Version = &q.Document.Version
	}
	if q.Document.URI != "" && q.Kind != tool.LanguageSymbols {
		params.Position = &e.link.client.encoding.Places(q.Document.Text, []int{q.Offset})[0]
	}
	raw, err := wire.EncodeJSON(params)
	if err != nil {
		return failed(err)
	}
	request, err := e.link.Ask(ctx, semanticMethod, raw)
	if err != nil {
		return failed(err)
	}
	return func() (tool.LanguageAnswer, error) {
		var raw json.RawMessage
		err := request.Wait(&raw)
		if ctx.Err() != nil {
			return tool.LanguageAnswer{}, context.Cause(ctx)
		}
		if err != nil {
			return tool.LanguageAnswer{}, fmt.Errorf("the editor could not ask its language server: %s", control.Title(err.Error(), maxReason))
		}
		return languageAnswer(q.Kind, raw)
	}
}

// LanguageEdits are edits of a text in bytes, in order. A place outside the text, a range
// whose end comes first and edits that overlap are errors: of a change that a language
// server asks for nothing is guessed.
func (e *Editor) LanguageEdits(text string, edits []tool.LanguageEdit) ([]tool.TextEdit, error) {
	lines := e.link.client.encoding.Lines(text)
	out := make([]tool.TextEdit, 0, len(edits))
	for _, edit := range edits {
		from, begins := lines.Offset(wire.Place(edit.Start))
		to, ends := lines.Offset(wire.Place(edit.End))
		if !begins || !ends || to < from {
			return nil, fmt.Errorf("an edit is at a place that the text does not have (line %d)", edit.Start.Line+1)
		}
		out = append(out, tool.TextEdit{Start: from, End: to, Text: edit.Text})
	}
	slices.SortStableFunc(out, func(a, b tool.TextEdit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	for i := 1; i < len(out); i++ {
		if out[i].Start < out[i-1].End || out[i].Start == out[i-1].Start {
			return nil, errors.New("two edits are at the same place")
		}
	}
	return out, nil
}
