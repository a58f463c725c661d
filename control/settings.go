package control

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Settings is one snapshot of the effective configuration: defaults, then the
// user's file, then what of the inline layer acts (control §8, ruling 32). It is
// immutable; numbers have the unit their name says, 0 in a limit means none.
type Settings struct {
	Mode       struct{ Default string }
	Compaction struct {
		Auto          bool
		MaxChars      int64
		RecentTurns   int
		MaxTokens     int64
		Trigger       float64
		OutputBudget  int64
		Model         string
		SummaryPrefix string
		Micro         struct{ KeepRecent int }
	}
	Truncation struct {
		MaxLines, MaxBytes, TTLDays int
		Dir                         string
	}
	DoomLoop struct{ MaxAttempts, MaxToolCalls, SameToolThreshold int }
	Limits   struct {
		MaxTurns, MaxToolCalls int
		MaxTokens, WallMs      int64
	}
	Edit    struct{ Outside string }
	Web     struct{ AllowedHosts []string }
	Sandbox struct {
		Mode              string
		Network           bool
		Writable, KeepEnv []string
	}
	Memory struct {
		Enabled                        bool
		ReserveTokensFloor, SoftTokens int64
		Reset                          string
	}
	Retry struct {
		MaxAttempts         int
		FirstByteMs, IdleMs int64
	}
	Subagents struct {
		MaxTurns, Parallel int
		WallMs             int64
	}
	SystemPrompt struct {
		Mode, Text string
		Params     Params
	}
	Model         string
	Fallback      []string
	Providers     json.RawMessage // {} when none
	MCP           json.RawMessage
	Servers       []MCPServer // of MCP, those that can be started
	Hooks         json.RawMessage
	Tools         struct{ Enabled bool }
	WebSearch     json.RawMessage
	CommandSuffix string
	Surfaces      json.RawMessage

	// Layers are the rules in order, built-in first; Rules is the same,
	// compiled.
	Layers []Layer
	Rules  *RuleSet
	// Origin says where each key's value came from: "default", "config" or
	// "inline".
	Origin map[string]string
	// Values holds every key's effective value as JSON; null where not set.
	Values map[string]json.RawMessage
	// Diagnostics is what is wrong with the configuration.
	Diagnostics []Diagnostic
	// Held says that the inline configuration holds something that acts only
	// after a person said yes to it; InlineHash names that text (ruling 89).
	Held       bool
	InlineHash string
	InlineText string

	trustedRoots []string
}

// effective merges a key over its layers.
type effective struct {
	values map[string]json.RawMessage
	origin map[string]string
}

func defaults() effective {
	e := effective{map[string]json.RawMessage{}, map[string]string{}}
	for i := range Keys {
		k := &Keys[i]
		raw, err := json.Marshal(k.Default)
		if err != nil { // numbers, texts and booleans always encode
			continue
		}
		e.values[k.Path], e.origin[k.Path] = raw, "default"
	}
	return e
}

func (e effective) put(d *document, take func(*Key, json.RawMessage) bool) {
	for path, raw := range d.values {
		if take(keyByPath[path], raw) {
			e.values[path], e.origin[path] = raw, d.source
		}
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

// build makes the snapshot. inline may be nil; accepted says that a person said
// yes to exactly its text.
func build(user, inline *document, accepted bool) *Settings {
	s := &Settings{}
	e := defaults()
	e.put(user, func(*Key, json.RawMessage) bool { return true })
	if inline != nil {
		e.put(inline, func(k *Key, raw json.RawMessage) bool {
			switch {
			case strings.HasPrefix(k.Path, "trust."):
				return false // only a person's answer stores trust
			case accepted, k.free:
				return true
			case k.narrows && narrower(e.values[k.Path], raw):
				return true
			case k.kind == kindRules:
				return false // rules are a layer of their own, see layers
			}
			if string(raw) != string(e.values[k.Path]) {
				s.Held = true
			}
			return false
		})
		if !accepted && slices.ContainsFunc(inline.rules, func(r Rule) bool { return r.Decision == "allow" }) {
			s.Held = true
		}
	}
	s.Values, s.Origin = e.values, e.origin
	s.fill(e)
	switch s.Origin["mcp"] {
	case "config":
		s.Servers = user.servers
	case "inline":
		s.Servers = inline.servers
	}
	s.layers(user, inline, accepted)
	s.Rules = Compile(s.Layers)
	s.Diagnostics = slices.Clone(user.diagnostics)
	if inline != nil {
		s.Diagnostics = append(s.Diagnostics, inline.diagnostics...)
	}
	s.ruleDiagnostics(user, inline)
	return s
}

// decodeKey reads a value that take has checked already.
func decodeKey[T any](e effective, path string) T {
	var v T
	if json.Unmarshal(e.values[path], &v) != nil {
		return *new(T)
	}
	return v
}

func (s *Settings) fill(e effective) {
	num := func(p string) int { return int(decodeKey[float64](e, runtimePath+p)) }
	big := func(p string) int64 { return int64(decodeKey[float64](e, runtimePath+p)) }
	text := func(p string) string { return decodeKey[string](e, runtimePath+p) }
	flag := func(p string) bool { return decodeKey[bool](e, runtimePath+p) }
	list := func(p string) []string { return decodeKey[[]string](e, p) }
	raw := func(p string) json.RawMessage {
		if v := e.values[p]; string(v) != "null" {
			return v
		}
		return json.RawMessage("{}")
	}
	s.Mode.Default = text("mode.default")
	c := &s.Compaction
	c.Auto, c.MaxChars, c.RecentTurns = flag("compaction.auto"), big("compaction.maxChars"), num("compaction.recentTurns")
	c.MaxTokens, c.Trigger = big("compaction.maxTokens"), decodeKey[float64](e, runtimePath+"compaction.trigger")
	c.OutputBudget, c.Model, c.SummaryPrefix = big("compaction.outputBudget"), text("compaction.model"), text("compaction.summaryPrefix")
	c.Micro.KeepRecent = num("compaction.micro.keepRecent")
	t := &s.Truncation
	t.MaxLines, t.MaxBytes, t.TTLDays, t.Dir = num("truncation.maxLines"), num("truncation.maxBytes"), num("truncation.ttlDays"), text("truncation.dir")
	// Two keys for one number: the smaller wins (ruling 117).
	calls := smaller(num("doomLoop.maxToolCalls"), num("limits.maxToolCalls"))
	attempts := smaller(num("doomLoop.maxAttempts"), num("retry.maxAttempts"))
	s.DoomLoop.MaxAttempts, s.DoomLoop.MaxToolCalls, s.DoomLoop.SameToolThreshold = attempts, calls, num("doomLoop.sameToolThreshold")
	s.Limits.MaxTurns, s.Limits.MaxToolCalls = num("limits.maxTurns"), calls
	s.Limits.MaxTokens, s.Limits.WallMs = big("limits.maxTokens"), big("limits.wallMs")
	s.Edit.Outside, s.Web.AllowedHosts = text("edit.outside"), list(runtimePath+"web.allowedHosts")
	s.Sandbox.Mode, s.Sandbox.Network = text("sandbox.mode"), flag("sandbox.network")
	s.Sandbox.Writable, s.Sandbox.KeepEnv = list(runtimePath+"sandbox.writable"), list(runtimePath+"sandbox.keepEnv")
	s.Memory.Enabled, s.Memory.Reset = flag("memory.enabled"), text("memory.reset")
	s.Memory.ReserveTokensFloor, s.Memory.SoftTokens = big("memory.reserveTokensFloor"), big("memory.softTokens")
	s.Retry.MaxAttempts, s.Retry.FirstByteMs, s.Retry.IdleMs = attempts, big("retry.firstByteMs"), big("retry.idleMs")
	s.Subagents.MaxTurns, s.Subagents.Parallel, s.Subagents.WallMs = num("subagents.maxTurns"), num("subagents.parallel"), big("subagents.wallMs")
	p := &s.SystemPrompt
	p.Mode, p.Text = decodeKey[string](e, "systemPrompt.mode"), decodeKey[string](e, "systemPrompt.text")
	p.Params = Params{
		decodeKey[*float64](e, "systemPrompt.params.temperature"), decodeKey[*float64](e, "systemPrompt.params.topP"),
		decodeKey[*int64](e, "systemPrompt.params.maxTokens"),
	}
	s.Model, s.Fallback = decodeKey[string](e, "model"), list("fallback")
	s.Providers, s.MCP, s.Hooks, s.WebSearch = raw("providers"), raw("mcp"), raw("hooks"), raw("webSearch")
	s.Tools.Enabled = decodeKey[bool](e, "tools.enabled")
	s.CommandSuffix, s.Surfaces = decodeKey[string](e, "commandSuffix"), raw("surfaces")
	s.trustedRoots = list("trust.workspaces")
}

// smaller is the stricter of two limits, where 0 means none.
func smaller(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// layers orders the rules: built-in, what other keys say as rules, the user's,
// the inline ones that act, and those stored by answers (ruling 87).
func (s *Settings) layers(user, inline *document, accepted bool) {
	s.Layers = []Layer{BuiltInLayer(), {Source: "settings", Rules: s.keyRules()}}
	config, always := Layer{Source: "config"}, Layer{Source: "always"}
	for _, r := range user.rules {
		// A slot stays in both, so that an index is the place in the file.
		if blank := (Rule{}); r.By == "always" {
			config.Rules, always.Rules = append(config.Rules, blank), append(always.Rules, r)
		} else {
			config.Rules, always.Rules = append(config.Rules, r), append(always.Rules, blank)
		}
	}
	s.Layers = append(s.Layers, config)
	if inline != nil {
		l := Layer{Source: "inline"}
		for _, r := range inline.rules {
			r.By = "" // only the user's file can say that a person answered
			if !accepted && r.Decision == "allow" {
				r = Rule{}
			}
			l.Rules = append(l.Rules, r)
		}
		s.Layers = append(s.Layers, l)
	}
	s.Layers = append(s.Layers, always)
}

// keyRules turns edit.outside, web.allowedHosts and the user's MCP servers into
// rules, so that there is one way to decide. An inline server is not the user's.
func (s *Settings) keyRules() []Rule {
	var rules []Rule
	if s.Edit.Outside == "ask" {
		rules = append(rules, Rule{Domain: "edit", Pattern: "fs:/**", Decision: "ask"})
	}
	if len(s.Web.AllowedHosts) > 0 {
		rules = append(rules, Rule{Domain: "web_fetch", Pattern: "*", Decision: "deny"})
		for _, h := range s.Web.AllowedHosts {
			rules = append(rules, Rule{Domain: "web_fetch", Pattern: "url:*://" + h + "/*", Decision: "allow"})
		}
	}
	for _, server := range s.Servers {
		if server.Source == "config" {
			rules = append(rules, Rule{Domain: "mcp", Pattern: "mcp:" + server.Name + "/*", Decision: "allow"})
		}
	}
	return rules
}

// ruleDiagnostics gives the problems of rules their place in the file.
func (s *Settings) ruleDiagnostics(user, inline *document) {
	for _, p := range s.Rules.Problems() {
		d := user
		if p.Source == "inline" {
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

// Shown is every effective value for a person to look at: Values, with keys,
// headers and environment values of connections as «set» (ruling 81).
func (s *Settings) Shown() map[string]json.RawMessage {
	out := maps.Clone(s.Values)
	for _, path := range []string{"providers", "mcp", "webSearch"} {
		var v any
		if json.Unmarshal(out[path], &v) != nil || v == nil {
			continue
		}
		if raw, err := compactJSON(maskSecrets(v, false)); err == nil {
			out[path] = raw
		}
	}
	return out
}

// maskSecrets hides every text below a member that holds secrets.
func maskSecrets(v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			lower := strings.ToLower(name)
			hides := lower == "headers" || lower == "env" || lower != "apikeyenv" &&
				(strings.Contains(lower, "key") || strings.Contains(lower, "token") || strings.Contains(lower, "secret") || strings.Contains(lower, "password"))
			v[name] = maskSecrets(inner, secret || hides)
		}
	case []any:
		for i := range v {
			v[i] = maskSecrets(v[i], secret)
		}
	case string:
		if secret {
			return "«set»"
		}
		return Redact(v)
	}
	return v
}
