package search

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Matcher finds the lines of a text that match a pattern. Most patterns cannot
// match without some literal text; that is looked for first, which is many
// times faster than the regular expression alone.
type Matcher struct {
	re *regexp.Regexp
	// needles: every match contains at least one. Empty: not known.
	needles []needle
	whole   bool // the only needle is the whole pattern
	// run is looked for where there are no needles.
	run classRun
	// WantsLineEnd: nothing without a line end in it can match.
	WantsLineEnd bool
}

const (
	maxLiterals = 16
	maxPattern  = 4096      // bytes of a pattern
	checkEvery  = 256 << 10 // bytes between two looks at the context
)

// NewMatcher compiles a pattern (RE2). literal takes it as plain text.
func NewMatcher(pattern string, literal, ignoreCase bool) (*Matcher, error) {
	if pattern == "" {
		return nil, fmt.Errorf("is empty")
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("is longer than %d bytes", maxPattern)
	}
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("is not a valid regular expression: %w", err)
	}
	m := &Matcher{re: re}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return m, nil
	}
	tree = tree.Simplify()
	m.WantsLineEnd = needsLineEnd(tree)
	need, ok := required(tree)
	if !ok {
		m.run = requiredRun(tree)
		return m, nil
	}
	for _, l := range need {
		n, ok := newNeedle(l.text, l.fold)
		if !ok {
			m.needles, m.run = nil, requiredRun(tree)
			return m, nil
		}
		m.needles = append(m.needles, n)
	}
	m.whole = tree.Op == syntax.OpLiteral && len(m.needles[0].text) == len(need[0].text)
	return m, nil
}

// needsLineEnd tells a pattern that can match only across lines.
func needsLineEnd(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n'
	case syntax.OpCapture, syntax.OpPlus:
		return needsLineEnd(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min > 0 && needsLineEnd(re.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, needsLineEnd)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !needsLineEnd(sub) })
	}
	return false
}

// needed is a text that a match must contain, in any case if fold is set.
type needed struct {
	text string
	fold bool
}

// required finds texts of which every match of re contains at least one.
func required(re *syntax.Regexp) ([]needed, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		// A replacement character in a pattern also matches broken UTF-8.
		if text == "" || strings.ContainsRune(text, utf8.RuneError) {
			return nil, false
		}
		return []needed{{text, re.Flags&syntax.FoldCase != 0}}, true
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needed
		for _, sub := range re.Sub {
			if got, ok := required(sub); ok && weight(got) > weight(best) {
				best = got
			}
		}
		return best, best != nil
	case syntax.OpAlternate:
		var all []needed
		for _, sub := range re.Sub {
			got, ok := required(sub)
			if !ok {
				return nil, false
			}
			all = append(all, got...)
		}
		return all, len(all) <= maxLiterals
	}
	return nil, false
}

// weight says how rare a set of texts is likely to be: the length of the
// shortest, less when there are many.
func weight(set []needed) int {
	if len(set) == 0 {
		return 0
	}
	w := 1 << 20
	for _, n := range set {
		w = min(w, len(n.text)*4)
	}
	return max(w-len(set), 1)
}

// Line is a line that matches: data[Start:End] without its line end, the match
// in it, and its number from 1.
type Line struct {
	Start, End         int
	MatchFrom, MatchTo int
	No                 int
}

// Each calls visit for every matching line in order until it returns false, or
// ctx ends.
// numbered says that the numbers of lines are wanted.
func (m *Matcher) Each(ctx context.Context, data []byte, numbered bool, visit func(Line) bool) {
	var few [4]place
	places := few[:0]
	for range m.needles {
		places = append(places, place{-1, -1, -1, -1})
	}
	l := Line{No: 1}
	counted := 0       // up to where line ends were counted
	next := checkEvery // where ctx is looked at again
	for pos := 0; pos < len(data); {
		if pos >= next {
			if next = pos + checkEvery; ctx.Err() != nil {
				return
			}
		}
		at, end := pos, 0
		if len(m.needles) > 0 {
			at, end = m.seek(data, pos, places)
		} else if m.run.n > 0 {
			at = m.run.seek(data, pos)
		}
		if at == len(data) {
			return
		}
		l.Start = pos + 1 + bytes.LastIndexByte(data[pos:at], '\n')
		after := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			after = at + i + 1
		}
		l.End = after
		if data[l.End-1] == '\n' {
			l.End--
		}
		if l.End > l.Start && data[l.End-1] == '\r' {
			l.End--
		}
		pos = after
		if m.whole {
			l.MatchFrom, l.MatchTo = at, end
			if l.MatchTo > l.End {
				continue // the pattern contains a line end
			}
		} else {
			loc := m.re.FindIndex(data[l.Start:l.End])
			if loc == nil {
				continue
			}
			l.MatchFrom, l.MatchTo = l.Start+loc[0], l.Start+loc[1]
		}
		if numbered {
			l.No += bytes.Count(data[counted:l.Start], newline)
			counted = l.Start
		}
		if !visit(l) {
			return
		}
	}
}

var newline = []byte{'\n'}

// seek is the first place at or after pos where a needle stands, len(data) for
// none. places remembers where each was found last.
func (m *Matcher) seek(data []byte, pos int, places []place) (start, end int) {
	start, end = len(data), len(data)
	for i := range places {
		p := &places[i]
		if p.start < pos {
			m.needles[i].seek(data, pos, p)
		}
		if p.start < start {
			start, end = p.start, p.end
		}
	}
	return start, end
}
