package control

import (
	"maps"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Verdict is what may happen to a call. Lower is stricter, and the zero value
// denies.
type Verdict int

// The verdicts, strictest first.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String is the word used in rules and on the wire.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	default:
		return "deny"
	}
}

// Rule is one line of permission. The last matching rule wins.
type Rule struct {
	Domain   tool.Domain `json:"domain"`
	Pattern  string      `json:"pattern"`
	Decision string      `json:"decision"` // "allow", "deny" or "ask"; anything else counts as ask
	// Workspace limits the rule to one workspace-id.
	Workspace string `json:"workspace,omitempty"`
	// Runner limits the rule to calls that work on the machine of that runner. A rule
	// without one allows nothing there; what it denies or asks about, it does everywhere.
	// In domains that touch no machine (web_fetch, mcp, …) it says nothing.
	Runner string `json:"runner,omitempty"`
	// Exact says that Pattern is the object itself and contains no wildcards.
	Exact bool `json:"exact,omitempty"`
	// UnlessReadOnly is for ceilings: what the rule denies may still run in a sandbox in
	// which the whole workspace is read-only. Files and clients cannot say it.
	UnlessReadOnly bool `json:"-"`
	// By is "always" for rules stored by an answer; they form a layer of their own
	// above inline.
	By string `json:"by,omitempty"`
}

// Layer is rules with where they came from: "built-in", "config", "inline",
// "always", "session" or "agent:<name>".
type Layer struct {
	Source string
	Rules  []Rule
	// Narrows says that no rule of this layer may loosen what is before it:
	// inline configuration that nobody has said yes to.
	Narrows bool
}

// RuleRef names the rule that decided; Index counts within its Source from 0.
type RuleRef struct {
	Pattern string `json:"pattern"`
	Source  string `json:"source"`
	Index   int    `json:"index"`
}

// BuiltIn is the source of the rules that hold when nobody wrote any.
const BuiltIn = "built-in"

// domains are the permission domains. A target of
// any other domain is denied.
var domains = map[tool.Domain]bool{
	tool.DomainRead: true, tool.DomainEdit: true, tool.DomainBash: true, tool.DomainWebFetch: true, tool.DomainWebSearch: true,
	tool.DomainMCP: true, tool.DomainTool: true, tool.DomainInternal: true, tool.DomainPlan: true,
	tool.DomainDoomLoop: true, tool.DomainLimit: true, tool.DomainConfig: true,
}

// Domains are the permission domains, sorted.
func Domains() []tool.Domain { return slices.Sorted(maps.Keys(domains)) }

// onlyAsks are the domains no rule and no mode can answer.
func onlyAsks(domain tool.Domain) bool {
	return domain == tool.DomainDoomLoop || domain == tool.DomainLimit || domain == tool.DomainConfig || domain == tool.DomainPlan
}

func RuleText(r Rule) string {
	raw, err := tool.CompactJSON(r)
	if err != nil {
		return r.Pattern
	}
	return string(raw)
}
