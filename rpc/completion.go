package rpc

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// mostCompletions is how many files are offered for what was typed.
const mostCompletions = 50

// The answer to textDocument/completion.
type (
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	completionItem struct {
		Label      surface.Shown `json:"label"`
		Kind       int           `json:"kind"`
		Detail     surface.Shown `json:"detail,omitempty"`
		FilterText string        `json:"filterText"`
		SortText   string        `json:"sortText,omitempty"`
		TextEdit   textEdit      `json:"textEdit"`
	}
)

// The kinds of items, as LSP numbers them.
const (
	kindFunction = 3
	kindFile     = 17
	kindFolder   = 19
)

// completion offers, in a prompt that is written in a file, the prompt commands behind
// `/` and the files of the workspace behind `@`. Elsewhere it is nothing: editors ask at each
// letter of each document.
func (s *views) completion(ctx context.Context, _ *wire.Call, p protocol.CompletionParams) (completionList, error) {
	out := completionList{Items: []completionItem{}}
	at := wire.Place{Line: p.Position.Line, Character: p.Position.Character}
	typed, found := s.surfaces.Menu.Typing(string(p.TextDocument.URI), func(text string) int {
		offset, _ := s.client.encoding.Between(text, at, at)
		return offset
	})
	if !found {
		return out, nil
	}
	places := s.client.encoding.Places(typed.Text, []int{typed.Start, typed.End})
	add := func(name string, kind int, detail surface.Shown) {
		text := string(typed.Sign) + name
		out.Items = append(out.Items, completionItem{Label: surface.Line(text, 0), Kind: kind, Detail: detail, FilterText: text, TextEdit: textEdit{placeRange{places[0], places[1]}, text}})
	}
	if typed.Sign == '/' {
		for _, c := range s.own.Commands().Ready() {
			if c.InText() {
				add(c.Name, kindFunction, surface.Line(locale.Say(s.client.Locale, c.Description), 0))
			}
		}
		return out, nil
	}
	for _, name := range s.folders.NamesLike(ctx, typed.Name(), mostCompletions) {
		kind := kindFile
		if strings.HasSuffix(name, "/") {
			kind = kindFolder
		}
		add(name, kind, "")
	}
	for i := range out.Items {
		out.Items[i].SortText = string(rune('a'+i/26)) + string(rune('a'+i%26)) // the nearest first, not the alphabet
		out.Items[i].FilterText = string(typed.Sign) + typed.Name()             // what fits was chosen here, also in the middle of a path
	}
	out.IsIncomplete = true // other files fit the next letter
	return out, nil
}
