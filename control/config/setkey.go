package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Set writes one key of the user's file; Reset takes it out. A path may lead
// into a key that is an object: providers.local.baseUrl. Unknown keys and
// values that do not fit are refused, and so are the keys that decide what may
// run: those are written by a person's answer or the person's own hand. The one word
// of such a key that takes most away can be set, and not reset.
// Everything that is not named stays byte for byte.
func (s *Store) Set(path string, value json.RawMessage) error {
	key, inner, err := s.writable(path, value)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil || v == nil {
		return &RefusedError{"value", fmt.Sprintf("%s: the value is missing", path)}
	}
	if holdsMask(v) {
		return &RefusedError{"value", fmt.Sprintf("%s: %s stands for a secret that is not shown; it cannot be written back", path, Masked)}
	}
	var raw bytes.Buffer
	err = json.Compact(&raw, value)
	if word, is := v.(string); is { // some clients write a slash as an escape; a person reads this file
		raw.Reset()
		plain := json.NewEncoder(&raw)
		plain.SetEscapeHTML(false)
		err = plain.Encode(word)
		raw.Truncate(len(bytes.TrimRight(raw.Bytes(), "\n")))
	}
	if err != nil {
		return fmt.Errorf("set %s: %w", path, err)
	}
	if inner == nil {
		if err := key.check(raw.Bytes()); err != nil {
			return &RefusedError{"value", fmt.Sprintf("%s %v", path, err)}
		}
	}
	return s.edit("set "+path, func(text []byte) ([]byte, error) { return setJSON(text, path, raw.Bytes()) })
}

// Reset takes one key out of the user's file, so that its default holds again.
// One that is not there is reset already.
func (s *Store) Reset(path string) error {
	if _, _, err := s.writable(path, nil); err != nil {
		return err
	}
	return s.edit("reset "+path, func(text []byte) ([]byte, error) { return removeJSON(text, path) })
}

// writable finds the key of a path, unless it is one that no program writes this value of.
func (s *Store) writable(path string, value json.RawMessage) (*Key, []string, error) {
	key, inner := keyOf(path)
	switch {
	case key == nil:
		return nil, nil, &RefusedError{"key", unknownKey(path)}
	case key.narrowest != "" && isWord(value, key.narrowest):
	case key.narrowest != "":
		return nil, nil, &RefusedError{"key", fmt.Sprintf("%s decides what may run; only %q can be set here, anything else only by you, in %s", key.Path, key.narrowest, s.path)}
	case key.guarded:
		return nil, nil, &RefusedError{"key", fmt.Sprintf("%s decides what may run; only you can change it, in %s", key.Path, s.path)}
	}
	for _, name := range inner {
		if name == "" {
			return nil, nil, &RefusedError{"key", fmt.Sprintf("%q has an empty name in it", path)}
		}
	}
	return key, inner, nil
}

func holdsMask(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, Masked)
	case []any:
		for _, inner := range v {
			if holdsMask(inner) {
				return true
			}
		}
	case map[string]any:
		for _, inner := range v {
			if holdsMask(inner) {
				return true
			}
		}
	}
	return false
}

// Value is the effective value at a path, as it is shown to a person, and where
// it comes from.
func (s *Settings) Value(path string) (json.RawMessage, Source, error) {
	key, inner := keyOf(path)
	if key == nil {
		return nil, Source{}, &RefusedError{"key", unknownKey(path)}
	}
	raw := s.Shown()[key.Path]
	for _, name := range inner {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil || object[name] == nil {
			return nil, Source{}, &RefusedError{"key", fmt.Sprintf("%s is not set", path)}
		}
		raw = object[name]
	}
	return raw, s.Sources[key.Path], nil
}

// Name puts a text in the place of a value that is not configured: what the
// environment names is shown where it acts.
func (s *Settings) Name(path, value string, from Source) {
	raw, err := tool.CompactJSON(value)
	if err != nil {
		return // a text always encodes
	}
	s.Values, s.Sources = maps.Clone(s.Values), maps.Clone(s.Sources)
	s.Values[path], s.Sources[path] = raw, from
}
