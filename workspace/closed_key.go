package workspace

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// keyBytes is the largest file in which a key is looked for: a larger one counts as one.
const keyBytes = 1 << 20

// keyLook is what was found in a file whose name a key may have.
type keyLook struct {
	stamp pathStamp
	at    int64 // when it was read, in Unix nanoseconds
	holds bool
}

// holdsKey says that a file has to be closed because of what is in it. It is read again
// when it changed. next takes what is known behind this search.
func (c *closedIndex) holdsKey(path string, next map[string]keyLook) bool {
	s, err := stampAt(path)
	if err != nil {
		return true // where it is gone there is nothing to close
	}
	k, known := c.keys[path]
	if !known || k.stamp != s || !s.settled(k.at) {
		k = keyLook{stamp: s, at: time.Now().UnixNano(), holds: true}
		if s.regular && s.size <= keyBytes {
			if data, err := durable.ReadFile(path, keyBytes); err == nil {
				k.holds = !isPublic(data)
			}
		}
	}
	next[path] = k
	return k.holds
}

// isPublic says that a text holds nothing but what everybody may see: certificates and
// public keys between lines that say so, or nothing at all. A key without such lines, a
// binary one, and a text that is written in two bytes for each character are not.
func isPublic(data []byte) bool {
	if len(bytes.TrimSpace(data)) == 0 {
		return true
	}
	if len(data) > keyBytes || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	text := strings.ToUpper(string(data))
	return strings.Contains(text, "-----BEGIN ") && !strings.Contains(text, "PRIVATE") && !strings.Contains(text, "SECRET") && !strings.Contains(text, "STATIC KEY")
}
