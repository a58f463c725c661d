package control

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Title makes any text fit to be shown to a person on one line: titles, code
// actions, terminals. Line breaks and tabs become visible marks, control,
// bidirectional and other invisible characters their code in brackets, so that
// what is shown is what is there. Over max runes the text is cut and ends with
// "…"; max < 1 means no limit.
func Title(s string, max int) string {
	var b strings.Builder
	n := 0
	for rest := s; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		piece := visible(r, rest[:size])
		width := utf8.RuneCountInString(piece)
		last := size == len(rest)
		if max > 0 && (n+width > max || n+width == max && !last) {
			b.WriteString("…")
			break
		}
		b.WriteString(piece)
		n += width
		rest = rest[size:]
	}
	return b.String()
}

// Lines makes a text of several lines fit to be shown to a person: each line as
// Title shows it, tabs and line breaks as they are. What ends a line with a
// carriage return says so.
func Lines(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && (hidden(r) || r == utf8.RuneError) }) {
		return s
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(visible(r, rest[:size]))
		}
		rest = rest[size:]
	}
	return b.String()
}

func visible(r rune, raw string) string {
	switch {
	case r == '\n':
		return "⏎"
	case r == '\t':
		return "⇥"
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf("<%02X>", raw[0])
	case hidden(r):
		return fmt.Sprintf("<U+%04X>", r)
	}
	return raw
}

// hidden says that a reader cannot see the rune, or that it changes where the
// others stand.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < 0x20
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == 0x2028 || r == 0x2029 ||
		r == 0x2800 || // a blank of Braille
		r >= 0xE0000 && r <= 0xE0FFF // tags
}
