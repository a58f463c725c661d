package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// patternVariables say how bash expands patterns: what they leave out, and whether hidden
// names count.
var patternVariables = []string{"GLOBIGNORE", "BASHOPTS", "SHELLOPTS"}

// patternsChange doubts the patterns of a text which also says how the shell is to expand
// them: with dotglob "*" hits `.env`.
func (s *Script) patternsChange(text string) {
	if !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Glob }) {
		return
	}
	names := func(word string) bool {
		return slices.ContainsFunc(patternVariables, func(v string) bool { return strings.Contains(word, v) })
	}
	changes := names(text)
	for _, c := range s.Commands {
		changes = changes || c.Head == "shopt" || slices.ContainsFunc(c.likely, names) ||
			shells.has(c.Head) && slices.ContainsFunc(c.likely, func(a string) bool { return len(a) > 1 && (a[0] == '-' || a[0] == '+') && strings.Contains(a, "O") })
	}
	if changes {
		s.AddUncertain(said.That("the command changes how patterns are expanded"))
	}
}

// MatchWild holds a whole text against a pattern of two wildcards: "*" is any
// run of characters, "?" is one. It takes time linear in both for each star.
func MatchWild(pat, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pat) && pat[p] == '*':
			star, mark = p, i
			p++
		case p < len(pat) && pat[p] == '?':
			p++
			i += runeLen(s[i:])
		case p < len(pat) && pat[p] == s[i]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// wildcards is everything in a glob that is not a literal.
var wildcards = lazy.Regexp(`\*+|\?|\[[^\]]*\]|\{[^}]*\}`)

// Fill puts a text in the place of every wildcard of a glob.
func Fill(glob, with string) string { return wildcards().ReplaceAllString(glob, with) }
