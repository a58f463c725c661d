package rpc

import (
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// warnConfig tells the person what is wrong with the configuration: each file as
// diagnostics where it lies, everything once as one warning (ruling 24). Nothing
// that is wrong there ends anything.
func (s *Server) warnConfig() {
	found := s.back.Config.Settings().Diagnostics
	var fresh []string
	byFile := map[string][]any{}
	s.mu.Lock()
	for file := range s.marked {
		byFile[file] = []any{} // mended, unless it comes again below
	}
	for _, d := range found {
		if d.File != "" {
			byFile[d.File] = append(byFile[d.File], configDiagnostic(d))
			s.marked[d.File] = true
		}
		line := d.String()
		if d.File == "" {
			line = d.Message // in the editor settings, where lines mean nothing
		}
		if !s.warned[line] {
			s.warned[line] = true
			fresh = append(fresh, line)
		}
	}
	s.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if err := s.conn.Notify("textDocument/publishDiagnostics", map[string]any{"uri": FileURI(file), "diagnostics": nonNil(byFile[file])}); err != nil {
			s.report("publish diagnostics", err)
		}
	}
	if len(fresh) > 0 {
		s.later(text.ConfigProblems.In(s.client.locale, control.Title(strings.Join(fresh, "; "), maxLastWord)))
	}
}

// watchConfig warns after every change of the configuration from changed on, until
// the client is about to leave.
func (s *Server) watchConfig(changed <-chan struct{}) func() {
	return func() {
		for {
			select {
			case <-s.questions.Done():
				return
			case <-changed:
				changed = s.back.Config.Changed()
				s.warnConfig()
			}
		}
	}
}

// configDiagnostic is a diagnostic of LSP over the whole line.
func configDiagnostic(d control.Diagnostic) map[string]any {
	severity := 2
	if d.Severity == "error" {
		severity = 1
	}
	at := func(line, character int) map[string]int {
		return map[string]int{"line": max(line, 0), "character": max(character, 0)}
	}
	return map[string]any{
		"range":    map[string]any{"start": at(d.Line-1, d.Column-1), "end": at(d.Line, 0)},
		"severity": severity, "source": "agent-sidecar", "message": d.Message,
	}
}
