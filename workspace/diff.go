package workspace

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"
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

// diffName is p as it is behind a/ and b/.
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

// textOrNote is the text of a file for a diff.
func textOrNote(data []byte) string {
	doc, err := decodeDoc(data)
	if err != nil {
		return fmt.Sprintf("(binary file, %d bytes)\n", len(data))
	}
	return doc.text
}

// pieces are the smallest edits by whole lines, shortened to what differs in
// them, that make to of from: cursors, folds and marks elsewhere stay where they
// are. No edit begins or ends inside a character or between \r and \n, where an
// editor has no position.
func pieces(from, to string) []tool.TextEdit {
	var out []tool.TextEdit
	fromAt, toAt := lineStarts(from), lineStarts(to)
	for _, h := range textdiff.Hunks(from, to, diff.Context(0)) {
		start, end := fromAt[h.LineNoX], fromAt[h.EndLineNoX]
		was, now := from[start:end], to[toAt[h.LineNoY]:toAt[h.EndLineNoY]]
		head := sameHead(was, now)
		tail := sameTail(was[head:], now[head:])
		out = append(out, tool.TextEdit{Start: start + head, End: end - tail, Text: now[head : len(now)-tail]})
	}
	return out
}

// lineStarts are the offsets at which the lines of a text begin, and its end.
func lineStarts(s string) []int {
	at := []int{0}
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			return append(at, len(s))
		}
		i += n + 1
		at = append(at, i)
	}
	return at
}

// sameHead is how many bytes two texts begin with alike.
func sameHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (splits(a, n) || splits(b, n)) {
		n--
	}
	return n
}

// sameTail is how many bytes two texts end with alike.
func sameTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (splits(a, len(a)-n) || splits(b, len(b)-n)) {
		n--
	}
	return n
}

// splits says that an offset is no place for a cursor.
func splits(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	return !utf8.RuneStart(s[at]) || s[at-1] == '\r' && s[at] == '\n'
}
