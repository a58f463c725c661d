package undo

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"znkr.io/diff"

	"github.com/agent-sidecar/agent-sidecar/tool"
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

// merge undoes the changes of one path from the last to the first, and takes along
// what somebody else made of it meanwhile.
func (g *group) merge(t Tree, p *Plan) {
	at := g.places[0]
	now, data, mixed := at.now, []byte(nil), false
	for _, c := range slices.Backward(g.changes) {
		before, left := images(c)
		switch {
		case now.Same(left):
			now, data = before, nil
			continue
		case now.Same(before):
			continue
		case left.Kind == File && left.Hash == "":
			p.conflict(at.path, tool.NeverKept)
			return
		case now.Kind == Nothing:
			p.conflict(at.path, tool.DeletedSince)
			return
		case left.Kind == Nothing:
			p.conflict(at.path, tool.AppearedSince)
			return
		case now.Kind != File || left.Kind != File || before.Kind != File:
			p.conflict(at.path, tool.ChangedSince)
			return
		}
		var why tool.Reason
		if data, why = threeWay(t, at.path, data, now, left, before); why != "" {
			p.conflict(at.path, why)
			return
		}
		now, mixed = Image{Kind: File, Hash: HashOf(data), Mode: now.Mode}, true
	}
	if now.Same(at.now) {
		return
	}
	s := Step{Path: at.path, Was: at.now, Want: now, Mode: at.mode && !mixed}
	if data != nil || mixed && now.Hash == HashOf(nil) {
		s.Data = append([]byte{}, data...)
	}
	if why := s.missing(t); why != "" {
		p.conflict(at.path, why)
		return
	}
	p.Steps = append(p.Steps, s)
}

// threeWay merges: base is what the agent left, ours what is there, theirs what was
// there before the agent.
func threeWay(t Tree, path string, data []byte, now, left, before Image) (merged []byte, why tool.Reason) {
	base, err := t.Load(left.Hash)
	if err != nil {
		return nil, tool.LeftNotKept
	}
	theirs, err := t.Load(before.Hash)
	if err != nil {
		return nil, tool.NotKeptNow
	}
	if data == nil {
		if data, err = t.Read(path); err == nil && HashOf(data) != now.Hash {
			data, err = t.Load(now.Hash)
		}
		if err != nil {
			return nil, tool.ChangedSince
		}
	}
	if merged, ok := Merge(base, data, theirs); ok {
		return merged, ""
	}
	for _, text := range [][]byte{base, data, theirs} {
		if _, ok := Merge(text, text, text); !ok {
			return nil, tool.NotText
		}
	}
	return nil, tool.Overlaps
}
