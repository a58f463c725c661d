package config

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Template is a set of rules with a name, for people to start from.
type Template struct {
	Name        string // snake_case
	Description string
	Rules       []control.Rule
}

// Templates are the sets that ship. Commands that run code of the project are
// tied to the workspace where the template is taken, as those that an answer of
// `always` stores.
func Templates() []Template {
	return []Template{
		{
			Name:        "review_only",
			Description: "Reads everything in the workspace and what git knows of it; changes nothing and runs nothing else.",
			Rules: slices.Concat(
				[]control.Rule{
					{Domain: tool.DomainEdit, Pattern: "*", Decision: "deny"},
					{Domain: tool.DomainBash, Pattern: "*", Decision: "deny"},
					{Domain: tool.DomainMCP, Pattern: "*", Decision: "deny"},
					{Domain: tool.DomainTool, Pattern: "*", Decision: "deny"},
				},
				commandRules("git status *", "git diff *", "git log *", "git show *", "git blame *"),
			),
		},
		{
			Name:        "run_the_tests",
			Description: "Runs the usual test commands of this workspace without asking; every other command asks as before.",
			Rules: commandRules("go test *", "go vet *", "cargo test *", "npm test *", "pnpm test *", "yarn test *", "pytest *",
				"mvn test *", "gradle test *", "dotnet test *", "mix test *", "make test *"),
		},
		{
			Name:        "documentation",
			Description: "Changes documentation without asking, asks before it changes anything else, and runs nothing.",
			Rules: slices.Concat(
				[]control.Rule{{Domain: tool.DomainEdit, Pattern: "vault:/**", Decision: "ask"}, {Domain: tool.DomainBash, Pattern: "*", Decision: "deny"}},
				fileRules("*.md", "*.mdx", "*.rst", "*.adoc", "docs/**", "doc/**"),
			),
		},
	}
}

// TemplateRules are the rules of a template, tied to the workspace where they
// would run its code; false when there is no such template.
func TemplateRules(name, workspace string) ([]control.Rule, bool) {
	for _, t := range Templates() {
		if t.Name != name {
			continue
		}
		for i := range t.Rules {
			if r := &t.Rules[i]; r.Domain == tool.DomainBash && r.Decision == "allow" {
				r.Workspace = workspace
			}
		}
		return t.Rules, true
	}
	return nil, false
}

func commandRules(patterns ...string) []control.Rule { return allowing(tool.DomainBash, patterns) }

func fileRules(patterns ...string) []control.Rule { return allowing(tool.DomainEdit, patterns) }

func allowing(domain tool.Domain, patterns []string) []control.Rule {
	rules := make([]control.Rule, len(patterns))
	for i, p := range patterns {
		rules[i] = control.Rule{Domain: domain, Pattern: p, Decision: "allow"}
	}
	return rules
}
