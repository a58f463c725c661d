package bundle

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Words that stand for places in a redacted bundle. They are the same in every
// bundle, so that import can put its own places there.
const (
	wordVault     = "«vault»"
	wordWorkspace = "«workspace»" // the workspace-id
	wordHome      = "«home»"
	wordSidecar   = "«sidecar»" // the sidecar's own home
	wordUser      = "«user»"
)

// Private is what a bundle is not to tell. A place is given in every spelling that
// a text may have, absolute.
type Private struct {
	Secrets     []string   // literal keys, tokens and passwords
	Roots       [][]string // of the workspace, the first one first
	WorkspaceID string
	Home        []string // the person's
	Sidecar     []string // the sidecar's
	User        string   // the person's name on this machine
}

// redactor replaces what is private. The same secret gets the same word wherever
// it is, also where it is escaped or encoded. It is not safe for concurrent
// use. A nil redactor changes nothing.
type redactor struct {
	literals []literal
	name     string
	user     *regexp.Regexp // the name as a part of a path, or before @; nil: none
	words    map[string]string
	counts   map[string]int
}

// literal is a text that is known.
type literal struct {
	text, as string // as is what stands for it; "" is a secret's
	secret   string // the secret itself, whatever its encoding here
	place    bool   // a path: only whole names of it count
	word     bool   // short: only by itself
}

// noSecrets are what people write where a local server wants some key.
var noSecrets = []string{"none", "null", "empty", "dummy", "test", "fake", "local", "ollama", "lm-studio", "lmstudio", "not-needed", "no-key", "sk-no-key-required", "password", "secret", "token", "true", "false"}

// Bounds of literal secrets, in bytes: what is shorter than the first is no
// secret, what is shorter than the second counts only as a word by itself.
const (
	minSecret   = 4
	shortSecret = 12
)

func newRedactor(p Private) *redactor {
	r := &redactor{words: map[string]string{}, counts: map[string]int{}}
	for _, s := range p.Secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret && !slices.Contains(noSecrets, strings.ToLower(s)) {
			r.know(s)
		}
	}
	for i, root := range p.Roots {
		as := wordVault
		if i > 0 {
			as = fmt.Sprintf("«vault:%d»", i+1)
		}
		r.locate(root, as)
	}
	r.locate(p.Sidecar, wordSidecar)
	r.locate(p.Home, wordHome)
	if p.WorkspaceID != "" && p.WorkspaceID != "none" {
		r.literals = append(r.literals, literal{text: p.WorkspaceID, as: wordWorkspace, word: true})
	}
	if len(p.User) > 1 && !slices.Contains(anybody, p.User) {
		name := regexp.QuoteMeta(p.User)
		r.name = p.User
		r.user = regexp.MustCompile(`[/\\](` + name + `)(?:[^A-Za-z0-9_.-]|$)|(?:^|[^A-Za-z0-9_.-])(` + name + `)@`)
	}
	return r
}

// anybody are names of accounts that tell nothing about a person.
var anybody = []string{"root", "user", "admin", "ubuntu", "debian", "runner", "node", "app", "home", "usr", "src", "tmp", "var", "nobody"}

// know takes a secret in every encoding that it may be in.
func (r *redactor) know(s string) {
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s)}
	if len(s) >= shortSecret {
		// The middle of its base64, wherever it begins in a longer text.
		for skip := range 3 {
			whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + s))
			from := (skip*8 + 5) / 6
			to := (skip + len(s)) * 8 / 6
			forms = append(forms, whole[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(whole[from:to]))
		}
	}
	slices.Sort(forms)
	for _, form := range slices.Compact(forms) {
		r.literals = append(r.literals, literal{text: form, secret: s, word: len(form) < shortSecret})
	}
}

// locate takes a place, also as a part of a URI.
func (r *redactor) locate(spellings []string, as string) {
	for _, path := range spellings {
		if len(path) < 2 {
			continue // "/" is everywhere
		}
		r.literals = append(r.literals, literal{text: path, as: as, place: true})
		if escaped := (&url.URL{Path: path}).EscapedPath(); escaped != path {
			r.literals = append(r.literals, literal{text: escaped, as: as, place: true})
		}
	}
}

// found is a stretch of a text that is to be replaced.
type found struct {
	start, end int
	as         string
}

// text replaces what is private in a text, also below escapes.
func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	var all []found
	for v, more, depth := (view{text: s}), true, 0; more && depth <= maxEscapes; depth++ {
		all = r.search(all, v)
		v, more = v.unescaped()
	}
	if len(all) == 0 {
		return s
	}
	// What begins first wins, then what is longest; overlaps are covered whole.
	slices.SortStableFunc(all, func(a, b found) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var b strings.Builder
	at := 0
	for _, f := range all {
		switch {
		case f.start >= at:
			b.WriteString(s[at:f.start])
			b.WriteString(f.as)
			at = f.end
		case f.end > at:
			at = f.end
		}
	}
	b.WriteString(s[at:])
	return b.String()
}

// search finds what is private in one view of a text.
func (r *redactor) search(all []found, v view) []found {
	add := func(start, end int, as string) { all = append(all, found{v.place(start), v.place(end), as}) }
	for _, l := range r.literals {
		for from := 0; ; {
			i := strings.Index(v.text[from:], l.text)
			if i < 0 {
				break
			}
			start := from + i
			end := start + len(l.text)
			from = end
			if l.stands(v.text, start, end) {
				add(start, end, r.standsFor(l))
			}
		}
	}
	all = r.cut(all, v)
	for _, s := range secrets.Find(v.text) {
		add(s.Start, s.End, r.word(s.Kind, v.text[s.Start:s.End]))
	}
	if strings.IndexByte(v.text, '@') > 0 {
		for _, at := range email().FindAllStringIndex(v.text, -1) {
			if !nobodysMail(v.text[at[0]:at[1]]) {
				add(at[0], at[1], r.number("e-mail", v.text[at[0]:at[1]]))
			}
		}
	}
	if r.user != nil && strings.Contains(v.text, r.name) {
		for from := 0; from < len(v.text); {
			at := r.user.FindStringSubmatchIndex(v.text[from:])
			if at == nil {
				break
			}
			for group := 2; group < len(at); group += 2 {
				if at[group] >= 0 {
					add(from+at[group], from+at[group+1], wordUser)
					from += at[group+1] // the mark behind it may begin the next
					break
				}
			}
		}
	}
	return all
}

// word is what stands for a secret: the same for the same one.
func (r *redactor) word(kind, secret string) string {
	for _, l := range r.literals { // one that is known has one name, whatever its shape
		if l.secret != "" && l.secret == secret {
			kind = "key"
			break
		}
	}
	return r.number("secret:"+kind, secret)
}

func (r *redactor) number(kind, secret string) string {
	word := r.words[secret]
	if word == "" {
		r.counts[kind]++
		word = fmt.Sprintf("«%s-%d»", kind, r.counts[kind])
		r.words[secret] = word
	}
	return word
}

// stands says that a literal is not a part of a longer name.
func (l literal) stands(s string, start, end int) bool {
	if !l.place && !l.word {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	if l.place && strings.HasSuffix(s[:start], "vault:") {
		return false // a path of the workspace's own
	}
	if start > 0 && (inName(before) || before == '.') || end < len(s) && inName(after) {
		return false
	}
	if end+1 < len(s) && after == '.' { // app.old is another name, app. the end of a sentence
		next, _ := utf8.DecodeRuneInString(s[end+1:])
		return !inName(next)
	}
	return true
}

func inName(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80 && r != '«' && r != '»' && r != utf8.RuneError
}

var email = lazy.Regexp(`[A-Za-z0-9][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,24}\b`)

// nobodysMail says that what looks like an address is nobody's: examples, the
// accounts of forges, names of pictures and packages.
func nobodysMail(s string) bool {
	s = strings.ToLower(s)
	name, host, _ := strings.Cut(s, "@")
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "png", "jpg", "jpeg", "gif", "webp", "svg", "pdf", "js", "mjs", "ts", "tsx", "jsx", "css", "json", "md", "txt", "zip", "gz", "html", "go", "py", "rs", "example", "test", "invalid", "localhost":
		return true
	}
	for _, known := range []string{"example.com", "example.org", "example.net"} {
		if host == known || strings.HasSuffix(host, "."+known) {
			return true
		}
	}
	return name == "git" || strings.HasPrefix(name, "noreply") || strings.HasPrefix(name, "no-reply")
}
