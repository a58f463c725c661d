package control

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Limits of one pattern: doublestar is quick on stars and tries every combination
// of what braces hold, so those are bounded before a pattern is ever matched. A
// repository's own settings may contain patterns.
const (
	maxPatternBytes = 4096
	maxBraceGroups  = 6
)

// pattern is a compiled Rule.Pattern. The zero pattern matches nothing.
type pattern struct {
	scheme string         // "vault", "vault@lib", "fs", "shell", …; "" when the pattern has none
	any    bool           // "*" alone: everything
	exact  string         // Rule.Exact: the object itself
	re     *regexp.Regexp // regex: unanchored, against the object with its scheme
	text   string         // the two-wildcard form for everything that is not a file
	glob   string         // the doublestar form for files, against the path without leading "/"
	base   string         // no "/" in the pattern: it is held against the base name
	need   string         // a literal every matching object contains, to skip quickly
	// literals are the same for re: all of them are in what it matches.
	literals []string
}

// fileDomain says that objects of the domain are files.
func fileDomain(domain tool.Domain) bool {
	return domain == tool.DomainRead || domain == tool.DomainEdit
}

// splitScheme cuts "vault@lib:/a/b" into "vault@lib" and "/a/b". Only the
// schemes of objects count, so "http://x" and "a:b" have none.
func splitScheme(s string) (scheme, rest string) {
	i := strings.IndexByte(s, ':')
	if i < 0 {
		return "", s
	}
	switch scheme = s[:i]; {
	case scheme == "vault", strings.HasPrefix(scheme, "vault@"),
		scheme == "fs", scheme == "url", scheme == "query", scheme == "shell",
		scheme == "mcp", scheme == "tool":
		return scheme, s[i+1:]
	}
	return "", s
}

// compilePattern turns the pattern of a rule into something that matches
// without failing. Its error is for the person who wrote the rule.
func compilePattern(r Rule) (pattern, error) {
	switch {
	case r.Pattern == "":
		return pattern{}, fmt.Errorf("the pattern is empty")
	case len(r.Pattern) > maxPatternBytes && !r.Exact:
		return pattern{}, fmt.Errorf("the pattern is longer than %d bytes", maxPatternBytes)
	case r.Exact:
		return pattern{exact: r.Pattern}, nil
	case strings.IndexByte(r.Pattern, 0) >= 0:
		return pattern{}, fmt.Errorf("the pattern contains a NUL")
	case r.Pattern == "*":
		return pattern{any: true}, nil
	}
	if expr, ok := strings.CutPrefix(r.Pattern, "regex:"); ok {
		re, err := regexp.Compile(expr)
		if err != nil {
			return pattern{}, fmt.Errorf("compile the regular expression: %w", err)
		}
		return pattern{re: re, literals: requiredLiterals(expr)}, nil
	}
	if !fileDomain(r.Domain) {
		return compileText(r), nil
	}
	return compileFile(r.Pattern)
}

// compileText takes a pattern for a command, an address or the name of a tool. "vault:" and
// "fs:" are schemes of files only: in a command they are a part of its text.
func compileText(r Rule) pattern {
	scheme, rest := splitScheme(r.Pattern)
	if scheme == "vault" || scheme == "fs" || strings.HasPrefix(scheme, "vault@") {
		scheme, rest = "", r.Pattern
	}
	for strings.HasSuffix(rest, " * *") {
		rest = strings.TrimSuffix(rest, " *") // it says the same, and is tried once
	}
	return pattern{scheme: scheme, text: rest, need: longestLiteral(rest)}
}

// compileFile normalises what doublestar would silently never match ("./x",
// "a//b", a leading "/") and anchors: no "/" means the base name, a scheme or a
// leading "/" means the whole path, anything else starts at a segment boundary.
func compileFile(s string) (pattern, error) {
	scheme, rest := splitScheme(s)
	anchored := scheme != "" || strings.HasPrefix(rest, "/")
	for strings.HasPrefix(rest, "./") {
		rest, anchored = rest[2:], true
	}
	for strings.Contains(rest, "//") {
		rest = strings.ReplaceAll(rest, "//", "/")
	}
	rest = strings.TrimPrefix(rest, "/")
	for strings.Contains(rest, "**/**/") {
		rest = strings.ReplaceAll(rest, "**/**/", "**/")
	}
	if strings.HasSuffix(rest, "/") {
		rest += "**" // a directory means what is in it
	}
	switch {
	case strings.Count(rest, "{") > maxBraceGroups:
		return pattern{}, fmt.Errorf("the pattern has more than %d brace groups", maxBraceGroups)
	case combinations(rest) > maxCombinations:
		return pattern{}, fmt.Errorf("the braces of the pattern make more than %d combinations", maxCombinations)
	case rest == "" || !doublestar.ValidatePattern(rest):
		return pattern{}, fmt.Errorf("the glob is not valid")
	}
	for seg := range strings.SplitSeq(rest, "/") {
		if seg == ".." || seg == "." {
			return pattern{}, fmt.Errorf("a pattern cannot contain %q as a segment", seg)
		}
	}
	p := pattern{scheme: scheme, need: longestLiteral(rest)}
	switch {
	case anchored:
		p.glob = rest
	case strings.Contains(rest, "/"):
		p.glob = "**/" + strings.TrimPrefix(rest, "**/")
	default:
		p.base = rest
	}
	return p, nil
}

// object is a target's object, cut once and matched by many rules.
type object struct {
	full, scheme, rest string // rest has no leading "/" for files
	base               string
	alt                string // shell: a second text that deny and ask rules are held against too
	same               bool   // alt is the same command: rules that allow are held against it, too
	shell              *shell.Command
	also               string    // mcp: the same tool with the name that a model has for it
	direct             bool      // the text of a command itself writes to it
	starts             *starting // of a command; nil: it starts no file of the workspace
}

func newObject(full string) object {
	o := object{full: full}
	o.scheme, o.rest = splitScheme(full)
	if o.scheme == "fs" || o.isVault() {
		o.rest = strings.TrimPrefix(o.rest, "/")
		o.base = path.Base(o.rest)
	}
	return o
}

// objectOf is the object of a target, with the command it stands for.
func objectOf(t tool.Target, c *shell.Command) object {
	o := newObject(t.Object)
	if c != nil {
		o.shell, o.alt, o.same = c, c.Alt, c.Bare() != c.Text
	}
	return o
}

func (o object) isVault() bool {
	return o.scheme == "vault" || strings.HasPrefix(o.scheme, "vault@")
}

func (o object) isFile() bool { return o.scheme == "fs" || o.isVault() }

// match says whether the pattern covers o. strict is true for rules that deny
// or ask: they reach every object, while an allow without scheme reaches only
// the Vault and an allow of "vault:" only the first folder.
func (p pattern) match(o object, strict bool) bool {
	if p.matchText(o, o.full, o.rest, strict) {
		return true
	}
	return (strict || o.same) && o.alt != "" && p.matchText(o, "shell:"+o.alt, o.alt, strict)
}

func (p pattern) matchText(o object, full, rest string, strict bool) bool {
	switch {
	case p.exact != "":
		return p.exact == full || p.exact == rest && (!o.isFile() || o.isVault())
	case p.any:
		return strict || !o.isFile() || o.isVault()
	case p.re != nil:
		return containsAll(full, p.literals) && p.re.MatchString(full) && (strict || o.scheme != "fs" || regexNamesFS(p.re))
	case p.scheme != "" && !p.schemeCovers(o, strict):
		return false
	case p.text != "" && o.scheme == "url" && matchURL(p.text, rest, strict):
		return true
	case p.text != "" && o.scheme == "url" && !strict:
		return false
	case p.text != "":
		return strings.Contains(rest, p.need) && matchWild(p.text, rest)
	case p.scheme == "" && !strict && o.isFile() && !o.isVault():
		return false
	case !strings.Contains(rest, p.need):
		return false
	case p.base != "":
		return doublestar.MatchUnvalidated(p.base, o.base)
	case p.glob != "":
		return doublestar.MatchUnvalidated(p.glob, rest)
	}
	return false
}

func (p pattern) schemeCovers(o object, strict bool) bool {
	if p.scheme == o.scheme {
		return true
	}
	if p.scheme == "vault" {
		return strict && o.isVault()
	}
	return strings.HasPrefix(p.scheme, "vault@") && strings.HasPrefix(o.scheme, "vault@") && matchWild(p.scheme, o.scheme)
}

// regexNamesFS says that an expression can only have been meant for files
// outside a root.
func regexNamesFS(re *regexp.Regexp) bool {
	return strings.HasPrefix(strings.TrimPrefix(re.String(), "^"), "fs:/")
}

// matchWild is the two-wildcard matcher for everything that is not a file. A
// pattern that ends in " *" also covers the bare command before it.
func matchWild(pat, s string) bool {
	if head, ok := strings.CutSuffix(pat, " *"); ok && matchWild(head, s) {
		return true
	}
	return shell.MatchWild(pat, s)
}

// matchURL is matchWild for the parts of a URL: scheme and host are held against
// scheme and host, so that the name of a good host in the path, the query or the
// user name of a bad one opens nothing. A pattern without "://" fits either
// scheme, one without a path every page of the host. Rules that deny or ask are
// held against the whole text, too, and reach every port where they name none.
func matchURL(pat, url string, strict bool) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	patScheme, patRest, given := strings.Cut(pat, "://")
	if !given {
		patScheme, patRest = scheme, pat
	}
	if !ok || !matchWild(patScheme, scheme) {
		return false
	}
	split := func(s string) (host, after string) {
		if i := strings.IndexAny(s, `/?#\`); i >= 0 {
			return s[:i], s[i:]
		}
		return s, ""
	}
	host, after := split(rest)
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	name, port := splitPort(host)
	if host = name; port != "" && port != defaultPorts[strings.ToLower(scheme)] {
		host = name + ":" + port
	}
	// In a pattern "?" is a wildcard, so only "/" ends its host.
	patHost, patAfter, hasPath := strings.Cut(patRest, "/")
	if patAfter = "/" + patAfter; !hasPath {
		patAfter = "*"
	}
	if !strings.HasPrefix(after, "/") {
		after = "/" + after // https://host is https://host/, and https://host?q is https://host/?q
	}
	patHost = strings.ToLower(patHost)
	if !matchWild(patHost, host) && !(strict && matchWild(patHost, name)) {
		return false
	}
	return matchWild(patAfter, after)
}

var defaultPorts = map[string]string{"https": "443", "http": "80"}

// splitPort cuts "host:443", and the dot that some write behind a host.
func splitPort(host string) (name, port string) {
	name = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i+1:]
	}
	return strings.TrimSuffix(name, "."), port
}

// longestLiteral is the longest run of a pattern without any wildcard, brace,
// class or escape. A trailing " *" is optional (matchWild), so it is left out.
func longestLiteral(s string) string {
	s = strings.TrimSuffix(s, " *")
	best, depth, start := "", 0, 0
	flush := func(end int) {
		if depth == 0 && end-start > len(best) {
			best = s[start:end]
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '\\', '/':
			// "/" may be part of "**/", which matches nothing at all.
			flush(i)
			start = i + 1
			if s[i] == '\\' && i+1 < len(s) {
				i++
				start = i + 1
			}
		case '{', '[':
			flush(i)
			depth++
		case '}', ']':
			depth = max(0, depth-1)
			start = i + 1
		}
	}
	flush(len(s))
	if strings.ContainsRune(best, utf8.RuneError) {
		return "" // it matches any byte that is no UTF-8, and is written as one of them
	}
	return best
}
