package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// diagnosticsParams are the diagnostics that an editor shows for a document, as LSP
// writes them. What does not fit in one of them costs only that one.
type diagnosticsParams struct {
	URI         string            `json:"uri"`
	Version     *int32            `json:"version,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

func (p *diagnosticsParams) Check() error { return needs("uri", p.URI) }

// problems takes over what the editor says about a document: the whole list, in
// place of the one before. Plain clients have no business with it.
func (s *documents) problems(_ context.Context, p diagnosticsParams) error {
	if s.client.marker == nil {
		return nil
	}
	list := make([]tool.Problem, 0, len(p.Diagnostics))
	for _, raw := range p.Diagnostics {
		if problem, ok := problemOf(raw); ok {
			list = append(list, problem)
		}
	}
	version := int32(0)
	if p.Version != nil {
		version = max(*p.Version, 0)
	}
	s.open.SetProblems(p.URI, version, list)
	return nil
}

// severities are those of LSP, from 1; without one a diagnostic counts as an error.
var severities = []string{"error", "error", "warning", "information", "hint"}

func problemOf(raw json.RawMessage) (tool.Problem, bool) {
	var d struct {
		Range struct {
			Start wire.Place `json:"start"`
		} `json:"range"`
		Severity int             `json:"severity"`
		Code     json.RawMessage `json:"code"`
		Source   string          `json:"source"`
		Message  json.RawMessage `json:"message"`
	}
	if json.Unmarshal(raw, &d) != nil {
		return tool.Problem{}, false
	}
	var message string
	if json.Unmarshal(d.Message, &message) != nil {
		var markup struct {
			Value string `json:"value"`
		}
		_ = json.Unmarshal(d.Message, &markup) // what is neither has no words
		message = markup.Value
	}
	if message == "" || d.Severity < 0 || d.Severity >= len(severities) {
		return tool.Problem{}, false
	}
	var code string
	if json.Unmarshal(d.Code, &code) != nil { // a number, or something else
		if code = string(d.Code); code == "null" {
			code = ""
		}
	}
	return tool.Problem{
		Line: int(d.Range.Start.Line) + 1, Column: int(d.Range.Start.Character) + 1,
		Severity: severities[d.Severity], Message: message, Source: d.Source, Code: code,
	}, true
}

// problemsShown is how many problems of a document a prompt brings.
const problemsShown = 50

// problemsBlock is what the editor says about the document that a prompt is about,
// for the model. There is none where it says nothing.
func (s *documents) problemsBlock(uri string) (history.Block, bool) {
	list := s.open.Problems(uri)
	if len(list) == 0 {
		return history.Block{}, false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "What the editor says about %s:", uri)
	for _, p := range list[:min(len(list), problemsShown)] {
		fmt.Fprintf(&b, "\n  %d:%d %s: %s", p.Line, p.Column, p.Severity, p.Message)
		if from := strings.TrimSpace(p.Source + " " + p.Code); from != "" {
			fmt.Fprintf(&b, " (%s)", from)
		}
	}
	if more := len(list) - problemsShown; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return history.Block{Type: "text", Text: b.String()}, true
}
