package textedit

import (
	"strings"
	"unicode/utf8"
)

// folding says which differences do not count.
type folding struct {
	ends   bool // CRLF against LF
	blanks bool // spaces and tabs at the end of a line
	marks  bool // typographic punctuation and odd spaces
}

// folded is a text without the differences that do not count. Byte i of s was
// made from text[at[i]:to[i]].
type folded struct {
	s      string
	at, to []int
	// cut tells that blanks were dropped at the very end of the text.
	cut bool
}

// fold makes the folded form of text.
func (how folding) fold(text string) folded {
	var f folded
	var b strings.Builder
	b.Grow(len(text))
	f.at, f.to = make([]int, 0, len(text)), make([]int, 0, len(text))
	put := func(s string, from, to int) {
		b.WriteString(s)
		for range len(s) {
			f.at, f.to = append(f.at, from), append(f.to, to)
		}
	}
	for pos := 0; pos < len(text); {
		end, next := lineBounds(text, pos, how.ends)
		body := end
		if how.blanks {
			body = pos + len(strings.TrimRight(text[pos:end], " \t"))
			f.cut = body < end && next == end
		}
		for i := pos; i < body; {
			c, size := utf8.DecodeRuneInString(text[i:body])
			if mark, ok := marks[c]; how.marks && ok {
				put(mark, i, i+size)
			} else {
				for k := range size {
					put(text[i+k:i+k+1], i+k, i+k+1)
				}
			}
			i += size
		}
		if next > end {
			put("\n", end, next)
		}
		pos = next
	}
	f.s = b.String()
	return f
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
	'\u00A0': " ", '\u2002': " ", '\u2003': " ", '\u2007': " ", '\u2009': " ", '\u200A': " ", '\u202F': " ", '\u3000': " ",
	'，': ",", '：': ":", '；': ";", '（': "(", '）': ")", '！': "!", '？': "?", '。': ".",
	'\u200B': "", '\uFEFF': "",
}

// findFolded finds every place, overlapping ones too, where old stands in text
// when what how forgives is left out.
func findFolded(text, old string, how folding) []span {
	t, o := how.fold(text), how.fold(old)
	if o.s == "" || how.blanks && strings.TrimSpace(o.s) == "" {
		return nil
	}
	var out []span
	for from := 0; ; {
		i := strings.Index(t.s[from:], o.s)
		if i < 0 {
			return out
		}
		i += from
		j := i + len(o.s)
		from = i + 1
		if !t.edge(i) || !t.edge(j) || o.cut && j < len(t.s) && t.s[j] != '\n' {
			continue
		}
		s := span{start: t.at[i], end: t.to[j-1]}
		if !splitsCRLF(text, s.start) && !splitsCRLF(text, s.end) {
			out = append(out, s)
		}
		if len(out) > maxOverlapping {
			from = j
		}
	}
}

// maxOverlapping matches are enough to say that there are several; after them
// only those side by side are counted, so that a text which repeats itself
// costs no more than its length.
const maxOverlapping = 1000

// edge tells whether byte i begins something in the text, rather than standing
// inside what one character was folded to.
func (f folded) edge(i int) bool {
	return i == 0 || i == len(f.s) || f.at[i] != f.at[i-1]
}

func splitsCRLF(text string, at int) bool {
	return at > 0 && at < len(text) && text[at-1] == '\r' && text[at] == '\n'
}

// findLines finds every run of whole lines that equals the lines of old when
// the indentation common to each of the two is left out.
func findLines(text, old string, how folding) []span {
	ends := strings.HasSuffix(old, "\n")
	want := strings.Split(strings.TrimSuffix(how.fold(old).s, "\n"), "\n")
	have := strings.Split(how.fold(text).s, "\n")
	if strings.TrimSpace(strings.Join(want, "")) == "" || len(want) > len(have) {
		return nil
	}
	from := commonIndent(want)
	for i := range want {
		want[i] = strings.TrimPrefix(want[i], from)
	}
	probe := 0 // a line that can be compared at once
	for strings.TrimSpace(want[probe]) == "" {
		probe++
	}
	var out []span
	starts := lineStarts(text)
	for i := 0; i+len(want) <= len(have); i++ {
		if !strings.HasSuffix(have[i+probe], strings.TrimLeft(want[probe], " \t")) {
			continue
		}
		window := have[i : i+len(want)]
		indent := commonIndent(window)
		if !equalBut(window, indent, want) {
			continue
		}
		last := i + len(want) - 1
		end, next := lineBounds(text, starts[last], true)
		if ends {
			end = next
		}
		out = append(out, span{start: starts[i], end: end, indent: indent, dedented: true})
		if len(out) > maxOverlapping {
			i = last
		}
	}
	return out
}

func equalBut(window []string, indent string, want []string) bool {
	for i, line := range window {
		if strings.TrimPrefix(line, indent) != want[i] {
			return false
		}
	}
	return true
}

// commonIndent is the blanks that all lines begin with; blank lines do not
// count.
func commonIndent(lines []string) string {
	indent, first := "", true
	for _, l := range lines {
		body := strings.TrimLeft(l, " \t")
		if body == "" {
			continue
		}
		own := l[:len(l)-len(body)]
		if first {
			indent, first = own, false
			continue
		}
		indent = sharedPrefix(indent, own)
	}
	return indent
}

func sharedPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// lineStarts is where each line of text begins; one after a final line end too.
func lineStarts(text string) []int {
	out := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}
