package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/names"
)

// Names that stand for what the lists of sensitive and protected files describe. What is
// behind a last "*" of a list adds nothing: any text would do, and every pattern would
// match some.
var (
	sampleSensitive = samples([]string{
		".env", ".env.local", "prod.env", "id_rsa", "id_rsa.pub", "id_ed25519", "server.pem", "server.key", "cert.p12", "cert.pfx",
		".netrc", ".npmrc", ".pypirc", "credentials", "credentials.json", ".aws/credentials", ".ssh/id_rsa", ".ssh/config",
		".gnupg/private-keys-v1.d", ".kube/config", ".docker/config.json",
	}, names.Sensitive)
	sampleProtected = slices.Concat(samples([]string{
		".git", ".git/config", ".git/hooks/pre-commit", ".vscode", ".vscode/tasks.json", ".idea", ".envrc", ".github/workflows/ci.yml", ".github",
		".husky/pre-commit", ".gitmodules", ".gitattributes", "Jenkinsfile", "AGENTS.md", ".agent/MEMORY.md", ".mcp.json", ".claude", ".cursor",
		"x.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".dir-locals.el", "mise.toml", ".mise.toml", ".tool-versions", ".pre-commit-config.yaml",
		"lefthook.yml", ".yarnrc", ".yarnrc.yml", ".cargo/config.toml", ".gitlab-ci.yml", "azure-pipelines.yml", "CLAUDE.md", "GEMINI.md",
		".zed/tasks.json", ".helix/config.toml", ".devcontainer/devcontainer.json", ".circleci/config.yml",
	}, names.Obeyed), sampleSensitive)
)

// sample is a pattern for one name after the other.
type sample []string

// samples are names and patterns, in lower case.
func samples(plain, listed []string) (out []sample) {
	for _, name := range plain {
		out = append(out, strings.Split(strings.ToLower(name), "/"))
	}
	for _, pattern := range listed {
		for _, one := range alternatives(strings.ToLower(pattern)) {
			dir, all := strings.CutSuffix(one, "/**")
			if all {
				out = append(out, strings.Split(dir, "/"))
				if dir[0] == '.' { // of others any name in any directory would be one
					out = append(out, strings.Split(dir+"/*", "/"))
				}
				continue
			}
			if strings.Trim(one, "*") != "" {
				one = strings.TrimRight(one, "*")
			}
			out = append(out, strings.Split(one, "/"))
		}
	}
	return out
}

// alternatives are what a pattern with {a,b} is short for.
func alternatives(pattern string) (out []string) {
	before, rest, open := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return []string{pattern}
	}
	for word := range strings.SplitSeq(inside, ",") {
		out = append(out, alternatives(before+word+after)...)
	}
	return out
}

// base is the last name.
func (s sample) base() string { return s[len(s)-1] }

// filled is a path of which the sample is the end.
func (s sample) filled() string { return Fill(strings.Join(s, "/"), "x") }

// MightName says that a glob may name a sensitive file or, where it is written
// to, a protected one, for when nobody can ask the disk. The end of the glob is
// held against the samples. As in the shell, a wildcard does not match a leading
// dot.
func (u Use) MightName() bool {
	all := sampleSensitive
	if u.Domain == "edit" {
		all = sampleProtected
	}
	return slices.ContainsFunc(alternatives(strings.ToLower(u.Word)), func(word string) bool { return mightName(word, all) })
}

func mightName(word string, all []sample) bool {
	segments := strings.Split(strings.Trim(path.Clean(word), "/"), "/")
	return slices.ContainsFunc(all, func(s sample) bool {
		if len(s) > len(segments) {
			return false
		}
		tail := segments[len(segments)-len(s):]
		for i, name := range s {
			dotted := strings.HasPrefix(name, ".") && strings.IndexByte("*?", first(tail[i])) >= 0
			if dotted || !Overlap(tail[i], name) {
				return false
			}
		}
		return true
	})
}

// mayBeSensitive says that a pattern of find -name may match a sensitive file.
func mayBeSensitive(pattern string) bool {
	pattern = strings.ToLower(pattern)
	return slices.ContainsFunc(sampleSensitive, func(s sample) bool { return s.base() != "*" && Overlap(pattern, s.base()) })
}

// matchesSensitive says that an expression matches the path of a sensitive file.
func matchesSensitive(re *regexp.Regexp) bool {
	return slices.ContainsFunc(sampleSensitive, func(s sample) bool { return re.MatchString("./" + s.filled()) })
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// Overlap says that one name may match both patterns. Of a bracket or a brace it is only
// known that it matches something.
func Overlap(a, b string) bool {
	x, y := wildTokens(a), wildTokens(b)
	// reach[j] says that the tokens of x so far and y[:j] match one name.
	reach := make([]bool, len(y)+1)
	for i := 0; i <= len(x); i++ {
		next := make([]bool, len(y)+1)
		for j := 0; j <= len(y); j++ {
			switch {
			case i == 0 && j == 0:
				next[j] = true
			case i > 0 && (x[i-1] == "*") && (reach[j] || j > 0 && next[j-1]):
				next[j] = true
			case j > 0 && y[j-1] == "*" && (next[j-1] || i > 0 && reach[j]):
				next[j] = true
			case i > 0 && j > 0 && reach[j-1] && x[i-1] != "*" && y[j-1] != "*" && (x[i-1] == y[j-1] || x[i-1] == "?" || y[j-1] == "?"):
				next[j] = true
			}
		}
		reach = next
	}
	return reach[len(y)]
}

// wildTokens takes a pattern apart: "*" for any text, "?" for any letter, else a letter.
func wildTokens(pattern string) (out []string) {
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '*', '?':
			out = append(out, string(r))
		case '[', '{':
			end := strings.IndexRune(string(runes[i:]), map[rune]rune{'[': ']', '{': '}'}[r])
			if end < 0 {
				out = append(out, string(r))
				continue
			}
			i += len([]rune(string(runes[i:])[:end]))
			if r == '{' {
				out = append(out, "*")
			} else {
				out = append(out, "?")
			}
		case '\\':
			if i++; i < len(runes) {
				out = append(out, string(runes[i])) // a star that is none matches a little more
			}
		default:
			out = append(out, string(r))
		}
	}
	return out
}
