package model

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// ImageTokens is what an image counts.
const ImageTokens = 1200

const (
	longRun     = 64       // bytes of letters and digits from which text is not prose
	pieceBytes  = 1 << 10  // the tokenizer is quadratic in a piece without breaks; never over 4 KiB
	exactBytes  = 64 << 10 // above, Exact samples
	sampleBytes = 16 << 10
	keepEncoder = time.Minute // after the last exact count
	learnRate   = 0.3
	minRatio    = 0.5
	maxRatio    = 4
	minSample   = 100 // tokens; what providers add to a smaller request says more than its text
)

// RawTokens is the estimate before anything is learned: a third of RawBytes.
//
// Count each message once, keep the number, and scale the sum by
// Counter.Ratio: what is learned later then applies to everything.
func RawTokens(text string) int64 { return (RawBytes(text) + 2) / 3 }

// RawBytes is the length of a text where those bytes count twice that are in long
// runs of letters and digits (base64, hashes). It is additive but for such runs,
// and looks at one byte in eight: it is asked about every message of every log
// that is opened.
func RawBytes(text string) int64 {
	dense := 0
	for i := longRun - 1; i < len(text); { // a long run holds one of these places
		if !inRun[text[i]] {
			i += longRun
			continue
		}
		from, to := i, i+1
		for from > 0 && inRun[text[from-1]] {
			from--
		}
		for to < len(text) && inRun[text[to]] {
			to++
		}
		if to-from >= longRun {
			dense += to - from
		}
		i = to + longRun
	}
	return int64(len(text) + dense)
}

// inRun are the bytes that base64, base64url and hex are made of.
var inRun = func() (set [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_") {
		set[b] = true
	}
	return set
}()

// Counter counts tokens. The truth is what providers report; it corrects
// estimates of what came since by what it has learned for each model, and
// counts exactly where a decision is close. The zero Counter is ready.
type Counter struct {
	// Vocabulary is used where it is not nil, and is never let go. Many Counters may
	// have the same one. It is set before the first count.
	Vocabulary *Vocabulary

	mu     sync.Mutex // guards ratios
	ratios map[string]float64

	exact sync.Mutex // guards enc and drop, and is held while encoding
	enc   *Vocabulary
	drop  *time.Timer
}

// Ratio is reported tokens per raw estimated token, 1 until something is
// learned; between 0.5 and 4.
func (c *Counter) Ratio(model string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.ratios[model]; ok {
		return r
	}
	return 1
}

// Learn compares what a provider reported with the raw estimate of the same
// request. Samples too small to say anything are ignored.
func (c *Counter) Learn(model string, reported, estimated int64) {
	if reported <= 0 || estimated < minSample {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := min(max(float64(reported)/float64(estimated), minRatio), maxRatio)
	if old, ok := c.ratios[model]; ok {
		seen = old + learnRate*(seen-old)
	}
	if c.ratios == nil {
		c.ratios = map[string]float64{}
	}
	c.ratios[model] = seen
}

// Exact counts with the o200k tokenizer: all of a text up to 64 KiB, above that
// a sample of 16 KiB; for models of the older cl100k it estimates from that.
// Other vendors' vocabularies differ from o200k by some percent, which is far
// less than a third of the bytes does. The vocabulary is loaded by the first
// call (120 ms, 40 MB) and let go a minute after the last, so this is for
// decisions close to a threshold, never while something waits for a lock. If it
// cannot be loaded, it estimates.
func (c *Counter) Exact(model, text string) int64 {
	c.exact.Lock()
	defer c.exact.Unlock()
	if err := c.load(); err != nil {
		return int64(float64(RawTokens(text))*c.Ratio(model) + 0.5)
	}
	n := float64(c.sampled(text))
	if usesCL100K(model) {
		n *= 1 + cl100kForeign*foreignShare(text)
	}
	return int64(n + 0.5)
}

// load has the vocabulary at hand for the next minute. It must be called with exact held.
func (c *Counter) load() error {
	if c.Vocabulary != nil {
		c.enc = c.Vocabulary
		return nil
	}
	if c.enc == nil {
		enc, err := LoadVocabulary()
		if err != nil {
			return err
		}
		c.enc = enc
	}
	if c.drop != nil {
		c.drop.Stop()
	}
	c.drop = time.AfterFunc(keepEncoder, c.Drop)
	return nil
}

// sampled counts a text, or 16 KiB of it taken all over it and scaled. It must be
// called with exact held.
func (c *Counter) sampled(text string) int64 {
	if len(text) <= exactBytes {
		return c.encode(text)
	}
	var sample strings.Builder
	for i := range sampleBytes / pieceBytes {
		from := i * (len(text) - pieceBytes) / (sampleBytes/pieceBytes - 1)
		sample.WriteString(cutAt(text[from:], pieceBytes))
	}
	return int64(float64(c.encode(sample.String())) * float64(len(text)) / float64(max(sample.Len(), 1)))
}

// Drop lets the vocabulary go at once, but not one that the Counter was given.
func (c *Counter) Drop() {
	c.exact.Lock()
	defer c.exact.Unlock()
	if c.drop != nil {
		c.drop.Stop()
	}
	c.enc, c.drop = nil, nil
}

// encode must be called with exact held.
func (c *Counter) encode(text string) (n int64) {
	for len(text) > 0 {
		piece := cutAt(text, pieceBytes)
		if !utf8.ValidString(piece) {
			piece = cutAt(piece, pieceBytes/3) // each bad byte is read as three
		}
		n += int64(len(c.enc.encoder.EncodeOrdinary(piece)))
		text = text[len(piece):]
	}
	return n
}

// cutAt is the beginning of text, at most limit bytes, cut behind a newline,
// else before a space, else between runes.
func cutAt(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head := text[:limit]
	if i := strings.LastIndexByte(head, '\n'); i > limit/2 {
		return head[:i+1]
	}
	if i := strings.LastIndexByte(head, ' '); i > limit/2 {
		return head[:i]
	}
	for i := limit; i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return head
}

// cl100kForeign is how much more tokens cl100k makes of text that is not ASCII
// than o200k does, of its own share: Chinese 1.5, Japanese 1.3, Korean 1.7,
// Russian 1.8, Hindi 3.3 times as many; code and English the same.
const cl100kForeign = 0.6

// HasOurVocabulary says that a model's own vocabulary is the one that is counted
// with here, or is estimated from it: those of OpenAI. Others may make more tokens
// of a text.
func HasOurVocabulary(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return openAIName().MatchString(name)
}

var openAIName = lazy.Regexp(`^(gpt-|chatgpt-|codex-|o[1-9](-|$))`)

// usesCL100K says that a model is one of those that OpenAI made before o200k.
func usesCL100K(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return name == "gpt-4" || strings.HasPrefix(name, "gpt-4-") || strings.HasPrefix(name, "gpt-3.5-") || strings.HasPrefix(name, "gpt-35-")
}

// foreignShare is how much of a text is not ASCII, 0 to 1.
func foreignShare(text string) float64 {
	n := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			n++
		}
	}
	return float64(n) / float64(max(len(text), 1))
}
