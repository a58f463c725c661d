// Package textedit finds in a text what an edit or a hunk of a patch means and puts
// the new text there. It is pure: it knows no file.
package textedit

import (
	"errors"
	"fmt"
	"strings"

	"znkr.io/diff"
)

// span is a piece of the file that matched: text[start:end].
type span struct {
	start, end int
	indent     string // level 4: what the lines of the file have in front
	dedented   bool
	units      *units // level 5: how its indentation is counted
}

// strategy is one way to look for the old text; they are tried in order. Each
// forgives one thing that those before it do not; there is no similarity and no
// threshold.
type strategy struct {
	name string
	how  normalization
	// lines compares whole lines without their common indentation, or with units
	// in other units of it.
	lines, units bool
}

var strategies = []strategy{
	{name: "exact"},
	{name: "line ends", how: normalization{ends: true}},
	{name: "trailing blanks", how: normalization{ends: true, blanks: true}},
	{name: "indentation", how: normalization{ends: true, blanks: true}, lines: true},
	{name: "units of indentation", how: normalization{ends: true, blanks: true}, lines: true, units: true},
	{name: "punctuation", how: normalization{ends: true, blanks: true, marks: true}},
	{name: "punctuation and indentation", how: normalization{ends: true, blanks: true, marks: true}, lines: true},
}

// Substitute replaces old by new in text. The first strategy with a match decides:
// exactly one match is replaced, several are an error that lists their lines,
// unless all is set. When none matches, all are tried once more
// with the escapes of old and new undone, as models escape once too often.
func Substitute(text, old, new string, all bool) (string, error) {
	switch {
	case old == "":
		return "", errors.New("the old text is empty; to replace a whole file use write")
	case old == new:
		return "", errors.New("the old and the new text are the same")
	}
	if err := Placeholder(text, new); err != nil {
		return "", err
	}
	m, err := locate(text, old, new, all)
	if err != nil {
		return "", err
	}
	return keepFinalEnd(text, m.replace(text)), nil
}

// match is with which strategy, and where, an edit was found.
type match struct {
	strategy strategy
	spans    []span
	old, new string // as they matched
}

// locate finds the places of an edit: one, or with all at least one.
func locate(text, old, new string, all bool) (match, error) {
	src := newSource(text)
	m, err := climb(src, old, new, all)
	if err == nil && m.spans == nil {
		if o := unescape(old); o != old {
			m, err = climb(src, o, unescape(new), all)
		}
	}
	switch {
	case err != nil:
		return match{}, err
	case m.spans == nil:
		return match{}, errors.New(missing(src, old, new, "the old text is"))
	}
	return m, nil
}

func climb(s *source, old, new string, all bool) (match, error) {
	for _, r := range strategies {
		spans, err := r.find(s, old, new, false)
		switch {
		case err != nil:
			return match{}, err
		case len(spans) == 0:
			continue
		case len(spans) > 1 && !all:
			return match{}, severalMatches(s.text, spans)
		}
		return match{r, spans, old, new}, nil
	}
	return match{}, nil
}

// replace puts new at every span; of overlapping spans the first one wins.
func (m match) replace(text string) string {
	var b strings.Builder
	at := 0
	eol := LineEnd(text)
	for _, s := range m.spans {
		if s.start < at {
			continue
		}
		b.WriteString(text[at:s.start])
		b.WriteString(m.fit(text, eol, s))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// fit gives new the line ends of the place where it goes, and on the forgiving
// rungs its indentation; lines that new has in common with old stay as the file
// has them, so that what was forgiven is not changed by the way.
func (m match) fit(text, eol string, s span) string {
	place, old, new := text[s.start:s.end], m.old, m.new
	if m.strategy.lines && strings.HasSuffix(old, "\n") && !strings.HasSuffix(place, "\n") { // the last line, which has no end
		old, new = strings.TrimSuffix(unixEnds(old), "\n"), strings.TrimSuffix(unixEnds(new), "\n")
	}
	if m.strategy.how.blanks {
		new = merge(unixEnds(old), unixEnds(new), unixEnds(place), s)
	}
	if !strings.Contains(text, "\n") {
		return new
	}
	if strings.Contains(place, "\n") {
		eol = LineEnd(place)
	}
	return WithLineEnd(new, eol)
}

func merge(old, new, place string, s span) string {
	oldLines, newLines, placeLines := strings.Split(old, "\n"), strings.Split(new, "\n"), strings.Split(place, "\n")
	from := commonIndent(oldLines)
	var out []string
	if len(oldLines) != len(placeLines) {
		for _, l := range newLines {
			out = append(out, reindent(l, from, s))
		}
		return strings.Join(out, "\n")
	}
	for _, e := range diff.Edits(oldLines, newLines) {
		switch e.Op {
		case diff.Match:
			out = append(out, placeLines[0])
			placeLines = placeLines[1:]
		case diff.Delete:
			placeLines = placeLines[1:]
		case diff.Insert:
			out = append(out, reindent(e.Y, from, s))
		}
	}
	return strings.Join(out, "\n")
}

// reindent moves a new line from the indentation of the old text to that of the
// file.
func reindent(line, from string, s span) string {
	if s.units != nil {
		line, _ = s.units.reindent(line) // it was found only because all lines can be
		return line
	}
	if !s.dedented || strings.TrimSpace(line) == "" {
		return line
	}
	return s.indent + line[len(sharedPrefix(line, from)):]
}

// keepFinalEnd puts back the line end at the end of the file.
func keepFinalEnd(before, after string) string {
	if strings.HasSuffix(before, "\n") && after != "" && !strings.HasSuffix(after, "\n") {
		return after + LineEnd(before)
	}
	return after
}

func severalMatches(text string, spans []span) error {
	return fmt.Errorf("the old text matches %d places; add lines around it to name one, or set replaceAll. Matches begin at line %s", len(spans), linesOf(text, spans))
}

// linesOf lists the lines in which spans begin.
func linesOf(text string, spans []span) string {
	const shown = 20
	var b strings.Builder
	line, at := 1, 0
	for i, s := range spans {
		if i == shown {
			fmt.Fprintf(&b, " and %d more", len(spans)-shown)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		line, at = line+strings.Count(text[at:s.start], "\n"), s.start
		fmt.Fprintf(&b, "%d", line)
	}
	return b.String()
}

// unescape undoes one layer of `\n`, `\t`, `\r`, `\"`, `\'`, “\` “ and `\\`.
var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, `'`, "\\`", "`")

func unescape(s string) string { return unescaper.Replace(s) }

func unixEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
