package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
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

var ansiEscape = lazy.Regexp(`(?s)\\(x[0-9A-Fa-f]{1,2}|x\{[0-9A-Fa-f]*\}?|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)`)

// ansiLetters are the escapes of one letter and what they stand for.
var ansiLetters = map[byte]string{'a': "\a", 'b': "\b", 'e': "\x1b", 'E': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

// ansiC decodes the body of $'…'. \x and octal digits are bytes, which together
// may be one character.
func ansiC(s string) string {
	return ansiEscape().ReplaceAllStringFunc(s, func(m string) string {
		digits, base := m[2:], 16
		if m[1] == 'x' && strings.HasPrefix(digits, "{") { // of any length: the last two count
			digits = "00" + strings.Trim(digits, "{}")
			digits = digits[len(digits)-2:]
		}
		switch m[1] {
		case 'x', 'u', 'U':
			if digits == "" {
				return m
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits, base = m[1:], 8
		case 'c':
			if digits == "" {
				return m
			}
			return string(rune(digits[0] & 0x1f))
		default:
			if text, is := ansiLetters[m[1]]; is {
				return text
			}
			return m[1:]
		}
		n, err := strconv.ParseUint(digits, base, 32)
		switch {
		case err != nil:
			return m
		case m[1] == 'u' || m[1] == 'U':
			return string(rune(n))
		}
		return string([]byte{byte(n)})
	})
}

// plainWord is text the shell takes as it is.
var plainWord = lazy.Regexp(`^[A-Za-z0-9_@%+=:,./-]+$`)

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

// unknownShown is how an unknown part is shown to a person.
const unknownShown = "…"

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

func isName(s string) bool {
	return s != "" && !(s[0] >= '0' && s[0] <= '9') && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

var quotedText = lazy.Regexp("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`((?:[^`\\\\]|\\\\.)*)`")
