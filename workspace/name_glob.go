package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// nameGlob is a checked pattern for paths below a directory, with a short way
// for what nearly all are: "**/*.go", "**/name".
type nameGlob struct {
	pattern string
	end     string // behind "**/*" or "**/", without wildcards
	kind    globKind
}

type globKind int

const (
	globAny  globKind = iota // whatever doublestar says
	globAll                  // every path
	globEnds                 // every path that ends so
	globBase                 // every path whose last segment is this
)

func newNameGlob(pattern string) *nameGlob {
	g := &nameGlob{pattern: pattern}
	end, deep := strings.CutPrefix(pattern, "**/")
	switch {
	case pattern == "**" || deep && end == "*":
		g.kind = globAll
	case deep && end != "" && !strings.ContainsAny(end, `*?[{\/`):
		g.kind, g.end = globBase, end
	case deep && end != "" && end[0] == '*' && !strings.ContainsAny(end[1:], `*?[{\/`):
		g.kind, g.end = globEnds, end[1:]
	}
	return g
}

func (g *nameGlob) match(rel string) bool {
	switch g.kind {
	case globAll:
		return true
	case globEnds:
		return strings.HasSuffix(rel, g.end)
	case globBase:
		return strings.HasSuffix(rel, g.end) && (len(rel) == len(g.end) || rel[len(rel)-len(g.end)-1] == '/')
	}
	return doublestar.MatchUnvalidated(g.pattern, rel)
}
