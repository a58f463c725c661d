package rpc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// warnConfig tells the person what is wrong with the configuration: each file as
// diagnostics where it lies, everything once as one warning. A client that knows us
// sees by itself when all is mended; others are told. Nothing that is wrong there
// ends anything.
func (s *Server) warnConfig() {
	found := s.back.Config.Settings().Diagnostics
	var fresh []string
	byFile, lines := map[string][]surface.Mark{}, map[string]bool{}
	s.mu.Lock()
	for file := range s.marked {
		byFile[file] = []surface.Mark{} // mended, unless it comes again below
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
		if !s.warned[line] && !lines[line] {
			fresh = append(fresh, line)
		}
		lines[line] = true
	}
	mended := s.surfaces.IsReady() && s.client.marker == nil && len(s.warned) > 0 && len(lines) == 0
	s.warned = lines // what is mended and comes again is said again
	s.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		s.surfaces.Diagnostics.Set("configuration", fileuri.Of(file), byFile[file])
	}
	if mended {
		s.surfaces.Say(surface.MessageInfo, surface.Message(text.ConfigMended.In(s.client.Locale)))
	}
	if len(fresh) > 0 {
		s.surfaces.Later(surface.Message(text.ConfigProblems.In(s.client.Locale, control.Title(strings.Join(fresh, "; "), surface.MaxWords))))
	}
}

// watchConfig follows every change of the configuration from changed on, until the
// client is about to leave: it tells the client what is other now and what is wrong,
// and writes down which rules are others.
func (s *Server) watchConfig(changed <-chan struct{}) func() {
	rules, shown := ruleLines(s.back.Config.Settings()), s.configShown()
	return func() {
		for {
			select {
			case <-s.questions.Done():
				return
			case <-changed:
				changed = s.back.Config.Changed()
				shown = s.tellConfig(shown)
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
func (s *Server) configDiagnostic(d config.Diagnostic) surface.Mark {
	severity := 2
	if d.Severity == "error" {
		severity = 1
	}
	at := func(line, character int) map[string]int {
		return map[string]int{"line": max(line, 0), "character": character}
	}
	return surface.Mark{
		Range:    map[string]any{"start": at(d.Line-1, s.client.encoding.Width(d.Lead)), "end": at(d.Line, 0)},
		Severity: severity, Source: "agent-sidecar", Message: surface.Messages(d.Message),
	}
}

// ruleLines are the rules of a person and of the editor, as lines to compare.
func ruleLines(c *config.Settings) []string {
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

// auditRules writes down which rules came and went, whoever changed them: an
// answer, the person's hand, the editor. Rules in another order are a change too,
// for the last match wins.
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
	if _, err := s.back.Audit("config").Append(audit.Entry{Mode: "agent", Decision: "rule", Domain: "config", Targets: changes, RuleSource: "config", By: "config", Input: raw}); err != nil {
		s.report("audit", err)
	}
}
