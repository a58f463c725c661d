package tool

import (
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is a piece of arguments as it was written, with its members in their order.
// Its kind is the first byte of its JSON, and 't' of both booleans.
type value struct {
	kind   byte
	text   string // of a string what it says, of a number, boolean or null its JSON
	names  []string
	values []value // of the names, or the elements of an array
}

// member is the value of a name, nil where there is none.
func (v *value) member(name string) *value {
	for i, n := range v.names {
		if n == name {
			return &v.values[i]
		}
	}
	return nil
}

// form is a set of ways in which a text is not JSON and yet has one meaning.
type form int

const (
	fenced form = 1 << iota
	wrapped
	spareComma
	pythonic
	rawControl
	oddEscape
)

// benign forms leave no doubt whatever the text is about.
const benign = fenced | wrapped | spareComma

// formWords say what a form is, and what JSON has in its place.
var formWords = []struct {
	form          form
	wrong, better string
}{
	{fenced, "an object in a code fence", "it without the fence"},
	{wrapped, "an object in a string", "the object itself"},
	{pythonic, "a Python dict", "true, false, null and double quotes"},
	{spareComma, "an object with a comma too many", "no comma before } and ]"},
	{rawControl, "an object with a raw line break or tab in a string", `\n and \t in strings`},
	{oddEscape, `an object with an escape such as \d`, `\\ for a backslash`},
}

// words are those of all forms in the set.
func (f form) words() (wrong, better string) {
	var wrongs, betters []string
	for _, w := range formWords {
		if f&w.form != 0 {
			wrongs, betters = append(wrongs, w.wrong), append(betters, w.better)
		}
	}
	return listing(wrongs, "and"), strings.Join(betters, ", ")
}

const blanks = " \t\r\n"

// mostNested is how deep a loose text may be nested.
const mostNested = 64

var errLoose = errors.New("not a value in any form that is understood")

// loose reads arguments that are JSON, or nearly: what it takes beside JSON is in
// forms. unsure says that a part of it could also mean something else, so that nobody
// may act on it. A text that ends too early, or goes on behind the value, is an error.
func loose(text string) (v value, forms form, unsure bool, err error) {
	text = strings.Trim(text, blanks)
	if !utf8.ValidString(text) {
		return value{}, 0, false, errLoose
	}
	if rest, isFenced := strings.CutPrefix(text, "```"); isFenced {
		_, rest, _ = strings.Cut(rest, "\n")
		text, forms = strings.TrimSuffix(strings.Trim(rest, blanks), "```"), fenced
	}
	l := looseReader{text: text, forms: forms}
	if v, err = l.whole(); err != nil || v.kind != '"' {
		return v, l.forms, l.unsure, err
	}
	inner := looseReader{text: v.text, forms: l.forms | wrapped, unsure: l.unsure}
	if object, err := inner.whole(); err == nil && object.kind == '{' {
		return object, inner.forms, inner.unsure, nil
	}
	return v, l.forms, l.unsure, nil
}

// looseReader goes over a text once, from the front.
type looseReader struct {
	text   string
	at     int
	forms  form
	unsure bool
}

// whole reads a value that is all there is.
func (l *looseReader) whole() (value, error) {
	v, err := l.value(0)
	if l.next(); err == nil && l.at < len(l.text) {
		err = errLoose
	}
	return v, err
}

// next is the first byte that is no blank, which stays unread; 0 at the end.
func (l *looseReader) next() byte {
	for l.at < len(l.text) && strings.IndexByte(blanks, l.text[l.at]) >= 0 {
		l.at++
	}
	return l.peek()
}

func (l *looseReader) peek() byte {
	if l.at < len(l.text) {
		return l.text[l.at]
	}
	return 0
}

func (l *looseReader) value(depth int) (value, error) {
	c := l.next()
	switch {
	case depth > mostNested:
		return value{}, errLoose
	case c == '{' || c == '[':
		return l.several(c, depth)
	case c == '"' || c == '\'':
		text, err := l.str(c)
		return value{kind: '"', text: text}, err
	}
	return l.scalar()
}

// several reads an object or an array.
func (l *looseReader) several(open byte, depth int) (v value, err error) {
	v.kind = open
	l.at++
	end := open + 2 // '}' and ']' are two behind their openings
	seen := map[string]bool{}
	for {
		c := l.next()
		if c == end {
			l.at++
			if len(v.values) > 0 { // behind a comma
				l.forms |= spareComma
			}
			return v, nil
		}
		if open == '{' {
			if c != '"' && c != '\'' {
				return v, errLoose
			}
			name, err := l.str(c)
			if err != nil || l.next() != ':' || seen[name] {
				return v, errLoose
			}
			l.at++
			seen[name] = true
			v.names = append(v.names, name)
		}
		element, err := l.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.values = append(v.values, element)
		c = l.next()
		if c != end && c != ',' {
			return v, errLoose
		}
		l.at++
		if c == end {
			return v, nil
		}
	}
}

// scalars are the words of JSON and of Python, by what they are in JSON.
var scalars = map[string]value{
	"true": {kind: 't', text: "true"}, "false": {kind: 't', text: "false"}, "null": {kind: 'n', text: "null"},
	"True": {kind: 't', text: "true"}, "False": {kind: 't', text: "false"}, "None": {kind: 'n', text: "null"},
}

// scalar reads a word or a number.
func (l *looseReader) scalar() (value, error) {
	from := l.at
	for l.at < len(l.text) && strings.IndexByte(",:]}[{\"'"+blanks, l.text[l.at]) < 0 {
		l.at++
	}
	word := l.text[from:l.at]
	if v, ok := scalars[word]; ok {
		if v.text != word {
			l.forms |= pythonic
		}
		return v, nil
	}
	if !isNumber(word) {
		return value{}, errLoose
	}
	return value{kind: '0', text: word}, nil
}

// str reads a string in one kind of quotes. A backslash before what JSON does not know
// stays, as in `\d`; a string that has escapes of both kinds may mean two things.
func (l *looseReader) str(quote byte) (string, error) {
	if quote == '\'' {
		l.forms |= pythonic
	}
	l.at++
	var out strings.Builder
	known, odd := false, false
	for {
		c := l.peek()
		switch {
		case l.at >= len(l.text) || c < ' ' && strings.IndexByte("\n\r\t", c) < 0:
			return "", errLoose
		case c == quote:
			l.at++
			l.unsure = l.unsure || known && odd
			return out.String(), nil
		case c == '\\':
			of, err := l.escape(&out)
			if err != nil {
				return "", err
			}
			known, odd = known || of == knownEscape, odd || of == unknownEscape
			continue
		case c < ' ':
			l.forms |= rawControl
		}
		out.WriteByte(c)
		l.at++
	}
}

// plainEscapes are those of JSON but for \u, and of a quote in the other quotes.
var plainEscapes = map[byte]byte{'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// otherNotations begin escapes that mean a character elsewhere, in Python or in a
// regular expression: nobody knows which is meant.
const otherNotations = "xuUN0123456789av\n\r\t "

type escapeKind int

const (
	quoteEscape escapeKind = iota
	knownEscape
	unknownEscape
)

// escape reads a backslash and what it is about.
func (l *looseReader) escape(out *strings.Builder) (escapeKind, error) {
	if l.at+1 >= len(l.text) {
		return 0, errLoose
	}
	c := l.text[l.at+1]
	if r := escaped([]byte(l.text[l.at:min(len(l.text), l.at+6)])); r >= 0 {
		l.at += 6
		if utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(r, escaped([]byte(l.text[l.at:min(len(l.text), l.at+6)])))
			l.at += 6
			if r == utf8.RuneError {
				return 0, errLoose
			}
		}
		out.WriteRune(r)
		return knownEscape, nil
	}
	l.at += 2
	if meant, ok := plainEscapes[c]; ok {
		out.WriteByte(meant)
		if c == '\'' {
			l.forms |= pythonic
		}
		if c == '"' || c == '\'' {
			return quoteEscape, nil
		}
		return knownEscape, nil
	}
	if c >= utf8.RuneSelf {
		return 0, errLoose
	}
	l.forms |= oddEscape
	l.unsure = l.unsure || strings.IndexByte(otherNotations, c) >= 0 || c < ' '
	out.WriteByte('\\')
	out.WriteByte(c)
	return unknownEscape, nil
}
