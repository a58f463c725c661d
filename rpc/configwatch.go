package rpc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// configWatch follows the configuration for the client and for the audit.
type configWatch struct {
	*link
	surfaces *surface.Surfaces
	conf     *config.Store
	lists    ModelLists
	audit    *auditor

	mu     sync.Mutex          // guards everything below
	warned map[string]bool     // what was said about the configuration and is still so
	marked map[string]bool     // files with diagnostics of ours
	last   []config.Diagnostic // what was found then
}

// warn tells the person what is wrong with the configuration: each file as
// diagnostics where it is, everything once as one warning. A client that knows us
// sees by itself when all is mended; others are told. Nothing that is wrong there
// ends anything.
func (s *configWatch) warn() {
	found := s.conf.Settings().Diagnostics
	var fresh []string
	byFile, lines := map[string][]surface.Mark{}, map[string]bool{}
	s.mu.Lock()
	if slices.Equal(found, s.last) { // the watch and a run have read the same
		s.mu.Unlock()
		return
	}
	s.last = found
	for file := range s.marked {
		byFile[file] = []surface.Mark{} // mended, unless it comes again below
	}
	for _, d := range found {
		if d.File != "" {
			byFile[d.File] = append(byFile[d.File], s.mark(d))
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
		s.surfaces.Say(surface.MessageInfo, surface.Message(locale.ConfigMended.In(s.client.Locale)))
	}
	if len(fresh) > 0 {
		s.surfaces.Later(surface.Message(locale.ConfigProblems.In(s.client.Locale, control.Title(strings.Join(fresh, "; "), surface.MaxWords))))
	}
}

// follow follows every change of the configuration from changed on, until the
// client is about to leave: it tells the client what is other now and what is wrong,
// and writes down which rules are others.
func (s *configWatch) follow(changed <-chan struct{}) func() {
	rules, shown := ruleLines(s.conf.Settings()), s.shown()
	return func() {
		for {
			select {
			case <-s.leaving.Done():
				return
			case <-changed:
				changed = s.conf.Changed()
				shown = s.tell(shown)
				s.warn()
				before := rules
				rules = ruleLines(s.conf.Settings())
				s.auditRules(before, rules)
			}
		}
	}
}

// mark is a diagnostic of LSP from its place to the end of the line,
// counted as the client counts.
func (s *configWatch) mark(d config.Diagnostic) surface.Mark {
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

// auditRules writes down which rules came and went, no matter who changed them: an
// answer, the person's hand, the editor. Rules in another order are a change too,
// for the last match wins.
func (s *configWatch) auditRules(before, now []string) {
	if slices.Equal(before, now) {
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
	s.audit.write(audit.Entry{Decision: "rule", Domain: tool.DomainConfig, Targets: changes, RuleSource: "config", By: "config", Input: raw})
}

// configChanged is what a client shows without asking: the model of new sessions,
// "" where none is set up, and the names to choose from. Anyone who shows more of the
// configuration asks for it again.
type configChanged struct {
	Model  string   `json:"model"`
	Models []string `json:"models"`
}

const configChangedType = "config.changed"

// shown is what clients show of the configuration, as one text to compare; "" for
// one that takes no such event. What an answer writes is not in it: the client that
// gave it knows, and others see what became of the question.
func (s *configWatch) shown() string {
	if !s.client.wants(configChangedType) {
		return ""
	}
	now := s.conf.Settings()
	values := now.Shown()
	maps.DeleteFunc(values, func(key string, _ json.RawMessage) bool {
		return key == "agents.runtime.permission.rules" || strings.HasPrefix(key, "trust.")
	})
	rules := []string{}
	for _, line := range ruleLines(now) {
		if !strings.HasPrefix(line, "always ") {
			rules = append(rules, line)
		}
	}
	raw, _ := json.Marshal([]any{values, rules, agentsOf(now), now.Diagnostics, s.lists.Models()}) // it always encodes
	return string(raw)
}

// tell tells a client that takes events when what it shows is not so any more.
// before is what it was told last; the result is what it knows now.
func (s *configWatch) tell(before string) string {
	now := s.shown()
	if now == before {
		return now
	}
	data := configChanged{Models: nonNil(s.lists.Models())}
	if len(data.Models) > 0 {
		data.Model = data.Models[0]
	}
	raw, err := wire.EncodeJSON(data)
	if err == nil {
		err = s.Notify(wire.EventMethod, history.WireEvent{Time: history.Stamp(time.Now()), Type: configChangedType, Data: raw})
	}
	if err != nil {
		s.Report("tell of the configuration", err)
	}
	return now
}
