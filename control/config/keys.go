package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/loop"
	"github.com/agent-sidecar/agent-sidecar/control/truncation"
)

// kind is what a configuration value may be.
type kind int

const (
	kindInt kind = iota
	kindNumber
	kindBool
	kindString
	kindStrings
	kindObject // kept as it is; decoded by anyone who needs it
	kindRules
)

// Key is one configuration key: the one table that reading, checking, the
// printed defaults and the documentation use.
type Key struct {
	Path    string // with dots: "agents.runtime.truncation.maxLines"
	Default any    // nil: not set
	Doc     string

	kind kind
	// words are the only texts that it may be; nil: any.
	words []string
	// form is a pattern that the text fits; "": any.
	form string
	// fits says what is wrong with the text; nil: nothing can be.
	fits func(string) error
	// guarded says that it decides what may run, and so no program writes it.
	guarded bool
	// narrowest is the word that takes most away, so that a program and inline
	// configuration may set it. Any other is the user's own: inline configuration cannot
	// set it, no matter who says yes. "": the key has none.
	narrowest string
	// restricts says that a value may forbid what the default allows.
	restricts bool
	// narrows says that inline configuration may lower the number before a person
	// said yes to it.
	narrows bool
	// ownFile says that only the user's own file can set it.
	ownFile bool
	// free says that inline configuration may set it at once.
	free bool
	// min and max bound a number; max 0 is none.
	min, max float64
}

// A number beyond these would overflow what it is turned into.
const (
	maxDays         = 36_500
	maxMilliseconds = 1e11 // three years
)

// mostCost is more than anybody has, in US dollars.
const mostCost = 1e9

const runtimePath = "agents.runtime."

// argumentsSource is where values of the command line come from.
const argumentsSource = "arguments"

// Keys lists every configuration key with its default.
var Keys = []Key{
	{Path: runtimePath + "mode.default", Default: "agent", kind: kindString, words: []string{"ask", "agent"}, Doc: "Mode of new sessions: ask asks before each edit and command. full_access cannot be set here."},
	{Path: runtimePath + "compaction.auto", Default: true, kind: kindBool, Doc: "Summarise automatically when the conversation exceeds the trigger."},
	{Path: runtimePath + "compaction.maxChars", Default: 120_000, kind: kindInt, min: 1, narrows: true, Doc: "Trigger in characters if the model's window is not known."},
	{Path: runtimePath + "compaction.recentTurns", Default: 3, kind: kindInt, Doc: "Turns that a summary keeps in full."},
	{Path: runtimePath + "compaction.maxTokens", Default: 0, kind: kindInt, narrows: true, Doc: "Trigger in tokens; 0 means that the window alone decides."},
	{Path: runtimePath + "compaction.trigger", Default: 0.8, kind: kindNumber, narrows: true, max: 1, Doc: "Part of the usable window that triggers a summary."},
	{Path: runtimePath + "compaction.outputBudget", Default: 0, kind: kindInt, Doc: "Tokens kept free for the answer, and the most that a summary may have; 0 means a fifth of the window, at most 4096."},
	{Path: runtimePath + "compaction.model", Default: "", kind: kindString, Doc: "Model that writes summaries; empty means the session's."},
	{Path: runtimePath + "compaction.summaryPrefix", Default: "【会话摘要】", kind: kindString, Doc: "First line of a summary."},
	{Path: runtimePath + "compaction.micro.keepRecent", Default: 3, kind: kindInt, Doc: "Newest tool results that are never shortened."},
	{Path: runtimePath + "compaction.micro.minTokens", kind: kindInt, Doc: "Tokens at which older tool results are shown by name alone; 0 means always. Not set: half the trigger."},
	{Path: runtimePath + "truncation.maxLines", Default: truncation.DefaultMaxLines, kind: kindInt, min: 1, narrows: true, Doc: "Lines of a result that reach the conversation."},
	{Path: runtimePath + "truncation.maxBytes", Default: truncation.DefaultMaxBytes, kind: kindInt, min: truncation.MinWrapperBytes, narrows: true, Doc: "Bytes of a result that reach the conversation; at most 92160 count."},
	{Path: runtimePath + "truncation.ttlDays", Default: 7, kind: kindInt, max: maxDays, Doc: "Days that artifacts are kept."},
	{Path: runtimePath + "truncation.dir", Default: ".agent-output", kind: kindString, fits: control.CheckDir, Doc: "Folder of the artifacts: the name of one folder in the workspace. Read at the start."},
	{Path: runtimePath + "doomLoop.maxAttempts", Default: 3, kind: kindInt, min: 1, narrows: true, Doc: "Requests for each model, key and step."},
	{Path: runtimePath + "doomLoop.maxToolCalls", Default: 60, kind: kindInt, narrows: true, Doc: "Tool calls of a run before it asks."},
	{Path: runtimePath + "doomLoop.sameToolThreshold", Default: loop.DefaultSameToolThreshold, kind: kindInt, min: 2, narrows: true, Doc: "Identical calls in a row before it asks."},
	{Path: runtimePath + "permission.rules", kind: kindRules, guarded: true, restricts: true, Doc: "Permission rules; the last match wins."},
	{Path: runtimePath + "limits.maxTurns", Default: 200, kind: kindInt, narrows: true, Doc: "Model requests of a run; 0 means no limit."},
	{Path: runtimePath + "limits.maxToolCalls", Default: 60, kind: kindInt, narrows: true, Doc: "Tool calls of a run; 0 means no limit."},
	{Path: runtimePath + "limits.maxTokens", Default: 0, kind: kindInt, narrows: true, Doc: "Tokens of a run; 0 means no limit."},
	{Path: runtimePath + "limits.wallMs", Default: 0, kind: kindInt, max: maxMilliseconds, narrows: true, Doc: "Milliseconds of a run; 0 means no limit."},
	{Path: runtimePath + "budget.session.tokens", Default: 0, kind: kindInt, narrows: true, Doc: "Tokens of a session, its sub-agents and summaries included, before it asks; 0 means no limit."},
	{Path: runtimePath + "budget.session.cost", Default: 0, kind: kindNumber, max: mostCost, narrows: true, Doc: "US dollars of a session before it asks; 0 means no limit."},
	{Path: runtimePath + "budget.day.tokens", Default: 0, kind: kindInt, narrows: true, Doc: "Tokens of a day, of all sessions of this home, before a run asks; 0 means no limit."},
	{Path: runtimePath + "budget.day.cost", Default: 0, kind: kindNumber, max: mostCost, narrows: true, Doc: "US dollars of a day, of all sessions of this home, before a run asks; 0 means no limit."},
	{Path: runtimePath + "edit.outside", Default: "deny", kind: kindString, guarded: true, words: []string{"deny", "ask"}, Doc: "deny or ask: changing files outside the workspace."},
	{Path: runtimePath + "web.allowedHosts", kind: kindStrings, guarded: true, restricts: true, Doc: "If set, only these hosts may be fetched."},
	{Path: runtimePath + "sandbox.mode", Default: "auto", kind: kindString, guarded: true, restricts: true, words: []string{"auto", "required", "off"}, Doc: "auto, required (no sandbox, no commands) or off."},
	{Path: runtimePath + "sandbox.network", Default: false, kind: kindBool, guarded: true, Doc: "Commands may always use the network."},
	{Path: runtimePath + "sandbox.autoAllow", Default: "workspace", kind: kindString, guarded: true, restricts: true, narrowest: "off", words: []string{"workspace", "off"}, Doc: "workspace: commands run in the sandbox without asking. off: they ask, as by default in a home that is older than this default. Only the user's own file can say workspace."},
	{Path: runtimePath + "sandbox.readable", kind: kindStrings, guarded: true, Doc: "More directories that commands may read."},
	{Path: runtimePath + "sandbox.writable", kind: kindStrings, guarded: true, Doc: "More directories that commands may write to."},
	{Path: runtimePath + "sandbox.keepEnv", kind: kindStrings, guarded: true, Doc: "More environment variables that commands get: names, or patterns with *."},
	{Path: runtimePath + "sandbox.maxProcesses", Default: 0, kind: kindInt, max: 1 << 20, guarded: true, Doc: "Processes of a command and all that it starts; 0 means 4096."},
	{Path: runtimePath + "sandbox.maxMemoryMb", Default: 0, kind: kindInt, max: 1 << 30, guarded: true, Doc: "Memory of a command in MiB; 0 means four fifths of the machine's."},
	{Path: runtimePath + "sandbox.maxDiskMb", Default: 0, kind: kindInt, max: 1 << 30, guarded: true, Doc: "Disk that a command may fill, in MiB; 0 means half of what is free, at most 20480."},
	{Path: runtimePath + "skills.enabled", Default: true, kind: kindBool, Doc: "Use skills: the tool skill, and their names in the prompt."},
	{Path: runtimePath + "memory.enabled", Default: true, kind: kindBool, Doc: "Use memory files: the tool memory, and their content in the prompt."},
	{Path: runtimePath + "titles.enabled", Default: true, kind: kindBool, Doc: "Let a model write the titles of sessions, in a small request beside the first run. A server on this machine or a private network is asked only where `titles.model` names a model."},
	{Path: runtimePath + "titles.model", Default: "", kind: kindString, Doc: "Model that writes titles; empty means the cheapest one that is configured for the session's provider."},
	{Path: runtimePath + "memory.flush", Default: true, kind: kindBool, Doc: "Let the model write down what must last, once before each summary."},
	{Path: runtimePath + "memory.reserveTokensFloor", Default: 20_000, kind: kindInt, Doc: "Tokens kept free when memory is written down before a summary; at most a quarter of the window counts."},
	{Path: runtimePath + "memory.softTokens", Default: 4_000, kind: kindInt, Doc: "Tokens before the reserve at which memory is written down; at most a twentieth of the window counts."},
	{Path: runtimePath + "memory.reset", Default: "never", kind: kindString, form: resetForm, Doc: "never, manual, daily or idle:<minutes>."},
	{Path: runtimePath + "retry.maxAttempts", Default: 3, kind: kindInt, min: 1, narrows: true, Doc: "Requests for each model, key and step."},
	{Path: runtimePath + "retry.firstByteMs", Default: 0, kind: kindInt, max: maxMilliseconds, Doc: "Silence before the first byte; 0 means 600000 for reasoning models, else 120000."},
	{Path: runtimePath + "retry.idleMs", Default: 120_000, kind: kindInt, max: maxMilliseconds, min: 1, Doc: "Silence after the first byte."},
	{Path: runtimePath + "subagents.maxTurns", Default: 30, kind: kindInt, min: 1, narrows: true, Doc: "Model requests of a sub-agent."},
	{Path: runtimePath + "subagents.wallMs", Default: 600_000, kind: kindInt, max: maxMilliseconds, min: 1, narrows: true, Doc: "Milliseconds of a sub-agent."},
	{Path: runtimePath + "subagents.parallel", Default: 4, kind: kindInt, min: 1, narrows: true, Doc: "Sub-agents at once."},
	{Path: "$schema", kind: kindString, free: true, Doc: "Where an editor finds the schema of this file. Nothing else reads it."},
	{Path: "model", Default: "", kind: kindString, Doc: "Model for new sessions, as name or provider/name."},
	{Path: "fallback", kind: kindStrings, Doc: "Models to go on with when one is unavailable."},
	{Path: "reasoningEffort", Default: "", kind: kindString, words: append([]string{""}, Efforts...), Doc: "How much models may think: none, minimal, low, medium, high or xhigh. Not set: as the model does by itself."},
	{Path: "providers", kind: kindObject, Doc: "Providers by name: baseUrl, apiKeys, apiKeyEnv, keyHeader, apiVersion, headers, quirks, models (docs/models.md)."},
	{Path: "mcp", kind: kindObject, guarded: true, Doc: "MCP servers by name: command or url, env, headers, oauth, timeoutMs."},
	{Path: "runners", kind: kindObject, guarded: true, ownFile: true, Doc: "Other machines on which sessions can work, by name: connect, up, down, folder, sync, install, env, isolated (docs/runners.md). Only the user's own file can name any."},
	{Path: "sync", kind: kindObject, guarded: true, ownFile: true, Doc: "Your own server, which keeps encrypted copies of your sessions: url, credentials, ca, workspaces (docs/sync.md). Only the user's own file can name one."},
	{Path: "network", kind: kindObject, guarded: true, ownFile: true, Doc: "How connections to models, pages and MCP servers leave this machine: proxy, noProxy, proxyResolves, caFile, certFile, keyFile, certHosts (docs/network.md). Only the user's own file can say it."},
	{Path: "hooks", kind: kindObject, guarded: true, restricts: true, Doc: "Commands that run before and after calls."},
	{Path: "profiles", kind: kindObject, guarded: true, ownFile: true, Doc: "Rules for work that nobody watches, by name, for run --profile: rules, mode, agent, model, budget (docs/ci.md). Only the user's own file can name any."},
	{Path: "tools.enabled", Default: false, kind: kindBool, guarded: true, Doc: "Load external tools from <home>/tools."},
	{Path: "tools.mcpInPrompt", Default: 40, kind: kindInt, Doc: "Tools of MCP servers that a model has in its list. Where there are more, it has none of them there and finds and calls them with tool_search and mcp_call; 0 means always (docs/mcp.md)."},
	{Path: "webSearch", kind: kindObject, ownFile: true, Doc: "The search provider: provider, url, apiKey or apiKeyEnv (docs/web.md). Only the user's own file can name one."},
	{Path: "systemPrompt.mode", Default: "default", kind: kindString, words: []string{"default", "custom"}, Doc: "default or custom."},
	{Path: "systemPrompt.text", Default: "", kind: kindString, Doc: "The identity, in mode custom."},
	{Path: "systemPrompt.params.temperature", kind: kindNumber, Doc: "Sent only in mode custom."},
	{Path: "systemPrompt.params.topP", kind: kindNumber, max: 1, Doc: "Sent only in mode custom."},
	{Path: "systemPrompt.params.maxTokens", kind: kindInt, min: 1, Doc: "Sent only in mode custom."},
	{Path: "trust.workspaces", kind: kindStrings, guarded: true, Doc: "Folders that you trust, by path."},
	{Path: "trust.inline", kind: kindStrings, guarded: true, Doc: "Hashes of inline configurations that you accepted."},
	{Path: "commandSuffix", Default: "", kind: kindString, free: true, Doc: "Added to the names of commands; only the editor's own configuration can set it."},
	{Path: "surfaces", kind: kindObject, free: true, Doc: "Where questions are shown."},
}

var keyByPath = func() map[string]*Key {
	m := map[string]*Key{}
	for i := range Keys {
		m[Keys[i].Path] = &Keys[i]
	}
	return m
}()

// check says whether a value fits the key.
func (k *Key) check(raw json.RawMessage) error {
	switch k.kind {
	case kindInt, kindNumber:
		var n float64
		if json.Unmarshal(raw, &n) != nil {
			return errors.New("must be a number")
		}
		switch {
		case k.kind == kindInt && (n != math.Trunc(n) || math.Abs(n) > 1<<53):
			return errors.New("must be a whole number")
		case n < k.min:
			return fmt.Errorf("must be at least %v", k.min)
		case k.max > 0 && n > k.max:
			return fmt.Errorf("must be at most %s", strconv.FormatFloat(k.max, 'f', -1, 64))
		}
	case kindBool:
		if json.Unmarshal(raw, new(bool)) != nil {
			return errors.New("must be true or false")
		}
	case kindString:
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return errors.New("must be a text")
		}
		return k.checkWord(s)
	case kindStrings:
		var list []*string
		if json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) {
			return errors.New("must be a list of texts")
		}
	case kindObject:
		if raw[0] != '{' {
			return errors.New("must be an object")
		}
	case kindRules:
		if raw[0] != '[' {
			return errors.New("must be a list of rules")
		}
	}
	return nil
}

// checkWord refuses texts that are not among the ones the key knows.
func (k *Key) checkWord(s string) error {
	switch {
	case s == "full_access" && k.Path == runtimePath+"mode.default":
		return errors.New("cannot be full_access: only a person can give it, to one session")
	case k.words != nil && !slices.Contains(k.words, s):
		return fmt.Errorf("must be one of: %s", strings.TrimPrefix(strings.Join(k.words, ", "), ", ")) // "" is to say nothing
	case k.form != "" && !regexp.MustCompile(k.form).MatchString(s):
		return fmt.Errorf("must be like %s", k.Doc)
	case k.fits != nil:
		return k.fits(s)
	}
	return nil
}

// isWord says that a value is exactly this text.
func isWord(raw json.RawMessage, word string) bool {
	var is string
	return json.Unmarshal(raw, &is) == nil && is == word
}

// resetPolicy is what `reset` and memory.reset may say.
var resetPolicy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(resetForm) })

const resetForm = `^(never|manual|daily|idle:[1-9][0-9]{0,8})$`
