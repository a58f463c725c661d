package mcp

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	jsonKeyBytes    = 64  // of a member's name; longer ones are not looked for
	jsonScalarBytes = 128 // of a number, true, false or null
	jsonDepth       = 1000
)

// jsonWalk reads a JSON text of any size in pieces and keeps nothing of it. It
// tells the values of members by their path, where elements of lists stand under
// the name of their list: "result.content.text". It is used for messages that are
// too large to be decoded, so it does not check that the text is JSON: what is
// none gives odd values and never more than it was given.
type jsonWalk struct {
	// text is given a string in pieces, unescaped; done ends it.
	text func(path string, piece []byte, done bool)
	// scalar is given a number, true, false or null.
	scalar func(path, value string)

	stack []jsonLevel
	state jsonState
	isKey bool
	key   []byte // the member's name as far as it was read
	word  []byte // a scalar, or the digits behind \u
	high  rune   // the first half of a surrogate pair
	path  string // of the value that is read
	deep  bool   // deeper than jsonDepth: nothing is told any more
}

type jsonLevel struct {
	object    bool
	expectKey bool
	name      string
}

type jsonState int

const (
	jsonBetween jsonState = iota
	jsonString
	jsonEscape
	jsonUnicode
	jsonScalar
)

// write reads the next piece.
func (w *jsonWalk) write(p []byte) {
	for len(p) > 0 && !w.deep {
		switch w.state {
		case jsonBetween:
			w.between(p[0])
			p = p[1:]
		case jsonScalar:
			if strings.IndexByte(",]} \t\r\n:", p[0]) < 0 {
				if len(w.word) < jsonScalarBytes {
					w.word = append(w.word, p[0])
				}
				p = p[1:]
				continue
			}
			w.state = jsonBetween // and look at it again
			if w.scalar != nil {
				w.scalar(w.path, string(w.word))
			}
		case jsonString:
			n := bytes.IndexAny(p, `"\`)
			if n != 0 {
				if n < 0 {
					n = len(p)
				}
				w.give(p[:n])
				p = p[n:]
				continue
			}
			if w.state = jsonEscape; p[0] == '"' {
				w.endString()
			}
			p = p[1:]
		case jsonEscape:
			w.escape(p[0])
			p = p[1:]
		case jsonUnicode:
			w.word = append(w.word, p[0])
			p = p[1:]
			if len(w.word) == 4 {
				w.unicode()
			}
		}
	}
}

func (w *jsonWalk) between(b byte) {
	top := len(w.stack) - 1
	switch b {
	case '{', '[':
		if len(w.stack) == jsonDepth {
			w.deep = true
			return
		}
		w.stack = append(w.stack, jsonLevel{object: b == '{', expectKey: b == '{', name: string(w.key)})
		w.key = w.key[:0]
	case '}', ']':
		if top >= 0 {
			w.stack = w.stack[:top]
		}
	case ',':
		if top >= 0 {
			w.stack[top].expectKey = w.stack[top].object
			w.key = w.key[:0]
		}
	case ':':
		if top >= 0 {
			w.stack[top].expectKey = false
		}
	case '"':
		w.state, w.isKey = jsonString, top >= 0 && w.stack[top].expectKey
		if w.isKey {
			w.key = w.key[:0]
		} else {
			w.path = w.here()
		}
	case ' ', '\t', '\r', '\n':
	default:
		w.state, w.word, w.path = jsonScalar, append(w.word[:0], b), w.here()
	}
}

// here is the path of the value that begins.
func (w *jsonWalk) here() string {
	if len(w.stack) > 8 {
		return "" // nothing that is looked for lies so deep
	}
	var names []string
	for _, l := range w.stack {
		if l.name != "" {
			names = append(names, l.name)
		}
	}
	if len(w.key) > 0 {
		names = append(names, string(w.key))
	}
	return strings.Join(names, ".")
}

func (w *jsonWalk) give(piece []byte) {
	if w.high != 0 { // half a pair
		w.high = 0
		w.give([]byte("\uFFFD"))
	}
	switch {
	case w.isKey:
		w.key = append(w.key, piece[:min(len(piece), jsonKeyBytes-len(w.key))]...)
	case w.text != nil:
		w.text(w.path, piece, false)
	}
}

func (w *jsonWalk) endString() {
	w.state = jsonBetween
	if w.high != 0 {
		w.give(nil)
	}
	if !w.isKey && w.text != nil {
		w.text(w.path, nil, true)
	}
}

func (w *jsonWalk) escape(b byte) {
	w.state = jsonString
	if b == 'u' {
		w.state, w.word = jsonUnicode, w.word[:0]
		return
	}
	if i := strings.IndexByte("nrtbf", b); i >= 0 {
		b = "\n\r\t\b\f"[i]
	}
	w.give([]byte{b})
}

func (w *jsonWalk) unicode() {
	w.state = jsonString
	var r rune
	for _, b := range w.word {
		r <<= 4
		switch {
		case b >= '0' && b <= '9':
			r |= rune(b - '0')
		case b >= 'a' && b <= 'f':
			r |= rune(b - 'a' + 10)
		case b >= 'A' && b <= 'F':
			r |= rune(b - 'A' + 10)
		}
	}
	if pair := utf16.DecodeRune(w.high, r); pair != utf8.RuneError {
		w.high, r = 0, pair
	}
	if utf16.IsSurrogate(r) && r < 0xDC00 {
		if w.high != 0 {
			w.give(nil)
		}
		w.high = r
		return
	}
	w.give(utf8.AppendRune(nil, r)) // the second half alone becomes U+FFFD
}
