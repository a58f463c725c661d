package textedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
)

// Apply gives the text of a file behind the hunks of an update. Every hunk is
// looked for in the text as it was, with the strategies of an edit, but as
// whole lines. It must fit exactly one place: `@@` headers and line numbers choose
// between places that are equal, and never make one fit. Nothing is applied unless
// all is; the error says of each hunk that does not fit why.
func Apply(f patch.File, text string) (string, error) {
	if err := Placeholder(text, added(f)); err != nil {
		return "", err
	}
	places, problems := place(f, text)
	if err := tell(f, problems); err != nil {
		return "", err
	}
	var edits []splice
	for i := range f.Hunks {
		edits = append(edits, places[i].splice(text, i))
	}
	slices.SortStableFunc(edits, func(a, b splice) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var b strings.Builder
	at := 0
	for i, e := range edits {
		if e.start < at {
			return "", fmt.Errorf("hunks %d and %d change the same lines; make one of them", edits[i-1].hunk+1, e.hunk+1)
		}
		b.WriteString(text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return finish(f, text, b.String()), nil
}

// Removes says whether text is what a Delete with hunks says that the file holds;
// differences in line ends and trailing blanks do not count.
func Removes(f patch.File, text string) bool {
	if len(f.Hunks) == 0 {
		return true
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		b.WriteString(h.Trimmed().Side('-'))
	}
	how := normalization{ends: true, blanks: true}
	return strings.TrimRight(how.normalize(text).s, "\n") == strings.TrimRight(how.normalize(b.String()).s, "\n")
}

func added(f patch.File) string {
	var b strings.Builder
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' {
				b.WriteString(l.Text + "\n")
			}
		}
	}
	return b.String()
}

// finish keeps the final line end, unless the patch has a marker about it.
func finish(f patch.File, before, after string) string {
	for _, h := range f.Hunks {
		switch {
		case h.NewEnd:
			return strings.TrimSuffix(strings.TrimSuffix(after, "\n"), "\r")
		case h.OldEnd && after != "" && !strings.HasSuffix(after, "\n"):
			return after + LineEnd(before)
		}
	}
	return keepFinalEnd(before, after)
}

// splice is one replacement in a text.
type splice struct {
	start, end int
	text       string
	hunk       int
}

// placed is a hunk in its place.
type placed struct {
	span
	hunk patch.Hunk // as it matched: without empty lines at its end, or escapes undone
}

// splice makes the change of a hunk. Lines that stay keep every byte of their own, and
// those at its beginning and end are no part of the change.
func (p placed) splice(text string, n int) splice {
	lines := p.hunk.Lines
	have := strings.SplitAfter(text[p.start:p.end], "\n")
	out := splice{start: p.start, end: p.end, hunk: n}
	for len(lines) > 0 && lines[0].Kind == ' ' {
		out.start, have, lines = out.start+len(have[0]), have[1:], lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1].Kind == ' ' {
		last := old(lines) - 1
		out.end -= len(have[last])
		have, lines = have[:last], lines[:len(lines)-1]
	}
	eol := LineEnd(text)
	if place := text[p.start:p.end]; strings.Contains(place, "\n") {
		eol = LineEnd(place)
	}
	from := commonIndent(p.hunk.OldLines())
	var b strings.Builder
	if out.start > 0 && text[out.start-1] != '\n' { // behind the last line, which has no end
		b.WriteString(eol)
	}
	comes := false // what was written last
	for _, l := range lines {
		switch l.Kind {
		case ' ':
			b.WriteString(withEnd(have[0], eol))
			have, comes = have[1:], false
		case '-':
			have = have[1:]
		case '+':
			comes = true
			b.WriteString(reindent(strings.TrimSuffix(l.Text, "\r"), from, p.span) + eol)
		}
	}
	out.text = b.String()
	if comes && text != "" && out.end == len(text) && !strings.HasSuffix(text, "\n") { // the file goes on without a final line end
		out.text = strings.TrimSuffix(out.text, eol)
	}
	return out
}

func withEnd(line, eol string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + eol
}

// old is how many of lines are in the file.
func old(lines []patch.Line) int {
	n := 0
	for _, l := range lines {
		if l.Kind != '+' {
			n++
		}
	}
	return n
}

// unescaped is the hunk with one layer of escapes undone; false where that is
// nothing, or would make other lines of it.
func unescaped(h patch.Hunk) (patch.Hunk, bool) {
	out, changed := slices.Clone(h.Lines), false
	for i, l := range out {
		out[i].Text = unescape(l.Text)
		changed = changed || out[i].Text != l.Text
		if strings.Contains(out[i].Text, "\n") {
			return h, false
		}
	}
	h.Lines = out
	return h, changed
}

// shownProblems is of how many hunks it is said why they do not fit.
const shownProblems = 3

// tell makes one error of what is wrong with some hunks.
func tell(f patch.File, problems []error) error {
	var lines []string
	for i, err := range problems {
		switch {
		case err == nil:
			continue
		case len(lines) == shownProblems:
			lines = append(lines, "and more hunks do not fit")
			return errors.New(strings.Join(lines, "\n"))
		}
		lines = append(lines, fmt.Sprintf("hunk %d (line %d of the patch) %v", i+1, f.Hunks[i].Line, err))
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}
