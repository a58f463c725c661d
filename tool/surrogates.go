package tool

import (
	"bytes"
	"unicode/utf16"
)

// WholeRunes is a JSON text in which no escape is half of a pair: `\ud800` alone is
// no character, and strict readers refuse everything around it. U+FFFD takes its
// place, which is as long; where nothing is wrong, raw comes back as it is.
func WholeRunes(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return raw // nearly always, and found out without looking at each escape
	}
	out := raw
	for at := 0; ; {
		n := bytes.IndexByte(raw[at:], '\\')
		if n < 0 || at+n+1 >= len(raw) {
			return out
		}
		at += n
		r := escaped(raw[at:])
		switch {
		case r < 0:
			at += 2 // another escape, also that of a backslash
		case !utf16.IsSurrogate(r):
			at += 6
		case utf16.DecodeRune(r, escaped(raw[at+6:])) != '\uFFFD':
			at += 12
		default:
			if &out[0] == &raw[0] {
				out = bytes.Clone(raw)
			}
			copy(out[at:], `\ufffd`)
			at += 6
		}
	}
}

// escaped is what an escape such as \u0041 at the start of raw means, -1 where
// there is none.
func escaped(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return -1
	}
	var r rune
	for _, b := range raw[2:6] {
		switch {
		case '0' <= b && b <= '9':
			r = r<<4 | rune(b-'0')
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}
