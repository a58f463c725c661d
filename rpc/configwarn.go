package rpc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/fileuri"
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
			byFile[d.File] = append(byFile[d.File], s.configDiagnostic(d))
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
		s.diagnostics.set("configuration", fileuri.Of(file), byFile[file])
	}
	if len(fresh) > 0 {
		s.later(text.ConfigProblems.In(s.client.locale, control.Title(strings.Join(fresh, "; "), maxLastWord)))
	}
}

// watchConfig warns after every change of the configuration from changed on, until
// the client is about to leave, and writes down which rules are others now.
func (s *Server) watchConfig(changed <-chan struct{}) func() {
	rules := ruleLines(s.back.Config.Settings())
	return func() {
		for {
			select {
			case <-s.questions.Done():
				return
			case <-changed:
				changed = s.back.Config.Changed()
				s.warnConfig()
				before := rules
				rules = ruleLines(s.back.Config.Settings())
				s.auditRules(before, rules)
			}
		}
	}
}

// configDiagnostic is a diagnostic of LSP from its place to the end of the line,
// counted as the client counts.
func (s *Server) configDiagnostic(d control.Diagnostic) map[string]any {
	severity := 2
	if d.Severity == "error" {
		severity = 1
	}
	at := func(line, character int) map[string]int {
		return map[string]int{"line": max(line, 0), "character": character}
	}
	return map[string]any{
		"range":    map[string]any{"start": at(d.Line-1, s.client.encoding.Width(d.Lead)), "end": at(d.Line, 0)},
		"severity": severity, "source": "agent-sidecar", "message": d.Message,
	}
}

// ruleLines are the rules of a person and of the editor, as lines to compare.
func ruleLines(c *control.Settings) []string {
	var lines []string
	for _, l := range c.Layers {
		if l.Source != "config" && l.Source != "always" && l.Source != "inline" {
			continue
		}
		for _, r := range l.Rules {
			if raw, err := json.Marshal(r); err == nil && r != (control.Rule{}) {
				lines = append(lines, l.Source+" "+string(raw))
			}
		}
	}
	return lines
}

// auditRules writes down which rules came and went, whoever changed them (control
// §7): an answer, the person's hand, the editor. Rules in another order are a
// change too, for the last match wins.
func (s *Server) auditRules(before, now []string) {
	if slices.Equal(before, now) || s.back.Audit == nil {
		return
	}
	changes := []string{}
	for _, line := range before {
		if !slices.Contains(now, line) {
			changes = append(changes, "- "+line)
		}
	}
	for _, line := range now {
		if !slices.Contains(before, line) {
			changes = append(changes, "+ "+line)
		}
	}
	if len(changes) == 0 {
		changes = append(changes, "the same rules in another order")
	}
	raw, _ := json.Marshal(now) // texts always encode
	if _, err := s.back.Audit("config").Append(control.AuditEntry{Mode: "agent", Decision: "rule", Domain: "config", Targets: changes, RuleSource: "config", By: "config", Input: raw}); err != nil {
		s.report("audit", err)
	}
}
