package rpc

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is taken of one answer. A tool shows less.
const (
	mostPlaces  = 2000
	mostEdits   = 20000 // of one rename
	mostDepth   = 20    // symbols in symbols
	mostHover   = 8 << 10
	mostNames   = 200 // characters of a name
	mostChanged = 1000
)

var (
	errGarbled = errors.New("the language server gave an answer that cannot be understood")
	errFileOps = errors.New("the rename would also create, rename or delete files, which a rename here does not do. Rename the file with move and change the names with edit")
	errTooMany = errors.New("the rename would change too much at once")
)

// The shapes of LSP, as far as something of them is used. All of them are decoded one by
// one, so that one that does not fit costs no other.
type (
	lspLocation struct {
		URI                  string      `json:"uri"`
		Range                *placeRange `json:"range"`
		TargetURI            string      `json:"targetUri"`
		TargetRange          *placeRange `json:"targetRange"`
		TargetSelectionRange *placeRange `json:"targetSelectionRange"`
	}
	lspSymbol struct {
		Name           string            `json:"name"`
		Kind           int               `json:"kind"`
		ContainerName  string            `json:"containerName"`
		Location       *lspLocation      `json:"location"`
		Range          *placeRange       `json:"range"`
		SelectionRange *placeRange       `json:"selectionRange"`
		Children       []json.RawMessage `json:"children"`
	}
	lspDocumentChange struct {
		Kind         *json.RawMessage `json:"kind"`
		TextDocument *lspDocument     `json:"textDocument"`
		Edits        []lspEdit        `json:"edits"`
	}
	lspDocument struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"`
	}
	lspEdit struct {
		Range   *placeRange `json:"range"`
		NewText *string     `json:"newText"`
	}
)

// languageAnswer reads what a client gave.
func languageAnswer(kind tool.LanguageKind, raw json.RawMessage) (tool.LanguageAnswer, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return tool.LanguageAnswer{Nobody: true}, nil
	}
	read := map[tool.LanguageKind]func(json.RawMessage) (tool.LanguageAnswer, error){
		tool.LanguageDefinition: placesOf, tool.LanguageReferences: placesOf, tool.LanguageSymbols: symbolsOf,
		tool.LanguageHover: hoverOf, tool.LanguageRename: changesOf,
	}[kind]
	return read(raw)
}

// listOf are the elements of a list, or the only one. more says that there were others.
func listOf(raw json.RawMessage) (list []json.RawMessage, more bool, err error) {
	if json.Unmarshal(raw, &list) != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil, false, errGarbled
		}
		list = []json.RawMessage{raw}
	}
	if len(list) > mostPlaces {
		return list[:mostPlaces], true, nil
	}
	return list, false, nil
}

func placesOf(raw json.RawMessage) (out tool.LanguageAnswer, err error) {
	list, more, err := listOf(raw)
	if err != nil {
		return out, err
	}
	out.More = more
	for _, one := range list {
		var l lspLocation
		if json.Unmarshal(one, &l) != nil {
			continue
		}
		if at, ok := l.place(); ok {
			out.Places = append(out.Places, at)
		}
	}
	if len(list) > 0 && out.Places == nil {
		return out, errGarbled
	}
	return out, nil
}

// place is where a Location or a LocationLink is.
func (l *lspLocation) place() (tool.LanguagePlace, bool) {
	uri, at := l.URI, l.Range
	if l.TargetURI != "" {
		if uri, at = l.TargetURI, l.TargetSelectionRange; at == nil {
			at = l.TargetRange
		}
	}
	if uri == "" || at == nil || at.Start.Line >= 1<<30 {
		return tool.LanguagePlace{}, false
	}
	return tool.LanguagePlace{URI: uri, Line: int(at.Start.Line) + 1}, true
}

func symbolsOf(raw json.RawMessage) (out tool.LanguageAnswer, err error) {
	list, more, err := listOf(raw)
	if err != nil {
		return out, err
	}
	out.More = more
	addSymbols(&out, list, "", 0)
	if len(list) > 0 && out.Symbols == nil {
		return out, errGarbled
	}
	return out, nil
}

// addSymbols adds symbols and those in them. Of a DocumentSymbol the document is the one
// that was asked about, so that its place has no URI.
func addSymbols(out *tool.LanguageAnswer, list []json.RawMessage, in string, depth int) {
	for _, one := range list {
		if len(out.Symbols) == mostPlaces {
			out.More = true
			return
		}
		var s lspSymbol
		if json.Unmarshal(one, &s) != nil || strings.TrimSpace(s.Name) == "" {
			continue
		}
		at, ok := s.place()
		if !ok {
			continue
		}
		if s.ContainerName == "" {
			s.ContainerName = in
		}
		out.Symbols = append(out.Symbols, tool.LanguageSymbol{
			Name: cutTo(s.Name, mostNames), Kind: symbolKinds[s.Kind], Container: cutTo(s.ContainerName, mostNames), Depth: depth, LanguagePlace: at,
		})
		if depth < mostDepth {
			addSymbols(out, s.Children, s.Name, depth+1)
		}
	}
}

func (s *lspSymbol) place() (tool.LanguagePlace, bool) {
	if s.Location != nil {
		if s.Location.Range == nil { // a WorkspaceSymbol that would have to be resolved
			return tool.LanguagePlace{URI: s.Location.URI, Line: 1}, s.Location.URI != ""
		}
		return s.Location.place()
	}
	at := s.SelectionRange
	if at == nil {
		at = s.Range
	}
	if at == nil || at.Start.Line >= 1<<30 {
		return tool.LanguagePlace{}, false
	}
	return tool.LanguagePlace{Line: int(at.Start.Line) + 1}, true
}

// symbolKinds are the words for the numbers of LSP.
var symbolKinds = map[int]string{
	1: "file", 2: "module", 3: "namespace", 4: "package", 5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor", 10: "enum",
	11: "interface", 12: "function", 13: "variable", 14: "constant", 15: "string", 16: "number", 17: "boolean", 18: "array", 19: "object",
	20: "key", 21: "null", 22: "enum member", 23: "struct", 24: "event", 25: "operator", 26: "type parameter",
}

// hoverOf is the text of a Hover: of MarkupContent, a MarkedString or some.
func hoverOf(raw json.RawMessage) (out tool.LanguageAnswer, err error) {
	var hover struct {
		Contents json.RawMessage `json:"contents"`
	}
	if json.Unmarshal(raw, &hover) != nil {
		return out, errGarbled
	}
	var some []json.RawMessage
	if json.Unmarshal(hover.Contents, &some) != nil {
		some = []json.RawMessage{hover.Contents}
	}
	var texts []string
	for _, one := range some[:min(len(some), mostDepth)] {
		var text string
		var marked struct {
			Value string `json:"value"`
		}
		if json.Unmarshal(one, &text) != nil && json.Unmarshal(one, &marked) == nil {
			text = marked.Value
		}
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	if len(some) > 0 && texts == nil && len(hover.Contents) > 0 && !emptyHover[string(hover.Contents)] {
		return out, errGarbled
	}
	out.Hover = cutTo(strings.Join(texts, "\n\n"), mostHover)
	return out, nil
}

var emptyHover = map[string]bool{`""`: true, `[]`: true, `null`: true}

// changesOf is a WorkspaceEdit, whole or not at all.
func changesOf(raw json.RawMessage) (out tool.LanguageAnswer, err error) {
	var edit struct {
		Changes         map[string][]lspEdit `json:"changes"`
		DocumentChanges []lspDocumentChange  `json:"documentChanges"`
	}
	if json.Unmarshal(raw, &edit) != nil {
		return out, errGarbled
	}
	if len(edit.DocumentChanges) == 0 {
		for uri, edits := range edit.Changes {
			edit.DocumentChanges = append(edit.DocumentChanges, lspDocumentChange{TextDocument: &lspDocument{URI: uri}, Edits: edits})
		}
	}
	if len(edit.DocumentChanges) > mostChanged {
		return out, errTooMany
	}
	count := 0
	for _, c := range edit.DocumentChanges {
		if c.Kind != nil {
			return out, errFileOps
		}
		if c.TextDocument == nil || c.TextDocument.URI == "" {
			return out, errGarbled
		}
		change := tool.LanguageChange{URI: c.TextDocument.URI}
		if c.TextDocument.Version != nil {
			change.Version = *c.TextDocument.Version
		}
		if count += len(c.Edits); count > mostEdits {
			return out, errTooMany
		}
		for _, e := range c.Edits {
			if e.Range == nil || e.NewText == nil {
				return out, errGarbled
			}
			change.Edits = append(change.Edits, tool.LanguageEdit{
				Start: tool.LanguagePosition(e.Range.Start), End: tool.LanguagePosition(e.Range.End), Text: *e.NewText,
			})
		}
		out.Changes = append(out.Changes, change)
	}
	return out, nil
}

// cutTo is the beginning of a text, at most so many bytes of it.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
