package workspace

import (
	"fmt"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// maxDiffLines is how many lines of a diff a model gets back; a person sees all.
const maxDiffLines = 200

// unified is the unified diff of one file with its `---` and `+++` lines, and
// where in the old file it changes something; a file that is not there has no
// places. limit 0 means all lines.
func unified(p Path, from, to string, created, deleted bool, limit int) (string, []tool.Place) {
	if from == to {
		return "(no change)\n", nil
	}
	name := diffName(p)
	old, now := "a/"+name, "b/"+name
	if created {
		old = "/dev/null"
	}
	if deleted {
		now = "/dev/null"
	}
	if crlfOnly(from) && crlfOnly(to) { // as the file is; in one with mixed line ends each shows
		from, to = strings.ReplaceAll(from, "\r\n", "\n"), strings.ReplaceAll(to, "\r\n", "\n")
	}
	body := textdiff.Unified(from, to, textdiff.IndentHeuristic())
	if limit > 0 {
		body = firstLines(body, limit)
	}
	var places []tool.Place
	if created { // nothing is there yet where a person could look
		return "--- " + old + "\n+++ " + now + "\n" + body, nil
	}
	for _, h := range textdiff.Hunks(from, to, diff.Context(0)) {
		places = append(places, tool.Place{URI: p.URI(), Start: h.LineNoX, End: h.EndLineNoX})
	}
	return "--- " + old + "\n+++ " + now + "\n" + body, places
}

// comparedFile is the two texts that unified compares.
func comparedFile(p Path, from, to string) tool.Compared {
	if crlfOnly(from) && crlfOnly(to) {
		from, to = strings.ReplaceAll(from, "\r\n", "\n"), strings.ReplaceAll(to, "\r\n", "\n")
	}
	return tool.Compared{Path: p.Display(), Before: from, After: to}
}

// movedFile is comparedFile of one that gets the path p.
func movedFile(p Path, from, to string) tool.Compared {
	c := comparedFile(p, from, to)
	c.Moved = true
	return c
}

// diffName is p as it stands behind a/ and b/.
func diffName(p Path) string { return pathname.Printable(strings.TrimPrefix(p.Display(), "/")) }

// crlfOnly says that every line of a text ends with \r\n, as far as it has lines.
func crlfOnly(s string) bool {
	return strings.Count(s, "\r\n") == strings.Count(s, "\n") && strings.Count(s, "\r") == strings.Count(s, "\r\n")
}

// firstLines keeps n lines of s and says how many more there are.
func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	if len(lines) <= n {
		return s
	}
	rest := lines[n]
	if more := strings.Count(rest, "\n"); more > 0 {
		return s[:len(s)-len(rest)] + fmt.Sprintf("… %d more lines of the diff\n", more)
	}
	return s
}

// countLines is how many lines a change adds and removes.
func countLines(from, to string) (added, removed int) {
	for _, h := range textdiff.Hunks(from, to, diff.Context(0)) {
		for _, e := range h.Edits {
			switch e.Op {
			case diff.Insert:
				added++
			case diff.Delete:
				removed++
			}
		}
	}
	return added, removed
}
