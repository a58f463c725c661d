package explore

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// quote is what a report says is at a place.
type quote struct {
	parts []string // in order; between them something was left out
	lines int      // that it spans
}

// quotation matches quoted words behind a citation.
var quotation = lazy.Regexp("^[\\s:,(|=>→–—-]*(?:``(.+?)``|`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|«([^»]+)»)")

// quotes matches the beginning of quoted words.
var quotes = lazy.Regexp("^[\\s:,(|=>→–—-]*[`\"“«]")

// mostQuoted bounds a quotation within a line, in bytes; a longer one does not hold.
const mostQuoted = 4 << 10

// quoteBehind finds the words that are quoted behind a citation, and where they
// end in the line. end is the citation's own end, before what closes it. In a code
// span the rest of the span is quoted; in a block of code, what follows the colon.
func quoteBehind(line string, end int, c *citation, inSpan, listing bool) (*quote, int) {
	rest := line[end:min(len(line), end+mostQuoted)]
	switch {
	case inSpan && !strings.HasPrefix(rest, "`"):
		words, _, closed := strings.Cut(rest, "`")
		words = strings.TrimLeft(words, " \t:-—–")
		if !closed || !strings.ContainsFunc(words, wordy) || isPlace(words) || place().MatchString(words) {
			return nil, 0
		}
		return quoteOf(words, c), end + strings.IndexByte(rest, '`') + 1
	case listing:
		if words, ok := strings.CutPrefix(rest, ":"); ok && strings.TrimSpace(words) != "" {
			return quoteOf(words, c), len(line)
		}
		return nil, 0
	}
	behind := line[c.end:min(len(line), c.end+mostQuoted)]
	m := quotation().FindStringSubmatch(behind)
	switch {
	case m == nil && len(behind) == mostQuoted && quotes().MatchString(behind):
		return &quote{}, 0 // too long to be found anywhere
	case m == nil:
		return nil, 0
	}
	words := strings.Join(m[1:], "")
	if isPlace(words) {
		return nil, 0
	}
	return quoteOf(words, c), c.end + len(m[0])
}

// isPlace says that quoted words are the next citation.
func isPlace(words string) bool {
	m := place().FindStringIndex(words)
	return m != nil && m[0] > 0 && m[1] == len(words) && !strings.Contains(words[:m[0]], "(")
}

// wordy says that r says something: an ellipsis alone quotes nothing.
func wordy(r rune) bool { return r != '.' && r != '…' && r != ' ' }

func quoteOf(words string, c *citation) *quote {
	words = strings.ReplaceAll(words, `\|`, "|") // in a table
	q := &quote{lines: 1}
	for part := range strings.SplitSeq(strings.ReplaceAll(words, "…", "\x00"), "\x00") {
		if part = folded(part); strings.ContainsFunc(part, wordy) {
			q.parts = append(q.parts, part)
		}
	}
	if len(q.parts) == 0 {
		return nil
	}
	return q
}

// endsLine says that nothing is said behind a citation.
func endsLine(rest string) bool { return strings.Trim(rest, " \t\r\n:.,*)") == "" }

// drawings are kinds of blocks that are not what is in a file.
var drawings = map[string]bool{"mermaid": true, "text": true, "diff": true, "console": true, "dot": true}

// quotedBlock is the block of code that lines begin with, and how many of them it
// takes: right behind a citation, it is what is there.
func quotedBlock(lines []string) (n int, q *quote) {
	if len(lines) == 0 {
		return 0, nil
	}
	fence := fenceOf(lines[0])
	if fence == "" || drawings[strings.TrimLeft(strings.TrimSpace(lines[0]), "`~")] {
		return 0, nil
	}
	q = &quote{}
	var part strings.Builder
	end := func() {
		if words := folded(part.String()); strings.ContainsFunc(words, wordy) {
			q.parts = append(q.parts, words)
		}
		part.Reset()
	}
	numbered := true
	for _, line := range lines[1:] {
		numbered = numbered && (strings.TrimSpace(line) == "" || closesFence(line, fence) || lineNumber().MatchString(line))
		if closesFence(line, fence) {
			break
		}
	}
	n = 1
	for _, line := range lines[1:] {
		n++
		if closesFence(line, fence) {
			break
		}
		q.lines++
		if numbered {
			line = lineNumber().ReplaceAllString(line, "")
		}
		if strings.Trim(line, " \t\r\n/#*-;.…") == "" && strings.ContainsAny(line, ".…") {
			end()
			continue
		}
		part.WriteString(line)
	}
	end()
	if len(q.parts) == 0 {
		return 0, nil
	}
	return n, q
}

// lineNumber is what read and grep put in front of a line.
var lineNumber = lazy.Regexp(`^\s*[0-9]+\s*[:|→\t] ?`)

// fenceOf is the run of backquotes or tildes with which a line opens a block.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return line[:n]
		}
	}
	return ""
}

func closesFence(line, fence string) bool {
	line = strings.Trim(line, " \t>\r\n")
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// foundIn says whether the words are in text, their parts in order. What is
// three dots in code may also stand for what was left out.
func (q *quote) foundIn(text string) bool {
	return inOrder(text, q.parts) || inOrder(text, q.loosened())
}

func inOrder(text string, parts []string) bool {
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, p)
		if !ok {
			return false
		}
		text = rest
	}
	return len(parts) > 0
}

// loosened are the parts cut at three dots, without the number that read puts in
// front of a line.
func (q *quote) loosened() (parts []string) {
	for i, p := range q.parts {
		if i == 0 {
			p = lineNumber().ReplaceAllString(p, "")
		}
		for piece := range strings.SplitSeq(p, "...") {
			if piece = strings.TrimSpace(piece); strings.ContainsFunc(piece, wordy) {
				parts = append(parts, piece)
			}
		}
	}
	return parts
}

// folded is text with its blanks run together: how it was indented says nothing
// about whether it is there.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }
