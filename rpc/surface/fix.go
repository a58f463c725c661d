package surface

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

const (
	// mostProblems is how many problems of one place are offered.
	mostProblems = 3
	// mostProblemWords is how much of a problem goes with the prompt, in bytes: its words can be
	// of any length.
	mostProblemWords = 2000
)

// fixChoices offer the problems that other servers report where the person asks. A problem's
// words are those of others, so they go beside the prompt. A client that knows us
// offers this itself.
func (m *Menu) fixChoices(p protocol.CodeActionParams) (out []choice) {
	if m.Plugin {
		return nil
	}
	for _, d := range p.Context.Diagnostics {
		source, _ := d.Source.Get()
		if source == "agent" || len(out) == mostProblems {
			continue
		}
		message := messageOf(d)
		words := message
		if source != "" {
			words = source + ": " + words
		}
		out = append(out, choice{Line(locale.FixProblem.In(m.Locale, control.Title(message, shortTitle)), 0), "agent.run", CommandRun, map[string]any{
			"prompt": []map[string]any{
				{"type": "text", "text": fmt.Sprintf("Fix this problem in line %d.", d.Range.Start.Line+1)},
				{"type": "resource_link", "uri": "editor:/problem.txt", "text": wire.CutText(words, mostProblemWords)},
			},
			"context": map[string]any{"textDocument": map[string]any{"uri": string(p.TextDocument.URI)}, "selection": d.Range},
		}})
	}
	return out
}

// messageOf is the text of a problem.
func messageOf(d protocol.Diagnostic) string {
	switch message := d.Message.(type) {
	case protocol.String:
		return string(message)
	case *protocol.MarkupContent:
		return message.Value
	}
	return ""
}
