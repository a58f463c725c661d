package control

import (
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/names"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// BuiltInLayer is the rules that apply where nobody has written any. It is always the first layer. What
// is sensitive or protected is no rule but a second pass, so that a wide allow
// never opens it.
func BuiltInLayer() Layer {
	return Layer{Source: BuiltIn, Rules: []Rule{
		{Domain: tool.DomainRead, Pattern: "fs:/**", Decision: "ask"},
		{Domain: tool.DomainRead, Pattern: "vault:/**", Decision: "allow"},
		{Domain: tool.DomainRead, Pattern: "vault@*:/**", Decision: "allow"},
		{Domain: tool.DomainEdit, Pattern: "fs:/**", Decision: "deny"},
		{Domain: tool.DomainEdit, Pattern: "vault:/**", Decision: "allow"},
		{Domain: tool.DomainEdit, Pattern: "vault@*:/**", Decision: "allow"},
		{Domain: tool.DomainBash, Pattern: "*", Decision: "ask"},
		{Domain: tool.DomainWebFetch, Pattern: "*", Decision: "allow"},
		{Domain: tool.DomainWebSearch, Pattern: "*", Decision: "allow"},
		{Domain: tool.DomainMCP, Pattern: "*", Decision: "ask"},
		{Domain: tool.DomainTool, Pattern: "*", Decision: "ask"},
		{Domain: tool.DomainInternal, Pattern: "*", Decision: "allow"},
		{Domain: tool.DomainDoomLoop, Pattern: "*", Decision: "ask"},
		{Domain: tool.DomainLimit, Pattern: "*", Decision: "ask"},
		{Domain: tool.DomainConfig, Pattern: "*", Decision: "ask"},
	}}
}

// BuiltInCeiling is the most that a built-in agent may ever do; nil: nothing bounds
// it.
func BuiltInCeiling(agent string) []Rule {
	switch agent {
	case "plan":
		return ReadOnlyWorkspace()
	case "explore":
		return NothingChanges("web_fetch", "web_search")
	case "compaction":
		return NothingChanges("read", "web_fetch", "web_search")
	}
	return nil
}

// NothingChanges denies every domain that could change something or reach out.
func NothingChanges(also ...tool.Domain) []Rule {
	var rules []Rule
	for _, domain := range append([]tool.Domain{tool.DomainEdit, tool.DomainBash, tool.DomainMCP, tool.DomainTool}, also...) {
		rules = append(rules, Rule{Domain: domain, Pattern: "*", Decision: "deny"})
	}
	return rules
}

// ReadOnlyWorkspace is NothingChanges, except that commands may run in a sandbox in which
// the whole workspace is read-only. What their text would write is refused there.
func ReadOnlyWorkspace() []Rule {
	rules := NothingChanges()
	for i := range rules {
		rules[i].UnlessReadOnly = rules[i].Domain == tool.DomainBash || rules[i].Domain == tool.DomainEdit
	}
	return rules
}

// RunsReadOnly says that one of the ceilings lets commands run only in a sandbox in which
// the whole workspace is read-only.
func RunsReadOnly(ceilings ...[]Rule) bool {
	return slices.ContainsFunc(ceilings, func(rules []Rule) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return r.UnlessReadOnly })
	})
}

// builtIn is compiled once, when it is first asked: most sessions have no other
// rules.
var builtIn = sync.OnceValue(func() *RuleSet { return Compile([]Layer{BuiltInLayer()}) })

// sensitivePatterns are files whose reading asks. A pattern without "/" is held
// against every base name and every directory name on the way; the others at any
// segment boundary. Letter case does not count.
var sensitivePatterns = []string{
	"*.env*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "*.p12", "*.pfx", ".netrc", ".npmrc", ".pypirc",
	"credentials*", ".aws/**", ".ssh/**", ".gnupg/**", ".kube/config", ".docker/config.json",
}

// obeyed are files that other programs run or obey.
var obeyed = []string{
	".git/**", ".vscode/**", ".idea/**", ".zed/**", ".helix/**", ".devcontainer/**", "*.code-workspace",
	".nvim.lua", ".nvimrc", ".exrc", ".dir-locals.el", ".envrc", "mise.toml", ".mise.toml", ".tool-versions",
	".husky/**", ".githooks/**", ".pre-commit-config.yaml", "lefthook.yml", ".gitmodules", ".gitattributes",
	".npmrc", ".yarnrc*", ".cargo/config*", ".github/**", ".gitlab-ci*", ".circleci/**", "Jenkinsfile",
	"azure-pipelines*", ".agent/**", ".agent-sidecar/**", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/**", ".cursor/**", ".mcp.json",
}

// protectedPatterns is the one list of what asks before it is edited and what the
// sandbox keeps read-only: files that other programs run or obey, and secrets.
// Letter case does not count.
var protectedPatterns = slices.Concat(obeyed, sensitivePatterns)

var (
	obeyedSet    = newNameSet(obeyed, names.Obeyed)
	sensitiveSet = newNameSet(sensitivePatterns, names.Sensitive)
	protectedSet = newNameSet(protectedPatterns, names.Obeyed, names.Sensitive)
)

// sensitive says whether reading the object asks unless a rule names it.
func sensitive(object string) bool { return sensitiveSet.has(newObject(object)) }

// MerelySecret says that the object is sensitive and that no program obeys it.
// `.envrc` and `.npmrc` are both: what they say is run.
func MerelySecret(object string) bool { return sensitive(object) && !obeyedSet.has(newObject(object)) }

// IsProtected says whether editing the object asks unless a rule names it.
func IsProtected(object string) bool { return protectedSet.has(newObject(object)) }
