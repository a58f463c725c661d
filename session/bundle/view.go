package bundle

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEscapes is how often JSON inside JSON is unwrapped in the search for secrets.
const maxEscapes = 4

// view is a text with the escapes of JSON undone, and where each of its bytes
// is in the original: a secret that is split by escapes is whole in it.
type view struct {
	text string
	at   []int // of each byte of text, and of the end; nil: the same place
}

// place is where byte i of the view is in the original.
func (v view) place(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// unescaped undoes one layer of escapes; false where there is none.
func (v view) unescaped() (view, bool) {
	if strings.IndexByte(v.text, '\\') < 0 {
		return v, false
	}
	out, at := make([]byte, 0, len(v.text)), make([]int, 0, len(v.text)+1)
	for i := 0; i < len(v.text); {
		r, n := escape(v.text[i:])
		if n == 0 {
			out, at = append(out, v.text[i]), append(at, v.place(i))
			i++
			continue
		}
		before := len(out)
		out = utf8.AppendRune(out, r)
		for range len(out) - before {
			at = append(at, v.place(i))
		}
		i += n
	}
	return view{string(out), append(at, v.place(len(v.text)))}, len(out) < len(v.text)
}

// plainEscapes are the escapes of one letter.
var plainEscapes = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\', '/': '/'}

// escape reads the escape at the beginning of s; n is its length, 0 for none.
func escape(s string) (r rune, n int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	if r, ok := plainEscapes[s[1]]; ok {
		return r, 2
	}
	r, ok := codeUnit(s)
	if !ok {
		return 0, 0
	}
	if low, ok := codeUnit(s[6:]); ok && utf16.IsSurrogate(r) {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, 12
		}
	}
	return r, 6
}

// codeUnit reads \uXXXX.
func codeUnit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
