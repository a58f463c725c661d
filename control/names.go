package control

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// harmlessDotNames are the names with a dot in front that may be edited like any other:
// they only say what tools pass over, or how text is laid out.
var harmlessDotNames = []string{".gitignore", ".gitkeep", ".dockerignore", ".editorconfig", ".prettierignore", ".eslintignore", ".npmignore"}

// hasDotName says that the name of a file, or of a folder that it is in, begins with a
// dot. Programs look for such names by themselves, and no list knows all of them.
func hasDotName(p string) bool {
	p = strings.Trim(path.Clean("/"+p), "/")
	dir, base := path.Split(p)
	if strings.HasPrefix(base, ".") && !slices.Contains(harmlessDotNames, base) {
		return true
	}
	return strings.HasPrefix(dir, ".") || strings.Contains(dir, "/.")
}

// guardedEdit says whether an edit of the object asks unless a rule names it. Of a
// command, but for what its text itself writes to, only listed names do: `rm -rf .cache` and what builds make are everyday, and a
// command is asked about or confined as a whole.
func (p *policy) guardedEdit(plan *tool.Plan, o object) bool {
	return p.listed(protectedSet, o) || (plan.Command == "" || o.direct) && o.isFile() && hasDotName(o.rest) && !p.built(o)
}

// Ignores is what a Resolver may also be able to do: say whether an object is below a
// directory that git ignores.
type Ignores interface{ Ignored(object string) bool }

// built says that the object is among what builds and package managers make: there dot
// names are everyday, and what is in them was never read by anybody. Listed names count
// there like everywhere.
func (p *policy) built(o object) bool {
	i, ok := p.f.Resolver.(Ignores)
	return ok && o.isVault() && i.Ignored(o.full)
}

// listed says whether a set has the object. A directory that only has the name of a file
// of the lists is none of them.
func (p *policy) listed(n nameSet, o object) bool {
	if !n.has(o) || n.hasPath(o.rest+"/") {
		return n.has(o)
	}
	d, ok := p.f.Resolver.(Directories)
	return !ok || !d.Directory(o.full)
}

// namesEdit says whether an allow was written with such an edit in mind.
func namesEdit(c *compiled, o object) bool {
	if protectedSet.has(o) {
		return protectedSet.names(c, o, false)
	}
	switch {
	case c.pattern.exact != "":
		return protectedSet.names(c, o, false)
	case c.pattern.base != "":
		return hasDotName(shell.Fill(c.pattern.base, "x"))
	}
	return c.pattern.glob != "" && hasDotName(shell.Fill(c.pattern.glob, "x"))
}

// matchesName is a match of one name, quick where the pattern is only an ending.
func matchesName(glob, name string) bool {
	if end := glob[1:]; glob[0] == '*' && !strings.ContainsAny(end, "*?[{") {
		return strings.HasSuffix(name, end)
	}
	return strings.HasPrefix(name, literalPrefix(glob)) && doublestar.MatchUnvalidated(glob, name)
}

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

func hasLiteral(glob string) bool {
	return strings.ContainsFunc(shell.Fill(glob, ""), func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127
	})
}
