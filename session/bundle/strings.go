package bundle

import (
	"encoding/json"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// eachString gives raw, which is JSON, with every text in it changed by f, names
// of members too. Everything else stays byte for byte.
func eachString(raw []byte, f func(string) string) ([]byte, error) {
	var out []byte // nil as long as nothing changed
	copied := 0
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			i++
			continue
		}
		start := i
		for i++; i < len(raw) && raw[i] != '"'; i++ {
			if raw[i] == '\\' {
				i++
			}
		}
		if i++; i > len(raw) {
			return nil, fmt.Errorf("a text that begins at byte %d has no end", start)
		}
		var text string
		if err := json.Unmarshal(raw[start:i], &text); err != nil {
			return nil, fmt.Errorf("the text at byte %d: %w", start, err)
		}
		changed := f(text)
		if changed == text {
			continue
		}
		encoded, err := history.Marshal(changed)
		if err != nil {
			return nil, err
		}
		out = append(append(out, raw[copied:start]...), encoded...)
		copied = i
	}
	if out == nil {
		return raw, nil
	}
	return append(out, raw[copied:]...), nil
}
