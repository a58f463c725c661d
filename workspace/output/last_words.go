package output

import (
	"strings"
	"sync"
)

// LastWords keeps the end of what a program says to people. Its methods are safe for
// concurrent use.
type LastWords struct {
	mu   sync.Mutex // guards text
	text []byte
}

const (
	wordsBytes = 4 << 10 // of the end that are kept
	wordsRunes = 200     // of them that are shown, in characters
)

// Write never fails.
func (l *LastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, LastPart(p, wordsBytes)...)
	l.text = append(l.text[:0], LastPart(l.text, wordsBytes)...)
	return len(p), nil
}

// Last is the last lines on one line, for people; "" for none.
func (l *LastWords) Last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var c Cleaner
	c.Write(l.text)
	c.Close()
	text := strings.TrimSpace(strings.ToValidUTF8(string(c.Text), "\uFFFD"))
	if r := []rune(text); len(r) > wordsRunes {
		text = "…" + string(r[len(r)-wordsRunes:])
	}
	return OneLine(text)
}
