package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// keyOf is the key that a dotted path names: itself, or the object that the rest
// of the path leads into, as in providers.local.baseUrl.
func keyOf(path string) (key *Key, inner []string) {
	for outer := path; ; {
		if key := keyByPath[outer]; key != nil && (outer == path || key.kind == kindObject) {
			if outer != path {
				inner = strings.Split(path[len(outer)+1:], ".")
			}
			return key, inner
		}
		cut := strings.LastIndexByte(outer, '.')
		if cut < 0 {
			return nil, nil
		}
		outer = outer[:cut]
	}
}

// RefusedError is a change of the configuration that is not made because of what
// was asked for, and not because it could not be written.
type RefusedError struct{ Field, Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// unknownKey says that there is no such key, and which one was perhaps meant.
func unknownKey(path string) string {
	for i := range Keys {
		if path != "" && strings.HasSuffix(strings.ToLower(Keys[i].Path), "."+strings.ToLower(path)) {
			return fmt.Sprintf("there is no key %q; there is %q", path, Keys[i].Path)
		}
	}
	return fmt.Sprintf("there is no key %q", path)
}

// ParseValue reads a value as a person types it for a key: JSON, or for a key
// that is a text, the text itself.
func ParseValue(path, typed string) (json.RawMessage, error) {
	key, _ := keyOf(path)
	if key == nil {
		return nil, &RefusedError{"key", unknownKey(path)}
	}
	if json.Valid([]byte(typed)) && (key.kind != kindString || strings.HasPrefix(strings.TrimSpace(typed), `"`)) {
		return json.RawMessage(typed), nil
	}
	if key.kind == kindString || key.kind == kindObject && !strings.ContainsAny(typed[:min(1, len(typed))], `{["`) {
		return tool.CompactJSON(typed)
	}
	return nil, &RefusedError{"value", fmt.Sprintf("%s: the value is not JSON: %s", path, typed)}
}
