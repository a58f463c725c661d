package secrets

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// shape is a high-precision shape of a secret (workspace §6): text that is a key
// by its form, whatever stands around it. It begins with one of hints, and goes on
// with letters, digits and more. unless tells a name from a key where both have
// the form.
type shape struct {
	kind   string
	hints  []string
	more   string
	whole  func() *regexp.Regexp // from the hint on
	unless func(string) bool
}

var shapes = []shape{
	{"ghp", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, "", lazy.Regexp(`^gh[pousr]_[A-Za-z0-9]{30,}`), nil},
	{"ghp", []string{"github_pat_"}, "_", lazy.Regexp(`^github_pat_[A-Za-z0-9_]{40,}`), nil},
	{"sk", []string{"sk-"}, "_-", lazy.Regexp(`^sk-[A-Za-z0-9_-]{20,}`), onlyWords},
	{"stripe", []string{"rk_live_", "rk_test_", "sk_live_", "sk_test_"}, "", lazy.Regexp(`^[rs]k_(live|test)_[A-Za-z0-9]{16,}`), nil},
	{"aws", []string{"AKIA", "ASIA"}, "_", lazy.Regexp(`^(AKIA|ASIA)[0-9A-Z]{16}$`), noDigit},
	{"xox", []string{"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"}, "-", lazy.Regexp(`^xox[abeoprs]-[A-Za-z0-9-]{10,}`), noDigit},
	{"jwt", []string{"eyJ"}, "_-.", lazy.Regexp(`^eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), noToken},
	{"glpat", []string{"glpat-"}, "_-", lazy.Regexp(`^glpat-[A-Za-z0-9_-]{20,}`), onlyWords},
	{"google", []string{"AIza"}, "_-", lazy.Regexp(`^AIza[0-9A-Za-z_-]{35}$`), nil},
	{"npm", []string{"npm_"}, "_", lazy.Regexp(`^npm_[A-Za-z0-9]{36}$`), nil},
	{"hf", []string{"hf_"}, "_", lazy.Regexp(`^hf_[A-Za-z0-9]{30,}$`), noDigit},
	{"pypi", []string{"pypi-"}, "_-", lazy.Regexp(`^pypi-[A-Za-z0-9_-]{50,}`), onlyWords},
	{"sendgrid", []string{"SG."}, "_-.", lazy.Regexp(`^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`), nil},
	{"age", []string{"AGE-SECRET-KEY-1"}, "", lazy.Regexp(`^AGE-SECRET-KEY-1[0-9A-Z]{50,}`), nil},
}

// Hints of what is no run of letters, behind those of shapes.
const (
	hintBegin = "-----BEGIN "
	hintEnd   = "-----END "
	hintURL   = "://"
	hintCut   = "…"
)

// noToken says that what stands in front of the first point is no header of a token.
func noToken(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	raw, err := base64.RawURLEncoding.DecodeString(head)
	return err != nil || !strings.Contains(string(raw), `"alg"`)
}

func noDigit(s string) bool { return !strings.ContainsAny(s, "0123456789") }

// onlyWords says that a text is words with hyphens between them, as the names of
// packages are, and no key.
func onlyWords(s string) bool {
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(piece) >= 16 || strings.ContainsAny(piece, "0123456789") && strings.ToLower(piece) != piece {
			return false
		}
	}
	return true
}

// Found is a stretch of a text that is a secret by its form; Kind is short and
// says which form. Part says that the text was cut inside it, so that only a piece
// of it stands there.
type Found struct {
	Start, End int // bytes
	Kind       string
	Part       bool
}

// Shapes finds the high-precision shapes of workspace §6, in order and apart from
// each other. None goes over a line end: of a private key each line is one, so that
// what stands in front of lines, such as numbers, is none. Its time is linear in s.
func Shapes(s string) []Found {
	f := shapeFinder{s: s}
	f.find()
	if len(f.found) < 2 {
		return f.found
	}
	slices.SortStableFunc(f.found, func(a, b Found) int { return a.Start - b.Start })
	apart := f.found[:1]
	for _, found := range f.found[1:] {
		if last := &apart[len(apart)-1]; found.Start >= last.End {
			apart = append(apart, found)
		} else if found.End > last.End {
			last.End, last.Part = found.End, true
		}
	}
	return apart
}

// ShapesOfPiece is Shapes for a piece of a longer text, whose beginning or end
// may be the middle of a secret.
func ShapesOfPiece(s string, cutBefore, cutAfter bool) []Found {
	off := 0
	if cutBefore {
		s, off = hintCut+s, len(hintCut)
	}
	end := len(s)
	if cutAfter {
		s += hintCut
	}
	found := Shapes(s)
	for i := range found {
		found[i].Start, found[i].End = max(found[i].Start, off)-off, min(found[i].End, end)-off
	}
	return found
}

// shapeFinder looks through one text.
type shapeFinder struct {
	s     string
	found []Found
	dead  [32]int // by shape: up to here it was looked for in vain, or found
	pem   int     // up to here private keys were looked at
}

func (f *shapeFinder) find() {
	m := shapeHints()
	state := 0
	for i := 0; i < len(f.s); i++ {
		state = int(m.next[state<<8|int(f.s[i])])
		if state >= m.accepting {
			for _, h := range m.ends[state-m.accepting] {
				f.candidate(h, i+1-len(m.hints[h]))
			}
		}
	}
}

// candidate looks at what begins with hint h at at.
func (f *shapeFinder) candidate(h, at int) {
	m := shapeHints()
	switch m.hints[h] {
	case hintBegin:
		f.privateKey(at)
	case hintEnd:
		f.restOfKey(at)
	case hintURL:
		f.urlUser(at)
	case hintCut:
		f.cut(at)
	default:
		f.key(m.shape[h], at, at+len(m.hints[h]))
	}
}

// key looks for shape k, whose hint ends at end. It goes through a run of letters once, however often the
// hint stands in it.
func (f *shapeFinder) key(k, at, end int) {
	if at < f.dead[k] || !f.beginsWord(at) {
		return
	}
	sh := &shapes[k]
	for end < len(f.s) && isRun(f.s[end], sh.more) {
		end++
	}
	f.dead[k] = end
	run := f.s[at:end]
	if m := sh.whole().FindString(run); m != "" && (sh.unless == nil || !sh.unless(m)) && !repeats(m) {
		f.found = append(f.found, Found{Start: at, End: at + len(m), Kind: sh.kind})
	}
}

// beginsWord says that no word goes over at; the letter of an escape, as in
// "\nghp_", belongs to none.
func (f *shapeFinder) beginsWord(at int) bool {
	if at == 0 || !isRun(f.s[at-1], "_") {
		return true
	}
	return at > 1 && f.s[at-2] == '\\' && strings.IndexByte("nrt", f.s[at-1]) >= 0
}

func isRun(b byte, more string) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || strings.IndexByte(more, b) >= 0
}

// repeats says that a text is one that people write for a key: its end is of very
// few characters, such as xxxxxxxx or 000000.
func repeats(s string) bool {
	tail := s[len(s)-min(len(s), 16):]
	return distinct(tail) <= 3
}

func distinct(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}

// hintMatcher finds every hint in one pass: a state for each beginning of a hint,
// the accepting ones last.
type hintMatcher struct {
	hints     []string
	shape     []int // of hint, -1 for those that are no run
	next      []uint8
	accepting int
	ends      [][]int // by state - accepting: the hints that end there
}

var shapeHints = sync.OnceValue(newHintMatcher)

func newHintMatcher() *hintMatcher {
	m := &hintMatcher{}
	for k, sh := range shapes {
		for _, h := range sh.hints {
			m.hints, m.shape = append(m.hints, h), append(m.shape, k)
		}
	}
	for _, h := range []string{hintBegin, hintEnd, hintURL, hintCut} {
		m.hints, m.shape = append(m.hints, h), append(m.shape, -1)
	}
	// The beginnings of hints, the whole ones last.
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, h := range m.hints {
		for n := range len(h) {
			if !slices.Contains(m.hints, h[:n]) {
				add(h[:n])
			}
		}
	}
	m.accepting = len(names)
	for _, h := range m.hints {
		add(h)
	}
	if len(names) > 256 {
		panic("secrets: too many hints of secrets for a byte")
	}
	m.next = make([]uint8, len(names)<<8)
	for state, name := range names {
		for b := range 256 {
			text := name + string([]byte{byte(b)})
			for !slices.Contains(names, text) {
				text = text[1:]
			}
			m.next[state<<8|b] = uint8(slices.Index(names, text))
		}
	}
	m.ends = make([][]int, len(names)-m.accepting)
	for i, name := range names[m.accepting:] {
		for h, hint := range m.hints {
			if strings.HasSuffix(name, hint) {
				m.ends[i] = append(m.ends[i], h)
			}
		}
	}
	return m
}
