package rpc

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// promptLine is a prompt written into a file: "@agent" as a word of its own, and
// what follows on that line, without the end of a comment.
var promptLine = regexp.MustCompile(`(?:^|[^\w@./-])@agent[:,]?[ \t]+(.*?)[ \t]*(?:\*/|-->|\*\)|#\})?[ \t]*\r?$`)

// mostPromptLines is in how many lines of a selection a prompt is looked for.
const mostPromptLines = 100

// promptAt is the first prompt in the lines of the request, and where it stands.
// Editors that can give a command no words have this way to prompt (protocol §8).
// It is an offer: nothing runs because a file holds it, and what the title cannot
// show whole is not offered, because what is shown is what is sent (ruling 93).
func (s *Server) promptAt(p protocol.CodeActionParams) (words string, at history.Range, some bool) {
	content, _, open := s.back.Documents.Buffer(string(p.TextDocument.URI))
	if !open || p.Range.End.Line < p.Range.Start.Line {
		return "", at, false
	}
	n := uint32(0)
	for line := range strings.Lines(content) {
		if n >= p.Range.Start.Line {
			if m := promptLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && m[1] != "" && control.Title(m[1], longTitle) == m[1] {
				at.Start.Line, at.End.Line = int(n), int(n)+1
				return m[1], at, true
			}
		}
		if n++; n > p.Range.End.Line || n >= p.Range.Start.Line+mostPromptLines {
			break
		}
	}
	return "", at, false
}
