package textedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
)

// place finds where each hunk belongs. problems has an error for each hunk that
// fits nowhere or in several places.
func place(f patch.File, text string) (places []placed, problems []error) {
	if len(f.Hunks)*len(text) > maxWork*8 {
		return nil, []error{errors.New("is one of too many for so large a file; split the patch")}
	}
	src := newSource(text)
	places, problems = make([]placed, len(f.Hunks)), make([]error, len(f.Hunks))
	several := map[int]candidates{}
	numbers := true // the line numbers of the patch are those of this file
	unexplained := 0
	for i, h := range f.Hunks {
		c, err := candidatesOf(h, src)
		if err == nil {
			places[i].hunk = c.hunk
			places[i].span, err = c.only(src)
		}
		if errors.Is(err, errSeveral) {
			several[i] = c
		} else if err == nil && h.Start > 0 && h.Start != src.line(places[i].start) {
			numbers = false
		}
		if errors.Is(err, errNowhere) {
			if unexplained++; unexplained <= shownProblems {
				err = errors.New("does not fit: " + missing(src, h.Side('-'), h.Side('+'), "its old lines are"))
			}
		}
		problems[i] = err
	}
	for i, c := range several {
		at, ok := c.numbered(src)
		if ok && numbers {
			places[i].span, problems[i] = at, nil
			continue
		}
		problems[i] = fmt.Errorf("fits %d places, from line %s on; add lines around it, or a line `@@ <the line that the function begins with>` above it", len(c.spans), linesOf(text, c.spans))
	}
	return places, problems
}

// candidates are the places where the old lines of a hunk stand.
type candidates struct {
	hunk  patch.Hunk
	spans []span
	equal bool // they are equal to the lines, but for their ends
}

// maxHeaders is how many lines of a file a header may be, and among how many places
// it chooses.
const maxHeaders = 100

// errSeveral is for a hunk that fits several places, as far as they are known.
var errSeveral = errors.New("fits several places")

// errNowhere is for a hunk that fits none. Why costs a look at the whole file, so
// only the first ones are told.
var errNowhere = errors.New("does not fit")

// candidatesOf tries all strategies with a hunk, and once more with its escapes undone.
func candidatesOf(h patch.Hunk, s *source) (candidates, error) {
	if old(h.Lines) == 0 {
		return appended(h, s)
	}
	variants := []patch.Hunk{h}
	if short := h.Trimmed(); len(short.Lines) < len(h.Lines) && old(short.Lines) > 0 {
		variants = append(variants, short)
	}
	c, err := s.climb(variants)
	if plain, ok := unescaped(h); ok && err == nil && c.spans == nil {
		c, err = s.climb([]patch.Hunk{plain})
	}
	return c, err
}

// climb looks for all forms of a hunk with each strategy, before it goes to the next.
func (s *source) climb(variants []patch.Hunk) (candidates, error) {
	for n, r := range strategies {
		for _, v := range variants {
			spans, err := r.find(s, v.Side('-'), v.Side('+'), true)
			if err != nil || spans != nil {
				return candidates{v, spans, n < 2}, err
			}
		}
	}
	return candidates{hunk: variants[0]}, nil
}

// appended is the place of a hunk that only adds: at the end where it says so, or
// in an empty file. A line number alone is no place.
func appended(h patch.Hunk, s *source) (candidates, error) {
	if !h.AtEnd && s.text != "" {
		return candidates{}, errors.New("only adds lines and does not say where: give it a line that stands there, with a blank in front, or `*** End of File` below it")
	}
	h.Headers = nil
	return candidates{h, []span{{start: len(s.text), end: len(s.text)}}, true}, nil
}

// only is the one place of a hunk. Of several equal ones the headers, and the end
// of the file, may tell which.
func (c candidates) only(s *source) (span, error) {
	h := c.hunk
	if len(c.spans) == 0 {
		return span{}, errNowhere
	}
	if len(c.spans) > 1 && !c.equal {
		return span{}, errSeveral
	}
	spans := c.spans
	if len(spans) > maxHeaders {
		return span{}, errSeveral
	}
	if h.AtEnd {
		spans = slices.DeleteFunc(slices.Clone(spans), func(at span) bool { return strings.TrimSpace(s.text[at.end:]) != "" })
		if len(spans) == 0 {
			return span{}, fmt.Errorf("should be at the end of the file, but its lines stand at line %s", linesOf(s.text, c.spans))
		}
	}
	if len(h.Headers) > 0 {
		var err error
		if spans, err = s.below(h.Headers, spans); err != nil {
			return span{}, err
		}
	} else if scopes, err := s.under([]string{h.Heading}); err == nil && len(spans) > 1 {
		spans = s.within(scopes, spans)
	}
	if len(spans) != 1 {
		return span{}, errSeveral
	}
	return spans[0], nil
}

// numbered is the one place that begins in the line which the hunk names. A hunk
// whose lengths are wrong was not made by a program, and its line says nothing;
// neither does the first line, which is where nobody has counted.
func (c candidates) numbered(s *source) (span, bool) {
	if !c.equal || !c.hunk.Counted || c.hunk.Start <= 1 {
		return span{}, false
	}
	for _, at := range c.spans {
		if s.line(at.start) == c.hunk.Start {
			return at, true
		}
	}
	return span{}, false
}

// line is the line, from 1, in which byte at stands.
func (s *source) line(at int) int {
	n, found := slices.BinarySearch(s.lineStarts(), at)
	if found {
		return n + 1
	}
	return n
}

// below are the spans that may be where headers say: below the last of them, and
// where that leaves several, in the block that it begins.
func (s *source) below(headers []string, spans []span) ([]span, error) {
	scopes, err := s.under(headers)
	if err != nil {
		return nil, err
	}
	var out []span
	for _, at := range spans {
		if scope, ok := s.above(scopes, at); ok && !s.leaves(scope, at) {
			out = append(out, at)
		}
	}
	switch {
	case len(out) == 0:
		return nil, fmt.Errorf("does not fit below its header %q; its lines stand at line %s", tool.CutLine(headers[len(headers)-1], 80), linesOf(s.text, spans))
	case len(out) > 1:
		out = s.within(scopes, out)
	}
	return out, nil
}

// under is every line, from 0, that is the last one of headers, each of which
// is below the one before it and, where there is one, in its block.
func (s *source) under(headers []string) (scopes []int, err error) {
	lines := s.forgiving()
	for n, header := range headers {
		var all, nested []int
		for i := range lines {
			if !isHeader(lines[i], header) {
				continue
			}
			if n > 0 && scopes[0] >= i {
				continue
			}
			if all = append(all, i); len(all) > maxHeaders {
				return nil, fmt.Errorf("has the header %q, which is too many lines of the file", tool.CutLine(header, 80))
			}
			if slices.ContainsFunc(scopes, func(scope int) bool { return scope < i && inside(lines[scope], lines[scope+1:i+1]) }) {
				nested = append(nested, i)
			}
		}
		if scopes = nested; nested == nil {
			scopes = all
		}
		if scopes == nil {
			return nil, fmt.Errorf("has the header %q, which is no line of the file", tool.CutLine(header, 80))
		}
	}
	return scopes, nil
}

// forgiving are the lines that headers are compared with.
func (s *source) forgiving() []string { return s.folded(normalization{ends: true, blanks: true}) }

// isHeader says that a line is the one that a header names, whole or from its
// beginning up to the end of a word.
func isHeader(line, header string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), header)
	if !ok || header == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(header)
	next, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !wordRune(last) || !wordRune(next)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// above is the nearest of the lines scopes that is above a span or in it. An
// outer one of the same words says less.
func (s *source) above(scopes []int, at span) (scope int, ok bool) {
	to := s.line(max(at.end-1, at.start)) - 1
	for _, scope := range slices.Backward(scopes) {
		if scope <= to {
			return scope, true
		}
	}
	return 0, false
}

// within are the spans that are in the block of one of the lines scopes, or hold
// it. Of a text without indentation, in which nothing says where a block ends, they
// are all those that are below one.
func (s *source) within(scopes []int, spans []span) []span {
	lines := s.forgiving()
	var out []span
	for _, at := range spans {
		scope, ok := s.above(scopes, at)
		from := s.line(at.start) - 1
		switch {
		case !ok:
		case scope >= from, inside(lines[scope], lines[scope+1:from+1]), flat(lines[scope:]) && !s.leaves(scope, at):
			out = append(out, at)
		}
	}
	return out
}

// leaves says that something like the line scope begins between it and a span: of
// the same indentation and the same first word, as the next function or chapter.
func (s *source) leaves(scope int, at span) bool {
	lines := s.forgiving()
	head := lines[scope]
	for i := scope + 1; i < s.line(at.start)-1; i++ {
		if indentOf(lines[i]) == indentOf(head) && firstWord(lines[i]) == firstWord(head) {
			return true
		}
	}
	return false
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func firstWord(line string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	return word
}

// flat says that the text below the first line is not indented further.
func flat(lines []string) bool {
	for _, l := range lines[1:] {
		if l != "" {
			return len(indentOf(l)) <= len(indentOf(lines[0]))
		}
	}
	return true
}

// inside says that all lines belong to the block that head begins, by their
// indentation. Brackets may be as far left as it does.
func inside(head string, lines []string) bool {
	indent := indentOf(head)
	for i, l := range lines {
		own := indentOf(l)
		body := l[len(own):]
		switch {
		case body == "", len(own) > len(indent) && strings.HasPrefix(own, indent):
		case own == indent && (strings.HasPrefix(body, ")") || strings.HasPrefix(body, "]") || body == "{"):
		case own == indent && i == len(lines)-1 && strings.HasPrefix(body, "}"): // the place is the end of the block
		default:
			return false
		}
	}
	return true
}
