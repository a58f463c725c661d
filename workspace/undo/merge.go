package undo

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"znkr.io/diff"
)

// Merge applies what leads from base to theirs to ours, line by line. ok is false
// where both sides changed the same lines, or lines that touch, in different ways,
// and for what is not text: then nothing is merged at all.
func Merge(base, ours, theirs []byte) (merged []byte, ok bool) {
	for _, text := range [][]byte{base, ours, theirs} {
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return nil, false
		}
	}
	lines := splitLines(base)
	a, b := replacements(lines, splitLines(ours)), replacements(lines, splitLines(theirs))
	at := 0 // how much of base is in merged
	for len(a) > 0 || len(b) > 0 {
		var next replacement
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].end < b[0].start:
			next, a = a[0], a[1:]
		case len(a) == 0 || b[0].end < a[0].start:
			next, b = b[0], b[1:]
		case a[0].equal(b[0]):
			next, a, b = a[0], a[1:], b[1:]
		default:
			return nil, false
		}
		merged = append(merged, concat(lines[at:next.start])...)
		merged = append(merged, concat(next.by)...)
		at = next.end
	}
	return append(merged, concat(lines[at:])...), true
}

// replacement says that the lines start to end of the base, end exclusive, are
// others on one side.
type replacement struct {
	start, end int
	by         []string
}

func (r replacement) equal(o replacement) bool {
	return r.start == o.start && r.end == o.end && slices.Equal(r.by, o.by)
}

// replacements are what one side changed, in order.
func replacements(base, side []string) []replacement {
	var out []replacement
	for _, h := range diff.Hunks(base, side, diff.Context(0)) {
		r := replacement{start: h.PosX, end: h.EndX}
		for _, e := range h.Edits {
			if e.Op == diff.Insert {
				r.by = append(r.by, e.Y)
			}
		}
		out = append(out, r)
	}
	return out
}

func splitLines(text []byte) []string {
	var out []string
	for line := range bytes.Lines(text) {
		out = append(out, string(line))
	}
	return out
}

func concat(lines []string) []byte {
	var out []byte
	for _, l := range lines {
		out = append(out, l...)
	}
	return out
}
