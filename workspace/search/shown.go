package search

import "unicode/utf8"

// Range is a part of a text, in bytes.
type Range struct{ From, To int }

// Stretch is a part of a text that somebody else must know of, such as a secret. What
// Kind, Part and Text say is theirs alone.
type Stretch struct {
	From, To int // bytes of the file's text, or of the answer
	Kind     string
	Part     bool
	Text     string // of one that is not shown
	Rel      string // the file
}

// Look finds what is to be marked in the text of a file of which some ranges are
// shown. It is called from several goroutines.
type Look func(rel string, data []byte, shown []Range) []Stretch

// shownLine is a line of an answer.
type shownLine struct {
	head     string // the number
	text     string
	from, to int // what of the file's text it shows
	lead     int // bytes in front of that in text
	marked   []Stretch
}

// newShownLine shows the line of data from from to end, whose match is at
// matchFrom to matchTo in it.
func newShownLine(head string, data []byte, from, end, matchFrom, matchTo int) shownLine {
	start, stop := window(data[from:end], matchFrom, matchTo)
	l := shownLine{head: head, text: Readable(data[from+start : from+stop]), from: from + start, to: from + stop}
	if start > 0 {
		l.text, l.lead = "…"+l.text, len("…")
	}
	if from+stop < end {
		l.text += "…"
	}
	return l
}

// mark looks through the text of a file and marks what is shown of it.
func (f *fileHits) mark(look Look, data []byte) {
	var shown []Range
	for _, l := range f.lines {
		if l.head != "" {
			shown = append(shown, Range{l.from, l.to})
		}
	}
	if shown == nil {
		return
	}
	for _, s := range look(f.rel, data, shown) {
		if s.Rel = f.rel; s.Text != "" {
			f.elsewhere = append(f.elsewhere, s)
			continue
		}
		for i := range f.lines {
			l := &f.lines[i]
			from, to := max(s.From, l.from), min(s.To, l.to)
			if l.head == "" || from >= to {
				continue
			}
			m := s
			m.From = l.lead + len(Readable(data[l.from:from]))
			m.To = m.From + len(Readable(data[from:to]))
			m.Part = s.Part || from > s.From || to < s.To
			l.marked = append(l.marked, m)
		}
	}
}

// window is what is shown of a line: at most lineChars characters, with the match in
// the middle.
func window(text []byte, from, to int) (start, end int) {
	if len(text) <= lineChars || utf8.RuneCount(text) <= lineChars {
		return 0, len(text)
	}
	to = min(to, from+lineChars)
	room := lineChars - utf8.RuneCount(text[from:to])
	start, end = from, to
	for left := room / 2; left > 0 && start > 0; left-- {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
		room--
	}
	for ; room > 0 && end < len(text); room-- {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	for ; room > 0 && start > 0; room-- {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	return start, end
}
