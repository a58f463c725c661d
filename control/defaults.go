package control

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// BuiltIn is the source of the rules that hold when nobody wrote any.
const BuiltIn = "built-in"

// BuiltInLayer is the table of control §1. It is always the first layer. What
// is sensitive or protected is no rule but a second pass (ruling 25), so that a
// wide allow never opens it.
func BuiltInLayer() Layer {
	return Layer{Source: BuiltIn, Rules: []Rule{
		{Domain: "read", Pattern: "fs:/**", Decision: "ask"},
		{Domain: "read", Pattern: "vault:/**", Decision: "allow"},
		{Domain: "read", Pattern: "vault@*:/**", Decision: "allow"},
		{Domain: "edit", Pattern: "fs:/**", Decision: "deny"},
		{Domain: "edit", Pattern: "vault:/**", Decision: "allow"},
		{Domain: "edit", Pattern: "vault@*:/**", Decision: "allow"},
		{Domain: "bash", Pattern: "*", Decision: "ask"},
		{Domain: "web_fetch", Pattern: "*", Decision: "allow"},
		{Domain: "web_search", Pattern: "*", Decision: "allow"},
		{Domain: "mcp", Pattern: "*", Decision: "ask"},
		{Domain: "tool", Pattern: "*", Decision: "ask"},
		{Domain: "internal", Pattern: "*", Decision: "allow"},
		{Domain: "doom_loop", Pattern: "*", Decision: "ask"},
		{Domain: "limit", Pattern: "*", Decision: "ask"},
		{Domain: "config", Pattern: "*", Decision: "ask"},
	}}
}

// builtIn is compiled once, when it is first asked: most sessions have no other
// rules.
var builtIn = sync.OnceValue(func() *RuleSet { return Compile([]Layer{BuiltInLayer()}) })

// sensitivePatterns are files whose reading asks (control §1). A pattern without
// "/" is held against every base name and every directory name on the way; the
// others at any segment boundary. Letter case does not count.
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
// sandbox keeps read-only (ruling 80): files that other programs run or obey, and
// secrets. Letter case does not count.
var protectedPatterns = slices.Concat(obeyed, sensitivePatterns)

var (
	obeyedSet    = newNameSet(obeyed)
	sensitiveSet = newNameSet(sensitivePatterns)
	protectedSet = newNameSet(protectedPatterns)
)

// sensitive says whether reading the object asks unless a rule names it.
func sensitive(object string) bool { return sensitiveSet.has(newObject(object)) }

// MerelySecret says that the object is sensitive and that no program obeys it.
// `.envrc` and `.npmrc` are both: what they say is run.
func MerelySecret(object string) bool { return sensitive(object) && !obeyedSet.has(newObject(object)) }

// IsProtected says whether editing the object asks unless a rule names it.
func IsProtected(object string) bool { return protectedSet.has(newObject(object)) }

// nameSet is a list of file patterns, held in lower case.
type nameSet struct {
	bases []string // one segment
	paths []string // with "/", from a segment boundary
	parts []string // one of them stands in everything that any pattern matches
}

func newNameSet(patterns []string) nameSet {
	var n nameSet
	for _, p := range patterns {
		if p = strings.ToLower(p); strings.Contains(p, "/") {
			n.paths = append(n.paths, p)
		} else {
			n.bases = append(n.bases, p)
		}
		n.parts = append(n.parts, literalPart(p))
	}
	return n
}

// literalPart is the longest text of a pattern without wildcards in it. A "/" at
// its end does not count: ".aws/**" also means ".aws" itself.
func literalPart(pattern string) string {
	best := ""
	for part := range strings.FieldsFuncSeq(pattern, func(r rune) bool { return strings.ContainsRune(`*?[]{},\`, r) }) {
		if part = strings.TrimSuffix(part, "/"); len(part) > len(best) {
			best = part
		}
	}
	return best
}

func (n nameSet) has(o object) bool {
	if !o.isFile() {
		return false
	}
	return n.hasPath(o.rest)
}

// hasPath holds every segment against the one-segment patterns, because a file
// below "credentials.d/" is as sensitive as the directory, and every suffix
// against the others.
func (n nameSet) hasPath(p string) bool {
	p = strings.ToLower(path.Clean(p))
	if !slices.ContainsFunc(n.parts, func(part string) bool { return strings.Contains(p, part) }) {
		return false
	}
	for rest := p; ; {
		seg, next, more := strings.Cut(rest, "/")
		for _, b := range n.bases {
			if doublestar.MatchUnvalidated(b, seg) {
				return true
			}
		}
		for _, b := range n.paths {
			if strings.HasPrefix(rest, literalPrefix(b)) && doublestar.MatchUnvalidated(b, rest) {
				return true
			}
		}
		if !more {
			return false
		}
		rest = next
	}
}

// literalPrefix is what stands before the first wildcard, without a "/" at its
// end: ".git/**" also means ".git" itself.
func literalPrefix(p string) string {
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		p = p[:i]
	}
	return strings.TrimSuffix(p, "/")
}

// names says whether an allow was written with this kind of file in mind: with
// its wildcards filled in, the pattern itself is in the set, and for a sensitive
// file it holds a literal part of the base name (ruling 25). "vault:**" names
// nothing; "*.env.example" names what it allows; an expression never does.
func (n nameSet) names(c *compiled, o object, wantBase bool) bool {
	switch {
	case c.pattern.exact != "":
		return true
	case c.pattern.base != "":
		return n.hasPath(shell.Fill(c.pattern.base, "x")) && hasLiteral(c.pattern.base)
	case c.pattern.glob != "":
		filled := shell.Fill(c.pattern.glob, "x")
		return n.hasPath(filled) && (!wantBase || hasLiteral(path.Base(c.pattern.glob)))
	}
	return false
}

func hasLiteral(glob string) bool {
	return strings.ContainsFunc(shell.Fill(glob, ""), func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127
	})
}
