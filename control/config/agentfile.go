package config

import (
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/frontmatter"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"go.yaml.in/yaml/v3"
)

// maxAgentBytes bounds an agent file.
const maxAgentBytes = 256 << 10

// Lengths of what an agent file says about itself. A name becomes part of
// session keys, events and rule sources; a description is a line in `task`.
const (
	maxAgentName        = 64  // bytes
	maxAgentDescription = 400 // characters
)

// agentFile is a file of <home>/agents: an agent, or what is wrong with it.
type agentFile struct {
	path    string
	agent   Agent // Mode is "" where the file does not say
	usable  bool
	toolsAt place // of the member tools
	found   []Diagnostic
}

// place is a line and a column of a file, from 1.
type place struct{ line, column int }

// agentReader reads the front matter of one file, member by member. Whatever is
// wrong is noted with its place; only a file without an error is used, so that
// nobody gets an agent with half of its restrictions.
type agentReader struct {
	agentFile
	above    int // lines of the file above the front matter
	ruleAt   []place
	narrower [][]control.Rule
}

// readAgentFile reads `---`, YAML, `---`, prompt. name is the file's.
func readAgentFile(name string, text []byte) agentFile {
	r := &agentReader{agentFile: agentFile{path: name}}
	r.usable = true
	if len(text) > maxAgentBytes {
		r.fail(place{1, 1}, "the agent file is larger than %d KiB", maxAgentBytes>>10)
		return r.agentFile
	}
	head, body, err := frontmatter.Split(text)
	if errors.Is(err, frontmatter.ErrNone) {
		err = errors.New(`an agent file begins with a line "---", its front matter, and another "---"`)
	}
	if err != nil {
		r.fail(place{1, 1}, "%v", err)
		return r.agentFile
	}
	r.above = 1
	r.agent.File = name
	r.agent.Prompt = strings.TrimSpace(strings.ToValidUTF8(body, "\uFFFD"))
	if top := r.parse(head); top != nil {
		r.each(top, agentMembers, r.member)
	}
	r.finish()
	return r.agentFile
}

// parse returns the mapping of the front matter, nil where there is none or it cannot be
// read.
func (r *agentReader) parse(head string) *yaml.Node {
	top, err := frontmatter.Parse(head)
	if found, is := errors.AsType[*frontmatter.Error](err); is {
		r.fail(place{found.Line + r.above, found.Column}, "%s", found.Message)
	}
	return top
}

// agentMembers are what an agent's file may say.
var agentMembers = []string{"name", "description", "mode", "model", "allowedModels", "fallback", "tools", "permission", "allowedHosts", "temperature", "topP", "maxTokens", "reasoningEffort",
	"maxTurns", "timeoutMs", "budget", "workspace", "workspaceAccess", "sandbox", "keys", "reset", "compaction", "memoryFlush"}

// restricting are those of them that take something away.
var restricting = []string{"allowedModels", "tools", "permission", "allowedHosts", "maxTurns", "timeoutMs", "budget", "workspace", "workspaceAccess", "sandbox", "keys"}

func (r *agentReader) member(key, v *yaml.Node) {
	a := &r.agent
	if v.Tag == "!!null" && v.Kind == yaml.ScalarNode { // as if it were not there
		if slices.Contains(restricting, key.Value) {
			r.warn(r.at(key), "%q has no value, so it restricts nothing", key.Value)
		}
		return
	}
	switch key.Value {
	case "name":
		r.name(v)
	case "description":
		text := strings.TrimSpace(r.text(key, v))
		if a.Description = control.Title(text, maxAgentDescription); a.Description != text {
			r.warn(r.at(v), "the description is shown as one line of at most %d characters: %s", maxAgentDescription, control.Title(a.Description, 80))
		}
	case "mode":
		if a.Mode = r.text(key, v); a.Mode != "primary" && a.Mode != "subagent" {
			r.fail(r.at(v), "mode must be primary or subagent, not %q", control.Title(a.Mode, 60))
		}
	case "model":
		a.Model = r.text(key, v)
	case "allowedModels":
		a.AllowedModels = r.list(key, v)
		if len(a.AllowedModels) == 0 {
			r.fail(r.at(v), "allowedModels is empty, so the agent could use no model")
		}
	case "fallback":
		a.Fallback = r.list(key, v)
	case "tools":
		a.Tools, r.toolsAt = r.list(key, v), r.at(v)
	case "permission":
		r.permission(v)
	case "allowedHosts":
		r.allowedHosts(key, v)
	case "temperature":
		a.Params.Temperature = r.number(key, v, math.MaxFloat64)
	case "topP":
		a.Params.TopP = r.number(key, v, 1)
	case "maxTokens":
		n := r.count(key, v)
		a.Params.MaxTokens = &n
	case "reasoningEffort":
		if a.Params.Effort = r.text(key, v); !slices.Contains(Efforts, a.Params.Effort) {
			r.fail(r.at(v), "reasoningEffort must be one of %s, not %q", strings.Join(Efforts, ", "), control.Title(a.Params.Effort, 60))
		}
	case "maxTurns":
		a.MaxTurns = int(r.count(key, v))
	case "timeoutMs":
		a.WallMs = r.count(key, v)
	case "budget":
		r.budget(v)
	case "workspace":
		r.workspace(key, v)
	case "workspaceAccess":
		r.workspaceAccess(key, v)
	case "sandbox":
		r.sandbox(key, v)
	case "keys":
		r.keys(key, v)
	case "reset":
		if a.Reset = r.text(key, v); !resetPolicy().MatchString(a.Reset) {
			r.fail(r.at(v), "reset must be never, manual, daily or idle:<minutes>, not %q", control.Title(a.Reset, 60))
		}
	case "compaction":
		r.compaction(v)
	case "memoryFlush":
		a.NoFlush = !r.truth(key, v)
	default:
		r.warn(r.at(key), "unknown member %q", control.Title(key.Value, 60))
	}
}

// name takes what the file calls its agent. It becomes part of session keys and of
// what people see, so everything but letters, digits, - and _ goes.
func (r *agentReader) name(v *yaml.Node) {
	raw := r.text(v, v)
	r.agent.Name = agentName(raw)
	switch {
	case r.agent.Name == "":
		r.fail(r.at(v), "the name %q has no letter or digit", control.Title(raw, 60))
	case r.agent.Name != raw:
		r.warn(r.at(v), "the name is used as %q", r.agent.Name)
	}
}

func agentName(raw string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(raw) {
		if c != '_' && (c == utf8.RuneError || !unicode.IsLetter(c) && !unicode.IsDigit(c)) {
			c = '-'
		}
		if b.Len()+utf8.RuneLen(c) > maxAgentName {
			break
		}
		if c != '-' || b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteRune(c)
		}
	}
	return strings.Trim(b.String(), "-")
}

// permission takes rules in the form of the configuration. A bad one counts as
// ask for its whole domain, so it is kept.
func (r *agentReader) permission(v *yaml.Node) {
	if v.Kind != yaml.SequenceNode {
		r.fail(r.at(v), "permission must be a list of rules")
		return
	}
	r.agent.Ceiling = []control.Rule{}
	for _, item := range v.Content {
		rule := control.Rule{}
		if item.Kind != yaml.MappingNode {
			r.fail(r.at(item), "a rule must have domain, pattern and decision")
			continue
		}
		r.each(item, []string{"domain", "pattern", "decision"}, func(key, value *yaml.Node) {
			switch key.Value {
			case "domain":
				rule.Domain = tool.Domain(r.text(key, value))
			case "pattern":
				rule.Pattern = r.text(key, value)
			case "decision":
				rule.Decision = r.text(key, value)
			default:
				r.fail(r.at(key), "unknown member %q of a rule", control.Title(key.Value, 60))
			}
		})
		r.agent.Ceiling, r.ruleAt = append(r.agent.Ceiling, rule), append(r.ruleAt, r.at(item))
	}
}

// finish checks what only the whole file shows.
func (r *agentReader) finish() {
	a := &r.agent
	if a.Name == "" {
		a.Name = agentName(strings.TrimSuffix(filepath.Base(r.path), path.Ext(r.path)))
		if a.Name == "" {
			r.fail(place{1, 1}, "the agent has no name")
		}
	}
	if a.Model != "" && !a.MayUse(a.Model) {
		r.fail(place{1, 1}, "model %q is not among allowedModels", control.Title(a.Model, 120))
	}
	if name := a.Compaction.Model; name != "" && !a.MayUse(name) {
		r.fail(place{1, 1}, "compaction.model %q is not among allowedModels", control.Title(name, 120))
	}
	for _, p := range control.Compile([]control.Layer{{Source: "agent:" + a.Name, Rules: a.Ceiling}}).Problems() {
		r.found = append(r.found, Diagnostic{Source: "agent", File: r.path, Line: r.ruleAt[p.Index].line, Column: r.ruleAt[p.Index].column, Severity: "error",
			Message: fmt.Sprintf("rule %q: %s", p.Rule.Pattern, p.Message)})
	}
	a.Further = r.narrower
	a.ReadOnly = changesNothing(a)
}

// changesNothing says that an agent can change nothing, whatever anybody allows.
func changesNothing(a *Agent) bool {
	if a.Tools != nil && !slices.ContainsFunc(a.Tools, func(t string) bool { return !slices.Contains(exploreTools, t) }) {
		return true
	}
	for _, must := range control.NothingChanges() {
		if !slices.ContainsFunc(append([][]control.Rule{a.Ceiling}, a.Further...), func(ceiling []control.Rule) bool { return deniesAll(ceiling, must.Domain) }) {
			return false
		}
	}
	return true
}

// deniesAll says that the last rule of a ceiling about a domain denies all of it.
func deniesAll(ceiling []control.Rule, domain tool.Domain) bool {
	last := control.Rule{}
	for _, rule := range ceiling {
		if rule.Domain == domain {
			last = rule
		}
	}
	return last.Pattern == "*" && last.Decision == "deny"
}

func (r *agentReader) text(key, v *yaml.Node) string {
	if v.Kind != yaml.ScalarNode || v.Tag == "!!bool" || v.Tag == "!!null" {
		r.fail(r.at(v), "%s must be a text", control.Title(key.Value, 60))
		return ""
	}
	return v.Value
}

// list is a list of texts, or one text with commas, as many such files have it.
func (r *agentReader) list(key, v *yaml.Node) []string {
	out := []string{}
	if v.Kind == yaml.ScalarNode && v.Tag != "!!bool" {
		for _, word := range strings.Split(v.Value, ",") {
			if word = strings.TrimSpace(word); word != "" {
				out = append(out, word)
			}
		}
		return out
	}
	if v.Kind != yaml.SequenceNode {
		r.fail(r.at(v), "%s must be a list of texts", key.Value)
		return out
	}
	for _, item := range v.Content {
		if text := r.text(key, item); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// number is one that is sent to a model: finite, not below 0, at most max.
func (r *agentReader) number(key, v *yaml.Node, max float64) *float64 {
	var n float64
	if v.Kind != yaml.ScalarNode || v.Decode(&n) != nil || !(n >= 0 && n <= max) {
		r.fail(r.at(v), "%s must be a number from 0%s", key.Value, map[bool]string{true: " to 1"}[max == 1])
		return nil
	}
	return &n
}

// count is a whole number from 1.
func (r *agentReader) count(key, v *yaml.Node) int64 {
	var n float64
	if v.Kind != yaml.ScalarNode || v.Decode(&n) != nil || !(n >= 1 && n <= 1<<31) || n != math.Trunc(n) {
		r.fail(r.at(v), "%s must be a whole number from 1 to 2147483648", key.Value)
		return 0
	}
	return int64(n)
}

func (r *agentReader) truth(key, v *yaml.Node) (yes bool) {
	if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" || v.Decode(&yes) != nil {
		r.fail(r.at(v), "%s must be true or false", key.Value)
	}
	return yes
}

func (r *agentReader) at(n *yaml.Node) place { return place{n.Line + r.above, n.Column} }

func (r *agentReader) fail(at place, format string, args ...any) {
	r.usable = false
	r.say("error", at, format, args...)
}

func (r *agentReader) warn(at place, format string, args ...any) {
	r.say("warning", at, format, args...)
}

func (f *agentFile) say(severity string, at place, format string, args ...any) {
	f.found = append(f.found, Diagnostic{Source: "agent", File: f.path, Line: at.line, Column: at.column, Severity: severity, Message: fmt.Sprintf(format, args...)})
}
