package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// inputOf makes the log's JSON of a model's arguments: a compact object, and null
// where they are none that every reader takes; raw then keeps the text.
func inputOf(arguments string) (input json.RawMessage, raw string) {
	text := strings.TrimSpace(history.Clean(arguments))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), ""
	}
	if compacted, err := compactJSON(text); err == nil && isObject(compacted) {
		return compacted, ""
	}
	return json.RawMessage("null"), text
}

// repaired mends arguments of read-only tools whose defect is benign: a code
// fence around them or a comma too many. Those of other tools are never mended.
func repaired(t tool.Tool, raw string) ([]byte, bool) {
	if t.Spec().Effect != tool.Read {
		return nil, false
	}
	text := strings.TrimSpace(raw)
	if rest, fenced := strings.CutPrefix(text, "```"); fenced {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	var inside string
	if json.Unmarshal([]byte(text), &inside) == nil { // an object, written as a string
		text = strings.TrimSpace(inside)
	}
	if out, err := compactJSON(text); err == nil {
		return out, isObject(out)
	}
	out, err := compactJSON(withoutTrailingCommas(text))
	return out, err == nil && isObject(out)
}

// isObject says that JSON is an object, without half of a character in it.
func isObject(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '{' && bytes.Equal(raw, tool.WholeRunes(raw))
}

// withoutTrailingCommas drops commas before a closing bracket, outside strings.
func withoutTrailingCommas(s string) string {
	var out []byte
	inString, escaped := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == '}' || c == ']'):
			trimmed := strings.TrimRight(string(out), " \t\r\n")
			if strings.HasSuffix(trimmed, ",") {
				out = []byte(strings.TrimSuffix(trimmed, ","))
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// defect says what is wrong with arguments, and what to send instead.
func defect(raw string) string {
	if err := syntaxError(raw); err != nil {
		return fmt.Sprintf("the arguments are not valid JSON; nothing was run. Send the call again with valid JSON: %v in %q", err, cutText(raw, 200))
	}
	if json.RawMessage(raw)[0] == '{' {
		return fmt.Sprintf("the arguments have half of a surrogate pair, which is no character; nothing was run. Send the call again without it: %q", cutText(raw, 200))
	}
	return fmt.Sprintf("the arguments are valid JSON, but no object; nothing was run. Send the call again with one object, as {\"name\": value}, in place of %q", cutText(raw, 200))
}

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
