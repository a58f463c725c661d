package control

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// nameSet is a list of file patterns, held in lower case.
type nameSet struct {
	bases []string // one segment
	paths []string // with "/", from a segment boundary
	parts []string // one of them is in everything that any pattern matches

	listed map[string]bool // plain names of files, from public lists
	globs  []string        // names of files with wildcards, from public lists
}

func newNameSet(patterns []string, lists ...[]string) nameSet {
	n := nameSet{listed: map[string]bool{}}
	for _, list := range lists {
		for _, p := range list {
			switch p = strings.ToLower(p); {
			case strings.Contains(p, "/"):
				n.paths, n.parts = append(n.paths, p), append(n.parts, literalPart(p))
			case strings.ContainsAny(p, "*?[{"):
				n.globs = append(n.globs, p)
			default:
				n.listed[p] = true
			}
		}
	}
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

func (n nameSet) has(o object) bool {
	if !o.isFile() {
		return false
	}
	return n.hasPath(o.rest)
}

// hasPath holds every segment against the one-segment patterns, because a file
// below "credentials.d/" is as sensitive as the directory, and every suffix
// against the others. Names of public lists are names of files: a package may be
// called "kubeconfig", and is no secret. A "/" at the end says that it is a directory.
func (n nameSet) hasPath(p string) bool {
	dir := strings.HasSuffix(p, "/")
	p = strings.ToLower(path.Clean(p))
	if base := path.Base(p); !dir && (n.listed[base] || slices.ContainsFunc(n.globs, func(g string) bool { return matchesName(g, base) })) {
		return true
	}
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

// hasWhole says that a pattern means a directory with all that is in it (`.aws/**`).
func (n nameSet) hasWhole(dir string) bool {
	dir = strings.ToLower(strings.Trim(dir, "/"))
	for rest := dir; rest != ""; {
		for _, p := range n.paths {
			if top, whole := strings.CutSuffix(p, "/**"); whole && doublestar.MatchUnvalidated(top, rest) {
				return true
			}
		}
		_, next, more := strings.Cut(rest, "/")
		if !more {
			return false
		}
		rest = next
	}
	return false
}

// names says whether an allow was written with this kind of file in mind: with
// its wildcards filled in, the pattern itself is in the set, and for a sensitive
// file it holds a literal part of the base name. "vault:**" names nothing;
// "*.env.example" names what it allows; an expression never does.
func (n nameSet) names(c *compiled, o object, wantBase bool) bool {
	switch {
	case c.pattern.exact != "":
		// Answers were once stored for every folder. Nobody who said yes to one `.env`
		// meant those of all projects.
		return c.rule.Workspace != "" || !o.isVault() || c.rule.By != "always" && c.source != "always"
	case c.pattern.base != "":
		return n.hasPath(shell.Fill(c.pattern.base, "x")) && hasLiteral(c.pattern.base)
	case c.pattern.glob != "":
		filled := shell.Fill(c.pattern.glob, "x")
		return n.hasPath(filled) && (!wantBase || hasLiteral(path.Base(c.pattern.glob)))
	}
	return false
}

// matchesName is a match of one name, quick where the pattern is only an ending.
func matchesName(glob, name string) bool {
	if end := glob[1:]; glob[0] == '*' && !strings.ContainsAny(end, "*?[{") {
		return strings.HasSuffix(name, end)
	}
	return strings.HasPrefix(name, literalPrefix(glob)) && doublestar.MatchUnvalidated(glob, name)
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

// literalPrefix is what is before the first wildcard, without a "/" at its
// end: ".git/**" also means ".git" itself.
func literalPrefix(p string) string {
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		p = p[:i]
	}
	return strings.TrimSuffix(p, "/")
}

func hasLiteral(glob string) bool {
	return strings.ContainsFunc(shell.Fill(glob, ""), func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127
	})
}
