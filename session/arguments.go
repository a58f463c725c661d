package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// compactJSON is text without blanks, when it is one JSON value.
func compactJSON(text string) (json.RawMessage, error) {
	var buf bytes.Buffer
	if err := json.Compact(&buf, []byte(text)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// compactOrNil drops what is not JSON.
func compactOrNil(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	out, err := compactJSON(string(raw))
	if err != nil {
		return nil
	}
	return out
}

// syntaxError says where text stops being JSON; nil when it is JSON.
func syntaxError(text string) error {
	if json.Valid([]byte(text)) {
		return nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	err := dec.Decode(&v)
	if err == nil {
		return fmt.Errorf("more follows the value at byte %d", dec.InputOffset())
	}
	return fmt.Errorf("not JSON from byte %d on", dec.InputOffset())
}

// digestOf is the hex sha256 of parts.
func digestOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// inputOf makes the log's JSON of a model's arguments: compact, and null where
// they are not JSON at all; raw then keeps the text.
func inputOf(arguments string) (input json.RawMessage, raw string) {
	text := strings.TrimSpace(history.Clean(arguments))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), ""
	}
	if compacted, err := compactJSON(text); err == nil {
		return compacted, ""
	}
	return json.RawMessage("null"), text
}
