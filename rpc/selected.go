package rpc

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// blocks are the prompt with what the editor says about its place. What is selected
// somewhere is no block's text before the session has judged it.
func (s *documents) blocks(p runParams) ([]history.Block, []session.Selected) {
	blocks, selected := s.handedOver(p.Prompt)
	if p.Context == nil || p.Context.TextDocument == nil || p.Context.TextDocument.URI == "" {
		return blocks, selected
	}
	uri := p.Context.TextDocument.URI
	if here, some := s.selected(uri, p.Context.Selection, len(blocks)); some {
		selected = append(selected, here)
	}
	blocks = append(blocks, history.Block{Type: "resource_link", URI: uri, Range: p.Context.Selection})
	if p.Context.Diagnostics {
		if b, some := s.problemsBlock(uri); some {
			blocks = append(blocks, b)
		}
	}
	return blocks, selected
}

// handedOver takes the texts of places out of a prompt. That of a file which cannot be
// read is dropped: nobody can say whether the agent may see it. A document that is no
// file has no rules.
func (s *documents) handedOver(prompt promptBlocks) ([]history.Block, []session.Selected) {
	blocks, selected := slices.Clone([]history.Block(prompt)), []session.Selected(nil)
	for i, b := range blocks {
		if _, file := fileuri.Path(b.URI); b.Type != "resource_link" || b.Text == "" || b.Ignored || !file {
			continue
		}
		blocks[i].Text = ""
		document, objects, err := s.open.Document(b.URI)
		if err != nil {
			continue
		}
		start := strings.Index(document, b.Text)
		if start < 0 { // it has been changed since, or is what has changed
			document += "\n" + unmarked(b.Text) + "\n"
			start, document = len(document), document+b.Text
		}
		selected = append(selected, session.Selected{Block: i, Objects: objects, Document: document, Start: start, End: start + len(b.Text)})
	}
	return blocks, selected
}

// unmarked is a diff without the marks in front of its lines, between which the lines of a
// key are known as such.
func unmarked(diff string) string {
	var out strings.Builder
	for line := range strings.Lines(diff) {
		out.WriteString(line[1:]) // of one byte at least, its end
	}
	return out.String()
}

// selected is what a person has selected in a document, if that is anything and the
// document can be read.
func (s *documents) selected(uri string, at *history.Range, block int) (is session.Selected, some bool) {
	if at == nil || at.Start == at.End {
		return is, false
	}
	text, objects, err := s.open.Document(uri)
	if err != nil {
		return is, false // its place is in the prompt
	}
	place := func(p history.Position) wire.Place {
		return wire.Place{Line: uint32(max(p.Line, 0)), Character: uint32(max(p.Character, 0))}
	}
	start, end := s.client.encoding.Between(text, place(at.Start), place(at.End))
	return session.Selected{Block: block, Objects: objects, Document: text, Start: start, End: end}, true
}
