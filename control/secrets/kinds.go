package secrets

import (
	_ "embed"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// shape is a high-precision shape of a secret: text that is a key by its form,
// whatever is around it. It has one of hints, and goes on with letters, digits
// and more. unless tells a name from a key where both have the form.
type shape struct {
	kind   string
	hints  []string
	more   string
	whole  func() *regexp.Regexp // from the hint on; its group, where it has one, is the secret
	before func() *regexp.Regexp // what ends in front of the hint and belongs to it; nil: nothing
	unless func(string) bool
	look   func(f *shapeFinder, sh *shape, at, end int) // in another way than as a run; nil: as one
}

// ownShapes are those that a list cannot say.
var ownShapes = []shape{
	{kind: "ghp", hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, whole: lazy.Regexp(`^gh[pousr]_[A-Za-z0-9]{30,}`)},
	{kind: "ghp", hints: []string{"github_pat_"}, more: "_", whole: lazy.Regexp(`^github_pat_[A-Za-z0-9_]{40,}`)},
	{kind: "sk", hints: []string{"sk-"}, more: "_-", whole: lazy.Regexp(`^sk-[A-Za-z0-9_-]{20,}`), unless: onlyWords},
	{kind: "stripe", hints: []string{"rk_live_", "rk_test_", "sk_live_", "sk_test_"}, whole: lazy.Regexp(`^[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{kind: "aws", hints: []string{"AKIA", "ASIA"}, more: "_", whole: lazy.Regexp(`^(?:AKIA|ASIA)[0-9A-Z]{16}$`), unless: noDigit},
	{kind: "xox", hints: []string{"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"}, more: "-", whole: lazy.Regexp(`^xox[abeoprs]-[A-Za-z0-9-]{10,}`), unless: noDigit},
	{kind: "jwt", hints: []string{"eyJ"}, more: "_-.", whole: lazy.Regexp(`^eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), unless: noToken},
	{kind: "glpat", hints: []string{"glpat-"}, more: "_-.", whole: lazy.Regexp(`^glpat-[A-Za-z0-9_-]{20,}`), unless: onlyWords},
	{kind: "google", hints: []string{"AIza"}, more: "_-", whole: lazy.Regexp(`^AIza[0-9A-Za-z_-]{35}$`)},
	{kind: "npm", hints: []string{"npm_"}, more: "_", whole: lazy.Regexp(`^npm_[A-Za-z0-9]{36}$`)},
	{kind: "hf", hints: []string{"hf_"}, more: "_", whole: lazy.Regexp(`^hf_[A-Za-z0-9]{30,}$`), unless: noDigit},
	{kind: "pypi", hints: []string{"pypi-"}, more: "_-", whole: lazy.Regexp(`^pypi-[A-Za-z0-9_-]{50,}`), unless: onlyWords},
	{kind: "sendgrid", hints: []string{"SG."}, more: "_-.", whole: lazy.Regexp(`^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{kind: "sync", hints: []string{"agent-sidecar-sync-"}, more: "-", whole: lazy.Regexp(`^agent-sidecar-sync-[a-z2-7]{40,}`)},
	{kind: "header", hints: []string{"uthorization", "UTHORIZATION"}, look: authorizationHeader},
	{kind: "pem", hints: []string{"MII", "MIG", "MIH", "MHc", "MC4", "b3BlbnNzaC1rZXktdjE"}, look: (*shapeFinder).keyBody},
}

//go:embed shapes.txt
var listed string

// shapes are all shapes.
var shapes = sync.OnceValue(func() []shape { return slices.Concat(ownShapes, readShapes(listed)) })

// readShapes reads a list of shapes.
func readShapes(list string) []shape {
	var out []shape
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		col := strings.Fields(line)
		sh := shape{kind: strings.Trim(col[0], "<>"), unless: musts[col[len(col)-1]]}
		if near := sh.kind != col[0]; near {
			sh.whole, sh.look = lazy.Regexp("^(?:"+col[2]+")$"), nearWord
			for word := range strings.SplitSeq(col[1], ",") {
				sh.hints = append(sh.hints, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
			}
		} else {
			sh.hints = strings.Split(col[2], ",")
			var quoted []string
			for _, hint := range sh.hints {
				quoted = append(quoted, regexp.QuoteMeta(hint))
			}
			sh.whole = lazy.Regexp("^(?:" + strings.Join(quoted, "|") + ")(?:" + strings.TrimSuffix(col[3], "$") + ")" + ending(col[3]))
			if col[1] != "." {
				sh.before = lazy.Regexp("(?:" + col[1] + ")$")
			}
			if col[4] != "." {
				sh.more = col[4]
			}
		}
		out = append(out, sh)
	}
	return out
}

func ending(pattern string) string { return pattern[len(strings.TrimSuffix(pattern, "$")):] }

// musts are what a key must have, as conditions under which a text is none.
var musts = map[string]func(string) bool{".": nil, "digit": noDigit, "mixed": notMixed}

// Bare says that a secret of that kind may be elsewhere with nothing around it that
// gives it away, as the lines of a private key do on a page of their own.
func Bare(kind string) bool { return bare()[kind] }

var bare = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{"url": true, "pem": true, "header": true}
	for _, sh := range shapes() {
		if sh.look != nil || sh.secretGroup() {
			out[sh.kind] = true
		}
	}
	return out
})

// Bounds of a key with its hint, in bytes: shorter than leastRun is none, and behind
// maxRun nothing is looked at any more, all the rest belongs to it.
const (
	leastRun = 12
	maxRun   = 8 << 10
)

// match is where the key stands whose hint stands from at to end, in a run that ends
// at stop.
func (sh *shape) match(s string, at, end, stop int) (from, to int, ok bool) {
	if sh.before != nil {
		const most = 24 // bytes that belong to a key in front of its hint
		low := max(0, at-most)
		i := sh.before().FindStringIndex(s[low:at])
		if i == nil {
			return 0, 0, false
		}
		at = low + i[0]
	}
	hint := at
	if sh.before != nil {
		hint = end
		for _, h := range sh.hints {
			if strings.HasSuffix(s[:end], h) {
				hint = end - len(h)
			}
		}
	}
	window := min(stop, hint+maxRun)
	if window-hint < leastRun {
		return 0, 0, false
	}
	m := sh.whole().FindStringSubmatchIndex(s[hint:window])
	if m == nil {
		return 0, 0, false
	}
	from, to = at, hint+m[1]
	if to == window {
		to = stop
	}
	if sh.secretGroup() {
		from, to = hint+m[2], hint+m[3]
	}
	text := s[from:min(to, from+maxRun)]
	return from, to, (sh.unless == nil || !sh.unless(text)) && !repeats(text)
}

// secretGroup says that only a group is the secret, not what gives it away.
func (sh *shape) secretGroup() bool {
	return (sh.kind == "azure" || sh.kind == "webhook") && sh.whole().NumSubexp() == 1
}

// inName says that what has the form of a key with `sk-` is the end of a word with a name
// or a digest behind it, as in task-<digest>. In the middle of a word a key must show
// more of itself: who gave it, or a long piece that no name has.
func (sh *shape) inName(before, text string) bool {
	n := len(before)
	if sh.kind != "sk" || n == 0 || !isRun(before[n-1], "") || endsWithEscape(before) || strings.Contains(text, "T3BlbkFJ") {
		return false
	}
	if slices.ContainsFunc(givers, func(giver string) bool { return strings.HasPrefix(text, giver) }) {
		return false
	}
	piece := text[len("sk-"):]
	if i := strings.IndexAny(piece, "-_"); i >= 0 {
		piece = piece[:i]
	}
	return len(piece) < 32 || notMixed(piece)
}

// givers are how keys begin that say who gave them.
var givers = []string{"sk-ant-", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk-admin-"}

// endsWithEscape says that the letter at the end of s is that of an escape: \n or %3D, say.
func endsWithEscape(s string) bool { return escape().MatchString(s[max(0, len(s)-6):]) }

var escape = lazy.Regexp(`(?:\\[nrt]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})$`)

// noToken says that what is in front of the first point is no header of a token.
func noToken(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	raw, err := base64.RawURLEncoding.DecodeString(head)
	return err != nil || !strings.Contains(string(raw), `"alg"`)
}

func noDigit(s string) bool { return !strings.ContainsAny(s, "0123456789") }

// notMixed says that digits, large or small letters are missing.
func notMixed(s string) bool {
	return noDigit(s) || strings.ToLower(s) == s || strings.ToUpper(s) == s
}

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
