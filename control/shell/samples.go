package shell

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Names that stand for what the lists of sensitive and protected files describe.
var (
	sampleSensitive = []string{
		".env", ".env.local", "prod.env", "id_rsa", "id_rsa.pub", "id_ed25519", "server.pem", "server.key", "cert.p12", "cert.pfx",
		".netrc", ".npmrc", ".pypirc", "credentials", "credentials.json", ".aws/credentials", ".ssh/id_rsa", ".ssh/config",
		".gnupg/private-keys-v1.d", ".kube/config", ".docker/config.json",
	}
	sampleProtected = append([]string{
		".git", ".git/config", ".git/hooks/pre-commit", ".vscode", ".vscode/tasks.json", ".idea", ".envrc", ".github/workflows/ci.yml", ".github",
		".husky/pre-commit", ".gitmodules", ".gitattributes", "Jenkinsfile", "AGENTS.md", ".agent/MEMORY.md", ".mcp.json", ".claude", ".cursor",
		"x.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".dir-locals.el", "mise.toml", ".mise.toml", ".tool-versions", ".pre-commit-config.yaml",
		"lefthook.yml", ".yarnrc", ".yarnrc.yml", ".cargo/config.toml", ".gitlab-ci.yml", "azure-pipelines.yml", "CLAUDE.md", "GEMINI.md",
		".zed/tasks.json", ".helix/config.toml", ".devcontainer/devcontainer.json", ".circleci/config.yml",
	}, sampleSensitive...)
)

// MightName says that a glob may name a sensitive file or, where it is written
// to, a protected one, for when nobody can ask the disk. The end of the glob is
// held against the samples. As in the shell, a wildcard does not match a leading
// dot.
func (u Use) MightName() bool {
	samples := sampleSensitive
	if u.Domain == "edit" {
		samples = sampleProtected
	}
	segments := strings.Split(strings.Trim(path.Clean(u.Word), "/"), "/")
	for _, sample := range samples {
		names := strings.Split(sample, "/")
		if len(names) > len(segments) {
			continue
		}
		tail := segments[len(segments)-len(names):]
		hit := true
		for i, name := range names {
			dotted := strings.HasPrefix(name, ".") && strings.IndexByte("*?", first(tail[i])) >= 0
			if dotted || !doublestar.MatchUnvalidated(strings.ToLower(tail[i]), strings.ToLower(name)) {
				hit = false
				break
			}
		}
		if hit {
			return true
		}
	}
	return false
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}
