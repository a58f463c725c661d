package session

import (
	"bytes"
	"cmp"
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

// understood makes of arguments what their tool takes them for, and hides their secrets;
// raw is what was written where that is something else. An escape that JSON does not
// have could hide a secret from redact, so what was written is JSON then.
func understood(spec tool.Spec, input json.RawMessage, raw string, redact func(json.RawMessage) json.RawMessage) (json.RawMessage, string) {
	written := json.RawMessage(cmp.Or(raw, string(input)))
	u, ok := tool.Understand(spec, string(written))
	if !ok {
		return redact(input), string(redact(json.RawMessage(raw)))
	}
	if hidden := redact(u.Written); !bytes.Equal(hidden, u.Written) {
		return redact(u.Input), string(hidden)
	}
	return redact(u.Input), string(redact(written))
}

// aboutArguments tells the model what its arguments were taken for.
func aboutArguments(j *invocation) string {
	if j.call.Raw == "" || len(j.input) == 0 { // right, or not looked at
		return ""
	}
	u, ok := tool.Understand(j.tool.Spec(), j.call.Raw)
	if !ok {
		return ""
	}
	return "(" + strings.Join(u.Notes, " ") + ")"
}

// isObject says that JSON is an object, without half of a character in it.
func isObject(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '{' && bytes.Equal(raw, tool.WholeRunes(raw))
}

// defect says what is wrong with arguments, and what to send instead.
func defect(raw string) string {
	if err := syntaxError(raw); err != nil {
		if wrong, better, ok := tool.NearJSON(raw); ok {
			return fmt.Sprintf("the arguments are %s, not a JSON object; nothing was run. Send the call again and write %s: %q", wrong, better, cutText(raw, 200))
		}
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
