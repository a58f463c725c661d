package session

import (
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// cutText shortens text to max bytes at a rune.
func cutText(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}

// cutEnds is what is left of a text of which at most max bytes are shown: its
// beginning and its end, cut at runes.
func cutEnds(text string, max int) (head, tail string) {
	if len(text) <= max {
		return text, ""
	}
	from, to := max*2/3, len(text)-max/3
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[:from], text[to:]
}

// cutEncoded shortens text until it costs at most max bytes in a line, or is "…".
func cutEncoded(text string, max int) string {
	if encodedSize(text) <= max {
		return text
	}
	end, cost := 0, len("…")
	for end < len(text) {
		_, n := utf8.DecodeRuneInString(text[end:])
		if cost += encodedSize(text[end : end+n]); cost > max {
			break
		}
		end += n
	}
	return text[:end] + "…"
}

// encodedSize is what a text costs in a line of the log, in bytes, without its
// quotes.
func encodedSize(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n++
		case c < ' ':
			n += 5
		case c == 0xE2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]|1 == 0xA9: // U+2028, U+2029
			n += 3
		}
	}
	return n
}

// What one tool.returned may cost the log, in bytes: a line of it stays under 200
// KB whatever is configured. Encoding makes a wrapper at most twice as long, any
// other text up to six times.
const (
	maxResult  = 90 << 10
	maxEncoded = 2 * maxResult
	maxChanges = 12 << 10 // of FileChange; file.changed has them all
	// leastResult is what a result may always show, however small the window is:
	// a preview with where the whole lies needs about as much.
	leastResult = 2 << 10
	// maxReport is how much of a sub-agent's report its parent sees; the whole is
	// an artifact.
	maxReport = 8 << 10
)

func overlay(p, over model.Params) model.Params {
	if over.Temperature != nil {
		p.Temperature = over.Temperature
	}
	if over.TopP != nil {
		p.TopP = over.TopP
	}
	if over.MaxTokens != nil {
		p.MaxTokens = over.MaxTokens
	}
	if over.Effort != "" {
		p.Effort = over.Effort
	}
	return p
}
