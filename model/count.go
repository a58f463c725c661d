package model

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
)

// ImageTokens is what an image counts (session §5).
const ImageTokens = 1200

const (
	longRun     = 64       // bytes without a space from which text is not prose
	pieceBytes  = 1 << 10  // the tokenizer is quadratic in a piece without breaks
	exactBytes  = 64 << 10 // above, Exact samples
	sampleBytes = 16 << 10
	keepEncoder = time.Minute // after the last exact count (ruling 109)
	learnRate   = 0.3
	minRatio    = 0.5
	maxRatio    = 4
)

// Counter counts tokens (session §5, rulings 54, 74, 109). The truth is what
// providers report; it estimates what came since, and learns for each model
// how far off the estimate is. The zero Counter is ready.
//
// Count each message once with Raw, keep the number, and Scale the sum: what
// is learned later then holds for everything.
type Counter struct {
	mu     sync.Mutex // guards what follows
	ratios map[string]float64
	model  string

	exact sync.Mutex // guards encoder and drop, and is held while encoding
	enc   *tiktoken.Tiktoken
	drop  *time.Timer
}

// Use names the model that Estimate and Exact are for.
func (c *Counter) Use(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = model
}

// Raw is the estimate before anything is learned: a third of the bytes, and
// two thirds of those in long ASCII runs without spaces (base64, minified
// code). It is additive but for such runs, and takes 1 ms a MB.
func (c *Counter) Raw(text string) int64 {
	dense, run, ascii := 0, 0, true
	end := func() {
		if run >= longRun && ascii {
			dense += run
		}
		run, ascii = 0, true
	}
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == ' ' || b == '\n' || b == '\t' || b == '\r':
			end()
		default:
			run++
			if b >= utf8.RuneSelf {
				ascii = false // a script that writes no spaces
			}
		}
	}
	end()
	return int64((len(text)-dense+2)/3 + (dense*2+2)/3)
}

// Estimate is Raw corrected by what was learned about the model in use.
func (c *Counter) Estimate(text string) int64 {
	c.mu.Lock()
	model := c.model
	c.mu.Unlock()
	return c.Scale(model, c.Raw(text))
}

// Scale corrects a sum of raw estimates for a model.
func (c *Counter) Scale(model string, raw int64) int64 {
	return int64(float64(raw)*c.Ratio(model) + 0.5)
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
// text. Samples too small to say anything are ignored.
func (c *Counter) Learn(model string, reported, estimated int64) {
	if reported <= 0 || estimated < 100 {
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
// a sample of 16 KiB. The vocabulary is loaded by the first call (120 ms,
// 40 MB) and let go a minute after the last, so this is for decisions close to
// a threshold, off the path of a request. If it cannot be loaded, it
// estimates.
func (c *Counter) Exact(text string) int64 {
	c.exact.Lock()
	defer c.exact.Unlock()
	if c.enc == nil {
		enc, err := loadVocabulary()
		if err != nil {
			return c.Estimate(text)
		}
		c.enc = enc
	}
	if c.drop != nil {
		c.drop.Stop()
	}
	c.drop = time.AfterFunc(keepEncoder, c.Drop)
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

// Drop lets the vocabulary go at once.
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
		n += int64(len(c.enc.EncodeOrdinary(piece)))
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
