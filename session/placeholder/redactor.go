// Package placeholder keeps secrets out of what a model, a log and an audit see: it
// puts `«secret:ghp#1»` in the place of each and knows what is behind it, in
// memory and nowhere else. It decides by texts and names alone; it reads no file of
// the Vault and runs nothing.
package placeholder

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Bounds of what a redactor remembers: a text with more secrets still shows none of
// them, but those have no number, and cannot be put back.
const (
	maxSecrets = 10_000
	maxSecret  = 64 << 10 // bytes
	maxSources = 64       // of one secret, the latest
	maxBare    = 128      // secrets that are looked for literally
	leastBare  = 8        // bytes of one
)

// Redactor knows what is behind the placeholders of one session and its sub-agents.
// It is safe for concurrent use; its lock is a leaf.
type Redactor struct {
	used func() map[string]int // the highest number of each kind in what the session has said before

	mu     sync.Mutex     // guards everything below
	last   map[string]int // the number given last, by kind; nil: used was not asked yet
	byText map[string]*entry
	byName map[string]*entry
	bare   []string // secrets that a text is only known to hold by what is around them, the latest
}

type entry struct {
	name, text string
	from       []string // sources
}

// New is the redactor of a session. used tells which numbers are in its log already: an
// old placeholder must never mean a new secret. It is asked once, before the first
// number is given; nil: none.
func New(used func() map[string]int) *Redactor {
	return &Redactor{used: used, byText: map[string]*entry{}, byName: map[string]*entry{}}
}

// pattern is a placeholder, with its kind and number.
var pattern = lazy.Regexp(`«secret:([a-z]{1,16})#([0-9]{1,9})»`)

const opens = "«secret:"

// nameless is what stands for half a secret, or for one too many.
var nameless = lazy.Regexp(`«secret:[a-z]{1,16}»`)

// Literal is the kind of a text that only looks like a placeholder, because a
// file, a page or a command says so: it gets one of its own, so that no text from
// outside can name a secret.
const Literal = "literal"

// Redact hides what a tool has brought in: its secrets, and what looks like a
// placeholder in it. source is the file that all of it comes from, as an object
// ("vault:/a.env"); "" is no file, and then nothing of it can be put back.
func (b *Redactor) Redact(text, source string) string {
	return b.redact(text, source, true, false, false)
}

// RedactPart is Redact for a part of a file, of which found are the secrets that the whole
// file gives away.
func (b *Redactor) RedactPart(text, source string, found []secrets.Found) string {
	return b.redactAll(text, source, withLiterals(text, apart(slices.Concat(found, secrets.Shapes(text)))))
}

// RedactPartAgain is RedactPart for a text of the sidecar's own, whose placeholders are ours.
func (b *Redactor) RedactPartAgain(text string, found []secrets.Found) string {
	return b.redactAll(text, "", apart(slices.Concat(found, secrets.Shapes(text))))
}

// Learn remembers a secret of a file, so that it is known where it is by itself.
func (b *Redactor) Learn(kind, text, source string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(text) <= maxSecret && !slices.Contains(b.bare, text) {
		b.nameLocked(kind, text, source)
	}
}

// RedactPiece is Redact for a piece of a longer text that was cut on one of its sides.
func (b *Redactor) RedactPiece(text string, cutBefore, cutAfter bool) string {
	return b.redact(text, "", true, cutBefore, cutAfter)
}

// RedactAgain hides the secrets of a text that may contain placeholders already, because a
// model, a person or the sidecar wrote it.
func (b *Redactor) RedactAgain(text string) string { return b.redact(text, "", false, false, false) }

// RedactAgainFrom is RedactAgain for a text whose writer may use its own secrets again.
func (b *Redactor) RedactAgainFrom(text, source string) string {
	return b.redact(text, source, false, false, false)
}

func (b *Redactor) redact(text, source string, foreign, cutBefore, cutAfter bool) string {
	found := secrets.ShapesOfPiece(text, cutBefore, cutAfter)
	if foreign {
		found = withLiterals(text, found)
	}
	return b.redactAll(text, source, found)
}

// redactAll hides what was found in a text, and what it holds that is known.
func (b *Redactor) redactAll(text, source string, found []secrets.Found) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if found = b.withBareLocked(text, found); len(found) == 0 {
		return text
	}
	return secrets.Replace(text, found, func(f secrets.Found, s string) string {
		if f.Part || len(s) > maxSecret {
			return opens + f.Kind + "»"
		}
		return b.nameLocked(f.Kind, s, source)
	})
}

// withLiterals adds what looks like a placeholder.
func withLiterals(text string, found []secrets.Found) []secrets.Found {
	if !strings.Contains(text, opens) {
		return found
	}
	for _, at := range slices.Concat(pattern().FindAllStringIndex(text, -1), nameless().FindAllStringIndex(text, -1)) {
		found = append(found, secrets.Found{Start: at[0], End: at[1], Kind: Literal})
	}
	return apart(found)
}

// withBareLocked adds the passwords and lines of keys that are known, wherever else
// they stand: behind a name, or on a page without the first line of the key.
func (b *Redactor) withBareLocked(text string, found []secrets.Found) []secrets.Found {
	n := len(found)
	for _, known := range b.bare {
		for from := 0; ; {
			i := strings.Index(text[from:], known)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(known)
			if (at == 0 || !inWord(text[at-1])) && (from == len(text) || !inWord(text[from])) {
				found = append(found, secrets.Found{Start: at, End: from})
			}
		}
	}
	if len(found) == n {
		return found
	}
	return apart(found)
}

// knowsBare says that a text may contain one of them.
func (b *Redactor) knowsBare(text []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.bare, func(known string) bool { return bytes.Contains(text, []byte(known)) })
}

func inWord(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '_'
}

// apart puts stretches in order. Two that overlap become one, which is a part of
// something unless the first holds all of it.
func apart(found []secrets.Found) []secrets.Found {
	slices.SortStableFunc(found, func(a, b secrets.Found) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out := found[:0]
	for _, f := range found {
		if len(out) == 0 || f.Start >= out[len(out)-1].End {
			out = append(out, f)
			continue
		}
		if last := &out[len(out)-1]; f.End > last.End {
			last.End, last.Part, last.Kind = f.End, true, cmp.Or(last.Kind, f.Kind, "cut")
		}
	}
	return out
}

// nameLocked is the placeholder of a secret: the same for the same one.
func (b *Redactor) nameLocked(kind, text, source string) string {
	e := b.byText[text]
	if e == nil {
		if len(b.byText) >= maxSecrets {
			return opens + kind + "»"
		}
		if b.last == nil {
			b.last = map[string]int{}
			if b.used != nil {
				b.last = b.used()
			}
		}
		b.last[kind]++
		e = &entry{name: opens + kind + "#" + strconv.Itoa(b.last[kind]) + "»", text: text}
		b.byText[text], b.byName[e.name] = e, e
		if secrets.Bare(kind) && len(text) >= leastBare {
			b.bare = append(b.bare[max(0, len(b.bare)-maxBare+1):], text)
		}
	}
	if source != "" && !slices.Contains(e.from, source) {
		if len(e.from) == maxSources {
			e.from = slices.Delete(e.from, 0, 1)
		}
		e.from = append(e.from, source)
	}
	return e.name
}

// In says that a text has placeholders.
func In(text string) bool { return len(names(text)) > 0 }

// names are the placeholders of a text, each once.
func names(text string) (out []string) {
	if !strings.Contains(text, opens) {
		return nil
	}
	for _, name := range pattern().FindAllString(text, -1) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// From says whether a secret came from a source.
func (b *Redactor) From(name, source string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byName[name]
	return e != nil && slices.Contains(e.from, source)
}

// Known says whether there is still a secret behind a placeholder.
func (b *Redactor) Known(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byName[name] != nil
}

// fill puts the secrets of names into a text.
func (b *Redactor) fill(text string, names []string) string {
	if !strings.Contains(text, opens) {
		return text
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return pattern().ReplaceAllStringFunc(text, func(name string) string {
		if e := b.byName[name]; e != nil && slices.Contains(names, name) {
			return e.text
		}
		return name
	})
}

// mostUsed is the highest number that counts as given. Nobody gave a higher one, and
// behind it there must be room for those to come, which have nine digits at most.
const mostUsed = 900_000_000

// Highest collects the highest number of each kind that is in a text.
func Highest(in map[string]int, text []byte) {
	if !bytes.Contains(text, []byte(opens)) {
		return
	}
	for _, m := range pattern().FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(m[2]))
		if err == nil && n <= mostUsed && n > in[string(m[1])] {
			in[string(m[1])] = n
		}
	}
}
