package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No key that decides what may run is written by a program, and no spelling of a
// key or a value reaches one.
func TestSetRefusesWhatDecides(t *testing.T) {
	const before = "{\n  // mine\n  \"providers\": {\"p\": {\"baseUrl\": \"http://h\"}}\n}\n"
	s, path := openStore(t, before)
	rules := runtimePath + "permission.rules"
	for _, row := range []struct{ key, value string }{
		{rules, `[]`}, {rules + ".0", `{}`}, {runtimePath + "permission", `{"rules":[]}`}, {"agents", `{}`}, {"agents.runtime", `{}`}, {"", `{}`}, {".", `{}`}, {"agents.runtime.permission.", `{}`},
		{"trust", `{}`}, {"trust.workspaces", `["/"]`}, {"trust.inline", `["x"]`}, {"hooks", `{}`}, {"hooks.tool.before", `[{"command":["x"]}]`}, {"mcp", `{}`}, {"mcp.x", `{"command":["x"]}`}, {"tools.enabled", `true`},
		{runtimePath + "edit.outside", `"ask"`}, {runtimePath + "sandbox.mode", `"off"`}, {runtimePath + "sandbox.keepEnv", `["KEY"]`}, {runtimePath + "web.allowedHosts", `["*"]`},
		{"Hooks", `{}`}, {"hooks ", `{}`}, {"\u0068ooks\x00", `{}`}, {`model": "x", "hooks`, `{}`}, {"providers.", `{}`}, {"providers..x", `1`}, {"model.x", `1`}, {"providers", `{"p":{},"p":{}}`},
		{"providers", `null`}, {"providers", ``}, {"providers", `{`}, {"providers", `{} , "hooks": {}`}, {"model", `"x", "hooks": {}`}, {"providers", `7`}, {"model", `["x"]`}, {"providers.p.apiKeys", `["«set»"]`},
	} {
		err := s.Set(row.key, json.RawMessage(row.value))
		if err == nil || read(t, path) != before {
			t.Errorf("%q = %s: %v\n%s", row.key, row.value, err, read(t, path))
		}
	}
	for i := range Keys {
		if k := &Keys[i]; k.guarded {
			if err := s.Reset(k.Path); !errors.As(err, new(*RefusedError)) {
				t.Errorf("%s was reset: %v", k.Path, err)
			}
		}
	}
	// Names that look like more are only names.
	if err := s.Set(`providers.x": {}}, "hooks": {"a`, json.RawMessage(`"*/ // }"`)); err != nil {
		t.Fatal(err)
	}
	if now := s.Settings(); len(now.Hooks) != 0 || len(now.Diagnostics) != 0 || !strings.Contains(read(t, path), "// mine") {
		t.Errorf("%s\n%v", read(t, path), now.Diagnostics)
	}
}

func TestParseValue(t *testing.T) {
	for _, row := range []struct{ key, typed, want string }{
		{"model", "openai/x", `"openai/x"`}, {"model", `"openai/x"`, `"openai/x"`}, {"model", "7", `"7"`}, {"model", "true", `"true"`}, {"model", "", `""`},
		{runtimePath + "limits.maxTurns", "7", "7"}, {runtimePath + "limits.maxTurns", "seven", ""}, {"fallback", `["a"]`, `["a"]`}, {"fallback", "a", ""},
		{"providers.p.baseUrl", "http://h/v1", `"http://h/v1"`}, {"providers.p", `{"a": 1`, ""}, {"providers.p.models.m.window", "8000", "8000"}, {"nothing", "x", ""},
	} {
		got, err := ParseValue(row.key, row.typed)
		if string(got) != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s %s: %s %v", row.key, row.typed, got, err)
		}
	}
}

// Two keys are one number: the smaller holds and both show it, with its place; 0
// is no limit.
func TestTwoKeysForOneNumber(t *testing.T) {
	for text, want := range map[string]struct {
		calls, attempts int
		place           string
	}{
		`{}`: {60, 3, "default"},
		`{"agents":{"runtime":{"limits":{"maxToolCalls":59}}}}`:                                                        {59, 3, ":1:48"},
		`{"agents":{"runtime":{"limits":{"maxToolCalls":61}}}}`:                                                        {60, 3, "default"},
		`{"agents":{"runtime":{"limits":{"maxToolCalls":0}}}}`:                                                         {60, 3, "default"},
		`{"agents":{"runtime":{"doomLoop":{"maxToolCalls":0},"limits":{"maxToolCalls":500}}}}`:                         {500, 3, ":1:78"},
		`{"agents":{"runtime":{"doomLoop":{"maxToolCalls":0},"limits":{"maxToolCalls":0}}}}`:                           {0, 3, ":1:78"},
		`{"agents":{"runtime":{"doomLoop":{"maxAttempts":2},"retry":{"maxAttempts":9},"limits":{"maxToolCalls":30}}}}`: {30, 2, ":1:103"},
		`{"agents":{"runtime":{"doomLoop":{"maxAttempts":5},"retry":{"maxAttempts":4},"limits":{"maxToolCalls":30}}}}`: {30, 4, ":1:103"},
	} {
		s, path := openStore(t, text)
		c := s.Settings()
		place := strings.TrimPrefix(c.Sources[runtimePath+"limits.maxToolCalls"].String(), path)
		if c.Limits.MaxToolCalls != want.calls || c.DoomLoop.MaxToolCalls != want.calls || c.Retry.MaxAttempts != want.attempts || place != want.place ||
			string(c.Values[runtimePath+"doomLoop.maxToolCalls"]) != string(c.Values[runtimePath+"limits.maxToolCalls"]) {
			t.Errorf("%s: %+v %s", text, c.Limits, place)
		}
	}
}

// A change that cannot be made names the file once, whatever is wrong with it.
func TestChangeNamesTheFileOnce(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"broken":    func(path string) error { return os.WriteFile(path, []byte(`{"model": [oops}`), 0o600) },
		"too large": func(path string) error { return os.WriteFile(path, make([]byte, maxBytes+1), 0o600) },
		"no file":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		home := t.TempDir()
		path := filepath.Join(home, "config.jsonc")
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		s, err := Open(home, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Set("model", json.RawMessage(`"m"`)); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
