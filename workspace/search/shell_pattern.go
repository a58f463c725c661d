package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A shellPattern is one name of a pattern as bash reads it: "*", "?", brackets, all else
// as it is. It never hits less than bash does in any locale; where locales differ it
// hits more.
type shellPattern []shellToken

type shellToken struct {
	is    byte // '*', '?', '[' or 0 for one letter
	r     rune
	set   []runeRange
	class []func(rune) bool
	not   bool
}

type runeRange struct{ from, to rune }

// classes are the names that bash knows between "[:" and ":]". Each function takes in at
// least what any locale does.
var classes = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "digit": unicode.IsNumber, "upper": unicode.IsLetter, "lower": unicode.IsLetter, "space": unicode.IsSpace,
	"alnum": func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) },
	"blank": unicode.IsSpace, "cntrl": unicode.IsControl, "print": unicode.IsGraphic, "graph": unicode.IsGraphic,
	"punct":  func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"xdigit": func(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune("0123456789abcdefABCDEF", r) },
	"word":   func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) },
	"ascii":  func(r rune) bool { return r < utf8.RuneSelf },
}

// readShellPattern reads one name of a pattern; false where only the shell knows what it
// means: collating symbols, classes that it does not know. A letter behind a backslash is
// itself.
func readShellPattern(text string) (shellPattern, bool) {
	var p shellPattern
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '\\':
			i++
			if r, n = utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError {
				return nil, false
			}
			p = append(p, shellToken{r: r})
		case utf8.RuneError:
			return nil, false
		case '*', '?':
			p = append(p, shellToken{is: byte(r)})
		case '[':
			t, end, ok := readBracket(text[i:])
			if !ok {
				return nil, false
			}
			if end > 0 {
				p = append(p, t)
				i += end
				continue
			}
			fallthrough // without an end it is a letter
		default:
			p = append(p, shellToken{r: r})
		}
		i += n
	}
	return p, true
}

// readBracket reads what begins with "["; end is 0 where nothing closes it.
func readBracket(text string) (t shellToken, end int, ok bool) {
	t.is = '['
	rest := text[1:]
	if strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "^") {
		t.not, rest = true, rest[1:]
	}
	for first := true; ; first = false {
		if rest == "" {
			return t, 0, true
		}
		from, quoted, n := bracketRune(rest)
		rest = rest[n:]
		switch {
		case from == ']' && !quoted && !first:
			return t, len(text) - len(rest), true
		case from == utf8.RuneError:
			return t, 0, false
		case from == '[' && !quoted && rest != "" && strings.IndexByte(":.=", rest[0]) >= 0:
			name, after, closed := strings.Cut(rest[1:], rest[:1]+"]")
			class, known := classes[name]
			if !closed || rest[0] != ':' || !known || strings.HasPrefix(after, "-") {
				return t, 0, false
			}
			t.class, rest = append(t.class, class), after
			continue
		}
		to := from
		if strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ']' {
			to, quoted, n = bracketRune(rest[1:])
			if to == '[' && !quoted || to == utf8.RuneError {
				return t, 0, false
			}
			rest = rest[1+n:]
		}
		t.set = append(t.set, runeRange{from, to})
	}
}

// bracketRune is the next letter in a bracket, and how many bytes it takes; quoted says
// that a backslash was before it.
func bracketRune(text string) (r rune, quoted bool, n int) {
	if rest, ok := strings.CutPrefix(text, `\`); ok {
		r, n = utf8.DecodeRuneInString(rest)
		return r, true, n + 1
	}
	r, n = utf8.DecodeRuneInString(text)
	return r, false, n
}

func (t shellToken) hits(r rune) bool {
	switch t.is {
	case '?':
		return true
	case 0:
		return t.r == r
	}
	if t.not {
		// Only what every locale leaves out is left out.
		for _, s := range t.set {
			if r == s.from || r == s.to || s.from != s.to && plainRange(s) && s.from <= r && r <= s.to {
				return s.from > s.to // which some read the other way round, and some not at all
			}
		}
		return true
	}
	for _, s := range t.set {
		switch {
		case s.from == s.to:
			if r == s.from {
				return true
			}
		case r >= utf8.RuneSelf, !plainRange(s), in(s, r), in(s, unicode.ToLower(r)), in(s, unicode.ToUpper(r)):
			return true
		}
	}
	for _, class := range t.class {
		if class(r) {
			return true
		}
	}
	return false
}

func in(s runeRange, r rune) bool { return s.from <= r && r <= s.to }

// plainRange says that the range is one of digits, or of letters of one case, so that all
// locales agree on what is surely in it.
func plainRange(s runeRange) bool {
	for _, all := range []runeRange{{'0', '9'}, {'a', 'z'}, {'A', 'Z'}} {
		if in(all, s.from) && in(all, s.to) {
			return s.from <= s.to
		}
	}
	return false
}

// asBytes has one letter for each byte: some locales know no longer letters.
func asBytes(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

// match holds a name against the pattern. As in the shell, only a dot that is written
// matches one that a name begins with.
func (p shellPattern) match(name string) bool {
	runes := []rune(name)
	if len(runes) > 0 && runes[0] == '.' && (len(p) == 0 || p[0].is != 0 || p[0].r != '.') {
		return false
	}
	at, i, star, mark := 0, 0, -1, 0
	for i < len(runes) {
		switch {
		case at < len(p) && p[at].is == '*':
			star, mark = at, i
			at++
		case at < len(p) && p[at].hits(runes[i]):
			at++
			i++
		case star >= 0:
			mark++
			at, i = star+1, mark
		default:
			return false
		}
	}
	for at < len(p) && p[at].is == '*' {
		at++
	}
	return at == len(p)
}
