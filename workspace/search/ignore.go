package search

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRule is one line of a .gitignore, as git reads it.
type ignoreRule struct {
	pattern  string // for doublestar; without the marks below
	literal  bool   // no wildcard in it: compare as it is
	end      string // of `*.log`: what names end with; "" for other patterns
	negate   bool   // "!": not ignored after all
	dirOnly  bool   // "/" at the end
	anchored bool   // "/" at the start or inside: matched from its directory
}

// parseIgnore reads the lines of a .gitignore.
func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if r, ok := parseIgnoreLine(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	if strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	for strings.HasSuffix(line, " ") && !escapedEnd(line[:len(line)-1]) {
		line = line[:len(line)-1]
	}
	var r ignoreRule
	if line, r.negate = strings.CutPrefix(line, "!"); r.negate && line == "" {
		return ignoreRule{}, false
	}
	if strings.HasSuffix(line, "/") {
		line, r.dirOnly = line[:len(line)-1], true
	}
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	pattern, literal, ok := gitGlob(line)
	if r.literal = literal; !literal {
		pattern = bytewise(pattern)
	}
	r.pattern = pattern
	if end, star := strings.CutPrefix(line, "*"); star && !r.anchored && !strings.ContainsAny(end, `*?[]{}\`) {
		r.end = end
	}
	return r, ok
}

// escapedEnd tells whether s ends with a backslash that is not itself escaped.
func escapedEnd(s string) bool {
	n := len(s) - len(strings.TrimRight(s, `\`))
	return n%2 == 1
}

// gitGlob writes git's wildmatch for doublestar: braces are plain, classes are
// spelled out, `**` counts only as a whole segment, and `x/**` is what is in
// x and not x itself. ok is false for a pattern that git never matches.
func gitGlob(s string) (pattern string, literal, ok bool) {
	var b strings.Builder
	literal = true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return "", false, false
			}
			b.WriteByte('\\')
			b.WriteByte(s[i])
			literal = false
		case '{', '}':
			b.WriteByte('\\')
			b.WriteByte(c)
			literal = false
		case '[':
			class, n, valid := gitClass(s[i:])
			if !valid {
				return "", false, false
			}
			b.WriteString(class)
			i += n - 1
			literal = false
		case '*':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "*"))
			whole := n == 2 && (i == 0 || s[i-1] == '/') && (i+n == len(s) || s[i+n] == '/')
			switch {
			case whole && i+n == len(s) && i > 0:
				b.WriteString("**/*")
			case whole:
				b.WriteString("**")
			default:
				b.WriteByte('*')
			}
			i += n - 1
			literal = false
		case '?':
			b.WriteByte(c)
			literal = false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), literal, true
}

// posixClasses are the named classes of wildmatch, ASCII as in git.
var posixClasses = map[string]string{
	"alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
	"xdigit": "0-9a-fA-F", "blank": " \t", "space": " \t\n\v\f\r", "cntrl": "\x01-\x1f\x7f",
	"punct": "!-.:-@\\[-`\\{-~", "graph": "!-.0-~", "print": " -.0-~",
}

// gitClass reads a bracket expression at the start of s and writes it for
// doublestar. n is its length in s.
func gitClass(s string) (class string, n int, ok bool) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		b.WriteByte('^')
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0, false
		}
		if s[i] == ']' && !first {
			b.WriteByte(']')
			return b.String(), i + 1, true
		}
		if strings.HasPrefix(s[i:], "[:") {
			if end := strings.Index(s[i:], ":]"); end > 0 {
				set, known := posixClasses[s[i+2:i+end]]
				if !known {
					return "", 0, false
				}
				b.WriteString(set)
				i += end + 2
				continue
			}
		}
		if s[i] == '\\' {
			if i++; i >= len(s) {
				return "", 0, false
			}
		} else if s[i] == '-' && !first && i+1 < len(s) && s[i+1] != ']' && s[i-1] != '[' {
			b.WriteByte('-')
			i++
			continue
		}
		if strings.IndexByte(`\]-^![{}`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
		i++
	}
}

// match tells whether the rule speaks about rel, a path with slashes seen from
// the rule's directory.
func (r ignoreRule) match(rel, base string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	name := rel
	if !r.anchored {
		name = base
	}
	switch {
	case r.literal:
		return name == r.pattern
	case r.end != "":
		return strings.HasSuffix(name, r.end)
	}
	return doublestar.MatchUnvalidated(r.pattern, bytewise(name))
}

// bytewise writes every byte as a character of its own: in git `?` and `[…]`
// are one byte, whatever the encoding.
func bytewise(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			out := make([]rune, len(s))
			for k := range len(s) {
				out[k] = rune(s[k])
			}
			return string(out)
		}
	}
	return s
}

// Rules are the ignore rules of one directory on top of those above it. nil has
// no rules.
type Rules struct {
	up    *Rules
	dir   string // absolute
	git   []ignoreRule
	agent []ignoreRule // of .agentignore; nothing can bring back what they hide
}

// Ignored tells whether git would ignore abs; hidden whether `.agentignore`
// says that tools do not see it. Directories above abs were asked before: what
// is inside an ignored one is never reached.
func (r *Rules) Ignored(abs string, dir bool) (ignored, hidden bool) {
	return r.verdict(abs, dir, func(r *Rules) []ignoreRule { return r.git }),
		r.verdict(abs, dir, func(r *Rules) []ignoreRule { return r.agent })
}

func (r *Rules) verdict(abs string, dir bool, of func(*Rules) []ignoreRule) bool {
	base := abs[1+strings.LastIndexByte(abs, filepath.Separator):]
	for ; r != nil; r = r.up {
		rules := of(r)
		if len(rules) == 0 || len(abs) <= len(r.dir) || abs[:len(r.dir)] != r.dir {
			continue
		}
		rel := filepath.ToSlash(abs[len(r.dir):])
		if rel[0] == '/' {
			rel = rel[1:]
		}
		for i := len(rules) - 1; i >= 0; i-- { // the last one wins
			if rules[i].match(rel, base, dir) {
				return !rules[i].negate
			}
		}
	}
	return false
}

// Enter adds the rules that are in dir. agent: .agentignore counts there too.
func (r *Rules) Enter(dir string, agent bool) *Rules {
	next := &Rules{up: r, dir: dir, git: readIgnore(filepath.Join(dir, ".gitignore"))}
	if agent {
		next.agent = readIgnore(filepath.Join(dir, ".agentignore"))
	}
	if next.git == nil && next.agent == nil {
		return r
	}
	return next
}

// Of says that the nearest rules are those that are in dir.
func (r *Rules) Of(dir string) bool { return r != nil && r.dir == dir }

// IsIgnoreFile says that files of that name make rules, for the directory that they
// are in.
func IsIgnoreFile(name string) bool { return name == ".gitignore" || name == ".agentignore" }

// maxIgnoreBytes bounds what is read of one ignore file.
const maxIgnoreBytes = 256 << 10

func readIgnore(path string) []ignoreRule {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	flag := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flag |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return nil
	}
	return parseIgnore(string(data))
}
