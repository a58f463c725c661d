package surface

import "go.lsp.dev/protocol"

// CodeLenses show the answers to the questions that stand in a document, and that a prompt file can be run. A lens is
// a line of ours, so the first one is never a yes.
func (m *Menu) CodeLenses(p protocol.CodeLensParams) []protocol.CodeLens {
	lenses := []protocol.CodeLens{}
	uri := string(p.TextDocument.URI)
	if !m.CodeLens || !m.places.inWorkspace(uri) {
		return lenses
	}
	m.marks.lensesFor(uri)
	lenses = append(lenses, m.promptLens(uri)...)
	m.marks.mu.Lock()
	defer m.marks.mu.Unlock()
	m.marks.eachLocked(documentKey(uri), func(q *Question, at spot) {
		place := protocol.Position{Line: uint32(max(at.start, 0))}
		for _, c := range m.lensChoices(q) {
			lenses = append(lenses, protocol.CodeLens{Range: protocol.Range{Start: place, End: place}, Command: m.asCommand(c)})
		}
	})
	return lenses
}

// lensChoices are the answers of a message request as lenses.
func (m *Menu) lensChoices(q *Question) []choice {
	var out []choice
	titles, answers := m.board.items(q)
	for i, a := range answers {
		c := choice{title: titles[i], command: "approve", args: map[string]any{"approvalId": q.ApprovalID, "surface": ByLens}}
		switch {
		case a == nil:
			c.title, c.command = Message(q.reviewTitle(m.Locale, q.what(shortTitle))), "reviewDiff"
			delete(c.args, "surface")
		case a.Decision == "reject":
			c.command = "reject"
		default:
			c.args["decision"], c.args["digest"] = a.Decision, a.Digest
			if a.OfferID != "" {
				c.args["always"] = a.OfferID
			}
		}
		out = append(out, c)
	}
	return out
}

// ByLens is who answered where a code lens carried the command.
const ByLens = "code_lens"
