package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// mostSelected is how much of a selection goes with a prompt, in bytes; the rest can
// be read.
const mostSelected = 32 << 10

// Selected is what a person has selected in a document that their prompt points at.
type Selected struct {
	Block      int      // of the prompt: the place of the document
	Objects    []string // the file, as rules name it, the links on the way first
	Document   string   // as the person sees it
	Start, End int      // of the selection in it, in bytes
}

// withSelection puts the selected texts beside their places. It is a read of those
// files by the agent: where that would be asked about, or refused, only the place is told.
func (n *intake) withSelection(p Prompt) []history.Block {
	if len(p.Selected) == 0 {
		return p.Prompt
	}
	blocks := slices.Clone(p.Prompt)
	own := n.about.Info().Agent
	for _, sel := range p.Selected {
		if sel.Start >= sel.End || !n.authority.seesAll(own, sel.Objects) || !n.authority.seesAll(cmp.Or(p.Agent, own), sel.Objects) {
			continue
		}
		text := n.selectedText(sel)
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(text) > mostSelected {
			text = cutText(text, mostSelected) + "\n[the rest of the selection is left out; read has it]"
		}
		blocks[sel.Block].Text = text
	}
	return blocks
}

// selectedText is a selection with placeholders for its secrets. The document is taken
// in first, because a line of a key is known only by the lines around it; and of a
// selection that begins or ends inside a secret whole lines are taken.
func (n *intake) selectedText(sel Selected) string {
	const around = 1 << 20 // bytes in front of the selection and behind it that are looked at
	whole, book, source := sel.Document, n.redactor, sel.Objects[len(sel.Objects)-1]
	end := min(sel.End, sel.Start+2*mostSelected)
	book.Redact(history.Clean(whole[max(sel.Start-around, 0):min(end+around, len(whole))]), source)
	from := strings.LastIndexByte(whole[:sel.Start], '\n') + 1
	to := len(whole)
	if n := strings.IndexByte(whole[end:], '\n'); n >= 0 {
		to = end + n
	}
	lines := history.Clean(whole[from:to])
	if hidden := book.Redact(lines, source); hidden != lines {
		return hidden
	}
	return history.Clean(whole[sel.Start:sel.End])
}
