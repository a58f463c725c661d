package textedit

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// normalization says which differences do not count.
type normalization struct {
	ends   bool // CRLF against LF
	blanks bool // spaces and tabs at the end of a line
	marks  bool // typographic punctuation and odd spaces
}

// folded is a text without the differences that do not count. What is between
// two pieces was copied as it is, so a text without differences costs nothing.
type normalized struct {
	s      string
	text   string
	pieces []piece // in order
	// cut tells that blanks were dropped at the very end of the text.
	cut bool
}

// piece is something that was folded: s[at:at+size] stands for text[from:to], as
// one.
type piece struct{ at, size, from, to int }

// fold makes the folded form of text.
func (how normalization) normalize(text string) normalized {
	if !how.applies(text) {
		return normalized{s: text, text: text}
	}
	f := normalized{text: text}
	var b strings.Builder
	b.Grow(len(text))
	for pos := 0; pos < len(text); {
		end, next := lineBounds(text, pos, how.ends)
		body := end
		if how.blanks {
			body = pos + len(strings.TrimRight(text[pos:end], " \t"))
			f.cut = body < end && next == end
		}
		if how.marks && !ascii(text[pos:body]) {
			f.foldMarks(&b, pos, body)
		} else {
			b.WriteString(text[pos:body])
		}
		if next > end {
			if body < end || next > end+1 {
				f.pieces = append(f.pieces, piece{b.Len(), 1, end, next})
			}
			b.WriteByte('\n')
		}
		pos = next
	}
	f.s = b.String()
	return f
}

func (f *normalized) foldMarks(b *strings.Builder, from, to int) {
	copied := from
	for i := from; i < to; {
		c, size := utf8.DecodeRuneInString(f.text[i:to])
		if mark, ok := marks[c]; ok {
			b.WriteString(f.text[copied:i])
			f.pieces = append(f.pieces, piece{b.Len(), len(mark), i, i + size})
			b.WriteString(mark)
			copied = i + size
		}
		i += size
	}
	b.WriteString(f.text[copied:to])
}

// applies says whether the normalization may change text at all.
func (how normalization) applies(text string) bool {
	return how.ends && strings.Contains(text, "\r\n") ||
		how.blanks && (strings.Contains(text, " \n") || strings.Contains(text, "\t\n") || strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\t")) ||
		how.marks && !ascii(text)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// before is the last piece that begins at or before byte i of s; nil for none.
func (f *normalized) before(i int) *piece {
	n := sort.Search(len(f.pieces), func(k int) bool { return f.pieces[k].at > i })
	if n == 0 {
		return nil
	}
	return &f.pieces[n-1]
}

// start is where in the text byte i of s begins, end where it ends.
func (f *normalized) start(i int) int {
	p := f.before(i)
	switch {
	case p == nil:
		return i
	case i < p.at+p.size:
		return p.from
	}
	return p.to + i - p.at - p.size
}

func (f *normalized) end(i int) int {
	p := f.before(i)
	switch {
	case p == nil:
		return i + 1
	case i < p.at+p.size:
		return p.to
	}
	return p.to + i + 1 - p.at - p.size
}

// edge tells whether byte i begins something in the text, rather than standing
// inside what one character was folded to.
func (f *normalized) edge(i int) bool {
	p := f.before(i)
	return p == nil || i == p.at || i >= p.at+p.size
}

// lineBounds gives the end of the line that starts at pos and the start of the
// next one. With ends a CR before the LF belongs to the line end.
func lineBounds(text string, pos int, ends bool) (end, next int) {
	i := strings.IndexByte(text[pos:], '\n')
	if i < 0 {
		return len(text), len(text)
	}
	end, next = pos+i, pos+i+1
	if ends && i > 0 && text[end-1] == '\r' {
		end--
	}
	return end, next
}

// marks is what typographic characters stand for.
var marks = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-",
	'…': "...", '•': "*", '·': "*",
	'\u00A0': " ", '\u2002': " ", '\u2003': " ", '\u2004': " ", '\u2005': " ", '\u2006': " ", '\u2007': " ", '\u2008': " ", '\u2009': " ", '\u200A': " ",
	'\u202F': " ", '\u205F': " ", '\u3000': " ",
	'，': ",", '：': ":", '；': ";", '（': "(", '）': ")", '！': "!", '？': "?", '。': ".",
	'\u200B': "", '\u2060': "", '\uFEFF': "",
}
