package search

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// NameGlob is a checked pattern for paths below a directory, with a short way
// for what nearly all are: "**/*.go", "**/name".
type NameGlob struct {
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

// NewNameGlob takes the pattern that SplitGlob gives.
func NewNameGlob(pattern string) *NameGlob {
	g := &NameGlob{pattern: pattern}
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

// Match says that the path rel, with slashes and seen from the directory, is one of them.
func (g *NameGlob) Match(rel string) bool {
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
