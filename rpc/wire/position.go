package wire

import (
	"strings"
	"unicode/utf8"
)

// Encoding is how a client counts characters in a line. The zero value counts
// as utf-16, which is what LSP says when nobody chose.
type Encoding string

const (
	utf16Units Encoding = "utf-16"
	utf8Units  Encoding = "utf-8"
	utf32Units Encoding = "utf-32"
)

// Negotiate picks the client's first encoding that we know.
func Negotiate(offered []string) Encoding {
	for _, o := range offered {
		switch e := Encoding(o); e {
		case utf8Units, utf16Units, utf32Units:
			return e
		}
	}
	return utf16Units
}

// Place is a place in a text as a client names it: a zero-based line, and
// characters of the negotiated encoding within it.
type Place struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// TextChange is one edit of a document. Without whole, start and end say what
// text replaces; the end is exclusive.
type TextChange struct {
	whole      bool
	start, end Place
	text       string
}

// Apply makes changes to text, each on the result of the one before it. Places
// outside the text are moved to the nearest one inside, and a range whose end
// comes first is turned around: a client's mistake must never lose a document.
func (e Encoding) Apply(text string, changes []TextChange) string {
	for _, c := range changes {
		if c.whole {
			text = c.text
			continue
		}
		start, end := e.offset(text, c.start), e.offset(text, c.end)
		if end < start {
			start, end = end, start
		}
		text = text[:start] + c.text + text[end:]
	}
	return text
}

// offset is the byte offset of p in text. A line behind the last is the end of
// the text, a character behind the line's last is the end of the line in front
// of its line break, and a place inside a character is the start of it.
func (e Encoding) offset(text string, p Place) int {
	from := 0
	for line := uint32(0); line < p.Line; line++ {
		n := lineBreak(text[from:])
		if n < 0 {
			return len(text)
		}
		from += n
		from += breakLength(text[from:])
	}
	line := text[from:]
	if n := lineBreak(line); n >= 0 {
		line = line[:n]
	}
	return from + e.bytes(line, p.Character)
}

// Between are the byte offsets of two places, the smaller first.
func (e Encoding) Between(text string, a, b Place) (start, end int) {
	start = e.offset(text, a)
	end = e.offset(text, b)
	return min(start, end), max(start, end)
}

// bytes is how many bytes of line the first units characters take.
func (e Encoding) bytes(line string, units uint32) int {
	if e == utf8Units {
		n := min(uint64(units), uint64(len(line)))
		for n > 0 && n < uint64(len(line)) && !utf8.RuneStart(line[n]) {
			n--
		}
		return int(n)
	}
	var used uint32
	for i, r := range line {
		width := e.units(r)
		if used+width > units || used >= units {
			return i
		}
		used += width
	}
	return len(line)
}

// position is the place of the byte offset in text; offsets outside are moved
// inside, and one between \r and \n is the end of the line.
func (e Encoding) position(text string, offset int) Place {
	offset = max(0, min(offset, len(text)))
	var p Place
	from := 0
	for {
		n := lineBreak(text[from:])
		if n < 0 {
			break
		}
		next := from + n + breakLength(text[from+n:])
		if next > offset {
			offset = min(offset, from+n)
			break
		}
		from = next
		p.Line++
	}
	if e == utf8Units {
		p.Character = uint32(offset - from)
		return p
	}
	for i, r := range text[from:] {
		if from+i+runeBytes(text[from+i:]) > offset {
			break
		}
		p.Character += e.units(r)
	}
	return p
}

// Places are the places of byte offsets in text, which rise. Offsets outside are
// moved inside.
func (e Encoding) Places(text string, offsets []int) []Place {
	out := make([]Place, 0, len(offsets))
	start, line := 0, uint32(0) // of the line that is looked at
	for _, offset := range offsets {
		offset = max(start, min(offset, len(text)))
		for {
			n := lineBreak(text[start:offset])
			if n < 0 {
				break
			}
			next := start + n + breakLength(text[start+n:])
			if next > offset {
				break
			}
			start, line = next, line+1
		}
		p := e.position(text[start:], offset-start)
		out = append(out, Place{line + p.Line, p.Character})
	}
	return out
}

// Lines finds many places in one text.
type Lines struct {
	in     Encoding
	text   string
	starts []int
}

// Lines prepares a text for Offset.
func (e Encoding) Lines(text string) *Lines {
	l := &Lines{in: e, text: text, starts: []int{0}}
	for from := 0; ; {
		n := lineBreak(text[from:])
		if n < 0 {
			return l
		}
		from += n + breakLength(text[from+n:])
		l.starts = append(l.starts, from)
	}
}

// Offset is the byte offset of a place; ok is false where the text has no such place.
func (l *Lines) Offset(p Place) (offset int, ok bool) {
	if int64(p.Line) >= int64(len(l.starts)) {
		return 0, false
	}
	start, end := l.starts[p.Line], len(l.text)
	if n := lineBreak(l.text[start:]); n >= 0 {
		end = start + n
	}
	line := l.text[start:end]
	n := l.in.bytes(line, p.Character)
	return start + n, uint32(l.in.Width(line[:n])) == p.Character
}

// Width is how many characters a piece of a line has for the client.
func (e Encoding) Width(piece string) int {
	if e == utf8Units {
		return len(piece)
	}
	n := 0
	for _, r := range piece {
		n += int(e.units(r))
	}
	return n
}

func (e Encoding) units(r rune) uint32 {
	if r > 0xFFFF && e != utf32Units {
		return 2
	}
	return 1
}

func runeBytes(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// lineBreak is the offset of the first line break: \n, \r\n or \r alone.
func lineBreak(s string) int { return strings.IndexAny(s, "\r\n") }

func breakLength(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	return 1
}
