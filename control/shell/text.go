package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// unescape drops the backslash before the given characters, as inside double
// quotes.
func unescape(s, chars string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(chars, s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

var ansiEscape = lazy.Regexp(`\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)`)

// ansiC decodes the body of $'…'.
func ansiC(s string) string {
	return ansiEscape().ReplaceAllStringFunc(s, func(m string) string {
		digits, base := m[2:], 16
		switch m[1] {
		case 'x', 'u', 'U':
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits, base = m[1:], 8
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'r', 'a', 'b', 'f', 'v', 'c', 'e', 'E':
			return unknownPart
		default:
			return m[1:]
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || n == 0 {
			return unknownPart
		}
		return string(rune(n))
	})
}

// plainWord is text the shell takes as it stands.
var plainWord = lazy.Regexp(`^[A-Za-z0-9_@%+=:,./-]+$`)

// show is how a word stands in a shell: object: as written where it is plain,
// without quotes that change nothing, so that r\m and "rm" are rm.
func (r *reader) show(w *syntax.Word, v value) string {
	if len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			if strings.IndexByte(p.Value, '\\') < 0 {
				return p.Value
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			if v.unknown || !plainWord().MatchString(v.text) {
				return r.raw(w)
			}
		}
	}
	switch {
	case v.unknown || v.glob || v.braces || hasExpansion(w):
		return r.raw(w)
	case plainWord().MatchString(v.text):
		return v.text
	}
	return quoteWord(v.text)
}

func hasExpansion(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, lit := q.(*syntax.Lit); !lit {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// raw is the word as it stands in the text.
func (r *reader) raw(w *syntax.Word) string {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from < to && to <= len(r.src) {
		return r.src[from:to]
	}
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return unknownPart
	}
	return b.String()
}

func quoteWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	q, err := syntax.Quote(s, syntax.LangBash)
	if err != nil {
		return strconv.Quote(s)
	}
	return q
}
