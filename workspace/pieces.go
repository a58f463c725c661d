package workspace

import (
	"strings"
	"unicode/utf8"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
