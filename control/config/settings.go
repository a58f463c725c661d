package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Settings is one snapshot of the effective configuration: defaults, then the
// user's file, then what of the inline layer acts. It is immutable; numbers have
// the unit their name says, 0 in a limit means none.
type Settings struct {
	OfRuns
	OfModels
	OfTools
	OfRules

	Surfaces json.RawMessage
	// Profile is the one that the command line named.
	Profile Profile

	// Origin says where each key's value came from: "default", "config" or
	// "inline"; Sources says it with the place.
	Origin  map[string]string
	Sources map[string]Source
	// Values holds every key's effective value as JSON; null where not set.
	Values map[string]json.RawMessage
	// Agents are the built-in ones, as the user's files narrow them, and the
	// user's own.
	Agents []Agent
	// Diagnostics is what is wrong with the configuration.
	Diagnostics []Diagnostic
	// Held says that the inline configuration holds something that acts only after
	// a person said yes to it; InlineHash names that text.
	Held       bool
	InlineHash string
	InlineText string
	// UnaskedOpen says that nobody has said yet whether commands may run in the sandbox
	// without being asked about, and that the home is older than the default that they may:
	// until AnswerUnasked they may not.
	UnaskedOpen bool
	// Unread is why it is not known what the user's file forbids, "" where it is:
	// nothing of it could be read, or not one of the keys that restrict.
	Unread string
}

// OfRuns are the settings of sessions and their runs.
type OfRuns struct {
	Mode       struct{ Default string }
	Compaction Compaction
	Truncation struct {
		MaxLines, MaxBytes, TTLDays int
		Dir                         string
	}
	DoomLoop struct{ MaxAttempts, MaxToolCalls, SameToolThreshold int }
	Limits   struct {
		MaxTurns, MaxToolCalls int
		MaxTokens, WallMs      int64
	}
	Budget Budgets
	Skills struct{ Enabled bool }
	// Titles are written by Model; "" is the cheapest one of the session's provider.
	Titles struct {
		Enabled bool
		Model   string
	}
	Memory struct {
		Enabled, Flush                 bool
		ReserveTokensFloor, SoftTokens int64
		Reset                          string
	}
	Subagents struct {
		MaxTurns, Parallel int
		WallMs             int64
	}
	SystemPrompt struct {
		Mode, Text string
		Params     Params
	}
}

// OfModels are the settings of models and how they are asked.
type OfModels struct {
	Model    string
	Fallback []string
	// ReasoningEffort is one of Efforts; "" leaves it to the model.
	ReasoningEffort string
	Providers       json.RawMessage // {} when none
	Retry           struct {
		MaxAttempts         int
		FirstByteMs, IdleMs int64
	}
}

// OfTools are the settings of what calls do.
type OfTools struct {
	Edit    struct{ Outside string }
	Web     struct{ AllowedHosts []string }
	Sandbox struct {
		Mode                        string
		Network                     bool
		AutoAllow                   string
		Readable, Writable, KeepEnv []string
		MaxProcesses                int
		MaxMemoryMb, MaxDiskMb      int64
	}
	MCP     json.RawMessage
	Servers []MCPServer       // of MCP, those that can be started
	Hooks   map[string][]Hook // by kind, in order
	Tools   struct {
		Enabled     bool
		MCPInPrompt int
	}
	WebSearch     json.RawMessage
	Search        *WebSearch // of WebSearch, where it can be used; nil: there is no search
	CommandSuffix string
	Runners       []Runner `json:"-"` // those that can be used
	Sync          *Sync    `json:"-"` // where it can be used; nil: sessions are not copied
	Network       *Network `json:"-"` // nil where the user's file has none
}

// OfRules are the rules: Layers in order, built-in first, and Rules, which are the same,
// compiled.
type OfRules struct {
	Layers []control.Layer
	Rules  *control.RuleSet

	trustedRoots []string
	places       rulePlaces
}

// effective merges a key over its layers.
type effective struct {
	values map[string]json.RawMessage
	places map[string]Source
}

func defaults() effective {
	e := effective{map[string]json.RawMessage{}, map[string]Source{}}
	for i := range Keys {
		k := &Keys[i]
		raw, err := json.Marshal(k.Default)
		if err != nil { // numbers, texts and booleans always encode
			continue
		}
		e.values[k.Path], e.places[k.Path] = raw, Source{Source: "default"}
	}
	return e
}

func (e effective) put(d *document, take func(*Key, json.RawMessage) bool) {
	for path, raw := range d.values {
		if take(keyByPath[path], raw) {
			e.values[path], e.places[path] = raw, d.whence(d.at[path])
			if from, is := d.sources[path]; is {
				e.places[path] = from
			}
		}
	}
}

// share gives two keys that are one number the smaller of the two, where 0 is no
// limit. What is shown of either is what holds.
func (e effective) share(one, other string) {
	one, other = runtimePath+one, runtimePath+other
	if narrower(e.values[one], e.values[other]) {
		one, other = other, one
	}
	if string(e.values[one]) != string(e.values[other]) {
		e.values[other], e.places[other] = e.values[one], e.places[one]
	}
}

// narrower says that a number is a smaller limit than the current one, where 0
// means no limit at all.
func narrower(current, offered json.RawMessage) bool {
	var have, want float64
	if json.Unmarshal(offered, &want) != nil || want <= 0 {
		return false
	}
	return json.Unmarshal(current, &have) == nil && (have == 0 || want < have)
}

// build makes the settings from the defaults e, then the person's file, then what the
// editor sent, inline, which may be nil: it may come from a file of the project. In its
// place may be what the command line says, which is accepted. accepted
// says that a person said yes to exactly its text. Until then only what limits more than
// before counts of it, and what harms nobody; Held says that something was left out.
func build(e effective, user, inline *document, accepted bool) *Settings {
	s := &Settings{}
	e.put(user, func(*Key, json.RawMessage) bool { return true })
	if inline != nil {
		e.put(inline, func(k *Key, raw json.RawMessage) bool {
			switch {
			case isRefused(k, raw):
				return false
			case k.narrowest != "":
				return true
			case k.kind == kindRules:
				return false // rules are a layer of their own, see layers
			case accepted, k.free:
				return true
			case k.narrows && narrower(e.values[k.Path], raw):
				return true
			}
			if string(raw) != string(e.values[k.Path]) {
				s.Held = true
			}
			return false
		})
		if !accepted && slices.ContainsFunc(inline.rules, func(r control.Rule) bool { return r.Decision == "allow" }) {
			s.Held = true
		}
	}
	// Two keys for one number: the smaller wins.
	e.share("doomLoop.maxToolCalls", "limits.maxToolCalls")
	e.share("doomLoop.maxAttempts", "retry.maxAttempts")
	s.Values, s.Sources, s.Origin = e.values, e.places, map[string]string{}
	for path, place := range e.places {
		s.Origin[path] = place.Source
	}
	if err := s.fill(e); err != nil {
		user.unread = "config.jsonc cannot be read: " + err.Error()
	}
	switch s.Origin["mcp"] {
	case "default":
	case "config":
		s.Servers = user.servers
	default:
		s.Servers = inline.servers
	}
	s.Search = user.search
	s.Runners = user.runners
	s.Sync = user.sync
	s.Network = user.network
	s.layers(user, inline, accepted)
	s.Rules = control.Compile(s.Layers)
	s.Diagnostics = slices.Clone(user.diagnostics)
	if inline != nil {
		s.Diagnostics = append(s.Diagnostics, inline.diagnostics...)
	}
	s.ruleDiagnostics(user, inline)
	s.fillHooks(user, inline, accepted)
	return s
}

// isRefused says that a value is only what the user's own file can say, whoever says yes.
func isRefused(k *Key, raw json.RawMessage) bool {
	switch {
	case strings.HasPrefix(k.Path, "trust."):
		return true // only a person's answer stores trust
	case k.ownFile:
		return true
	case k.narrowest != "":
		return !isWord(raw, k.narrowest)
	}
	return false
}

// decodeKey reads a value that take has checked already.
func decodeKey[T any](e effective, path string) T {
	var v T
	if json.Unmarshal(e.values[path], &v) != nil {
		return *new(T)
	}
	return v
}

// fill decodes every key into the field of its name. An error is a field of another
// kind than its key: values were checked before.
func (s *Settings) fill(e effective) error {
	tree := map[string]any{}
	for i := range Keys {
		k, raw := &Keys[i], e.values[Keys[i].Path]
		switch k.kind {
		case kindObject, kindRules:
			continue
		case kindInt: // a whole number may be written as 1e3
			if n := decodeKey[*float64](e, k.Path); n != nil {
				raw = strconv.AppendFloat(nil, *n, 'f', -1, 64)
			}
		}
		names := strings.Split(strings.TrimPrefix(k.Path, runtimePath), ".")
		at := tree
		for _, name := range names[:len(names)-1] {
			if at[name] == nil {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = raw
	}
	object := func(path string) json.RawMessage {
		if v := e.values[path]; string(v) != "null" {
			return v
		}
		return json.RawMessage("{}")
	}
	s.Providers, s.MCP, s.WebSearch, s.Surfaces = object("providers"), object("mcp"), object("webSearch"), object("surfaces")
	s.trustedRoots = decodeKey[[]string](e, "trust.workspaces")
	whole, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(whole, s)
}

// layers orders the rules: built-in, what other keys say as rules, the user's,
// the inline ones that act, and those stored by answers.
func (s *Settings) layers(user, inline *document, accepted bool) {
	s.Layers = []control.Layer{control.BuiltInLayer(), {Source: "settings", Rules: s.keyRules()}}
	config, always := control.Layer{Source: "config"}, control.Layer{Source: "always"}
	for _, r := range user.rules {
		// A slot stays in both, so that an index is the place in the file.
		if blank := (control.Rule{}); r.By == "always" {
			config.Rules, always.Rules = append(config.Rules, blank), append(always.Rules, r)
		} else {
			config.Rules, always.Rules = append(config.Rules, r), append(always.Rules, blank)
		}
	}
	s.Layers = append(s.Layers, config)
	if inline != nil {
		l := control.Layer{Source: inline.source, Narrows: !accepted}
		for _, r := range inline.rules {
			r.By = "" // only the user's file can say that a person answered
			if !accepted && r.Decision == "allow" {
				r = control.Rule{}
			}
			l.Rules = append(l.Rules, r)
		}
		s.Layers = append(s.Layers, l)
	}
	s.Layers = append(s.Layers, always)
	if n := len(s.Layers); inline != nil && inline.source == argumentsSource { // over what was answered, too
		s.Layers[n-2], s.Layers[n-1] = s.Layers[n-1], s.Layers[n-2]
	}
}

// keyRules turns edit.outside, web.allowedHosts and the user's MCP servers into
// rules, so that there is one way to decide. An inline server is not the user's.
func (s *Settings) keyRules() []control.Rule {
	var rules []control.Rule
	if s.Edit.Outside == "ask" {
		rules = append(rules, control.Rule{Domain: tool.DomainEdit, Pattern: "fs:/**", Decision: "ask"})
	}
	if s.Web.AllowedHosts != nil { // an empty list is a list, too: no host
		rules = append(rules, control.HostRules(s.Web.AllowedHosts)...)
	}
	for _, server := range s.Servers {
		if server.Source == "config" {
			rules = append(rules, control.Rule{Domain: tool.DomainMCP, Pattern: "mcp:" + server.Name + "/*", Decision: "allow"})
		}
	}
	return rules
}

// ruleDiagnostics gives the problems of rules their place in the file.
func (s *Settings) ruleDiagnostics(user, inline *document) {
	for _, p := range s.Rules.Problems() {
		d := user
		if inline != nil && p.Source == inline.source {
			d = inline
		}
		if d == nil || p.Index >= len(d.ruleAt) {
			continue
		}
		d2 := document{source: d.source, text: d.text}
		d2.say("error", d.ruleAt[p.Index], "rule %q: %s", p.Rule.Pattern, p.Message)
		s.Diagnostics = append(s.Diagnostics, d2.diagnostics...)
	}
}

// fillHooks gathers the hooks: the user's, then those of the editor's
// configuration that a person has accepted. The second never take the place of
// the first: what the user requires stays required.
func (s *Settings) fillHooks(user, inline *document, accepted bool) {
	s.Hooks = map[string][]Hook{}
	maps.Copy(s.Hooks, user.hooks)
	if inline == nil || !accepted {
		return
	}
	for kind, list := range inline.hooks {
		s.Hooks[kind] = slices.Concat(s.Hooks[kind], list)
	}
	var mine, theirs map[string][]json.RawMessage
	if json.Unmarshal(user.values["hooks"], &mine) != nil || json.Unmarshal(inline.values["hooks"], &theirs) != nil {
		return // one of them alone is what is shown
	}
	for kind, list := range theirs {
		mine[kind] = append(mine[kind], list...)
	}
	if raw, err := json.Marshal(mine); err == nil {
		s.Values["hooks"] = raw
	}
}
