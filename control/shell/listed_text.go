package shell

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// plainSed says that a program of sed only prints, deletes, quits and replaces: p, d,
// q, = and s with the flags g, p, i and numbers, behind lines, "$" and /patterns/.
// Whatever it cannot read to the end is not plain.
func plainSed(program string) bool {
	s := sedText(program)
	for {
		s.skip(" \t\n;")
		if s == "" {
			return true
		}
		if s.address() {
			s.skip(" \t")
			if s.take(',') {
				s.skip(" \t")
				if !s.address() {
					return false
				}
			}
		}
		s.skip(" \t")
		s.take('!')
		s.skip(" \t")
		switch {
		case s.take('p'), s.take('d'), s.take('q'), s.take('='):
		case s.take('s'):
			if s == "" || !strings.ContainsRune("/|#,:@%!", rune(s[0])) {
				return false
			}
			end := s[0]
			s = s[1:]
			for range 2 { // what is found, and what is put in its place
				if !s.until(end) {
					return false
				}
			}
			s.skip("gpi0123456789")
		default:
			return false
		}
		s.skip(" \t")
		if s != "" && s[0] != ';' && s[0] != '\n' {
			return false
		}
	}
}

type sedText string

func (s *sedText) skip(chars string) { *s = sedText(strings.TrimLeft(string(*s), chars)) }

func (s *sedText) take(c byte) bool {
	if *s == "" || (*s)[0] != c {
		return false
	}
	*s = (*s)[1:]
	return true
}

// address takes a number, "$" or a /pattern/.
func (s *sedText) address() bool {
	before := *s
	if s.skip("0123456789"); *s != before {
		return true
	}
	return s.take('$') || s.take('/') && s.until('/')
}

// until takes everything up to the next end that no backslash is before. An end inside
// of brackets, which versions of sed read in their own ways, and a line break are not
// plain.
func (s *sedText) until(end byte) bool {
	for i := 0; i < len(*s); i++ {
		switch c := (*s)[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == end:
			*s = (*s)[i+1:]
			return true
		case c == '[':
			set := bracket(string((*s)[i:]))
			if set == "" || strings.ContainsRune(strings.ReplaceAll(set, `\`+string(end), ""), rune(end)) {
				return false
			}
			i += len(set) - 1
		}
	}
	return false
}

// bracket is the set of characters that a text begins with, up to its "]", "" where it
// has no plain end. A "]" at its beginning and one in a class are characters of it.
func bracket(text string) string {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', strings.HasPrefix(text[i:], `\]`):
			return ""
		case c == ']':
			return text[:i+1]
		case c == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			n := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if n < 0 {
				return ""
			}
			i += n + 3
		}
	}
	return ""
}

// awkCalls are functions of awk that only calculate.
var awkCalls = words(`length substr index split sub gsub match tolower toupper sprintf int sqrt exp log sin cos atan2 rand srand gensub strftime systime
	if while for print printf return in`)

var awkCall = lazy.Regexp(`([A-Za-z_][A-Za-z_0-9]*)[ \t]*\(`)

// plainAwk says that a program of awk only calculates and prints.
func plainAwk(program string) bool {
	for _, word := range []string{"@", "getline", "ARGV", "ARGC", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "system", "\\\n"} {
		if strings.Contains(program, word) {
			return false
		}
	}
	if strings.Contains(strings.ReplaceAll(program, "||", ""), "|") {
		return false
	}
	if _, after, prints := strings.Cut(program, "print"); prints && strings.Contains(after, ">") {
		return false
	}
	for _, m := range awkCall().FindAllStringSubmatch(program, -1) {
		if !awkCalls.has(m[1]) {
			return false
		}
	}
	return true
}
