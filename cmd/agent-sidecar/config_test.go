package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// TestConfigCommand: what a person sees and what stands in the file afterwards.
func TestConfigCommand(t *testing.T) {
	const before = "// mine\n{\n  \"model\": \"a/b\", // the good one\n  \"agents\": {\"runtime\": {\"doomLoop\": {\"maxToolCalls\": 40}}},\n  \"providers\": {\"p\": {\"apiKeys\": [\"private\"]}},\n}\n"
	for _, row := range []struct {
		name     string
		args     []string
		settings string // "" is before
		env      []string
		code     int
		says     []string
		after    string // "" is as it was
	}{
		{name: "all", args: []string{}, says: []string{
			"agents.runtime.mode.default  \"agent\"  default", "agents.runtime.limits.maxToolCalls  40  FILE:4:55", "model  \"a/b\"  FILE:3:12", "providers  {\"p\":{\"apiKeys\":[\"«set»\"]}}  FILE:5:16", "fallback  -  default",
		}},
		{name: "one", args: []string{"get", "model"}, says: []string{"\"a/b\"  FILE:3:12"}},
		{name: "of the environment", args: []string{"get", "model"}, settings: "{}", env: []string{"OPENAI_MODEL=gpt"}, says: []string{"\"openai/gpt\"  environment"}},
		{name: "set", args: []string{"set", "model", "c/d"}, after: strings.Replace(before, "a/b", "c/d", 1)},
		{name: "reset", args: []string{"reset", "providers"}, after: strings.Replace(before, "  \"providers\": {\"p\": {\"apiKeys\": [\"private\"]}},\n", "", 1)},
		{name: "no file", args: []string{"set", "model", "x"}, settings: "-", after: "{\"model\": \"x\"}\n"},
		{name: "unknown", args: []string{"set", "colour", "1"}, code: 1, says: []string{`there is no key "colour"`}},
		{name: "a wrong kind", args: []string{"set", "agents.runtime.limits.maxTurns", "1.5"}, code: 1, says: []string{"must be a whole number"}},
		{name: "a rule", args: []string{"set", "agents.runtime.permission.rules", "[]"}, code: 1, says: []string{"only you can change it, in FILE"}},
		{name: "too few words", args: []string{"set", "model"}, code: 2, says: []string{"set key value"}},
		{name: "another word", args: []string{"frob"}, code: 2, says: []string{"set key value"}},
		{name: "warning", args: []string{}, settings: `{"colour": 1}`, says: []string{`warning: FILE:1:2: unknown key "colour"`}},
		{name: "a character for the terminal", args: []string{}, settings: "{\"colour\": \"\x1b[31m\"}", code: 1, says: []string{"error: FILE:1:12: invalid literal: \"<U+001B>[31m\""}},
		{name: "a name for the terminal", args: []string{}, settings: "{\"col\\u001b[31mour\": 1}", says: []string{`unknown key "col\x1b[31mour"`}},
		{name: "error", args: []string{}, settings: `{"model": 7}`, code: 1, says: []string{"error: FILE:1:11: model must be a text; it is ignored", "model  \"\"  default"}},
		{name: "broken", args: []string{"set", "model", "x"}, settings: "{\n oops", code: 1, says: []string{"line 2, column 2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			settings := row.settings
			if settings == "" {
				settings = before
			}
			s := newShell(t, strings.TrimPrefix(settings, "-"), row.env...)
			file := filepath.Join(s.home, ".agent-sidecar", "config.jsonc")
			code, out, errs := s.run(t, "", append([]string{"config"}, row.args...)...)
			all := strings.ReplaceAll(out+errs, file, "FILE")
			if strings.ContainsAny(all, "\x1b") || strings.Contains(all, "private") {
				t.Errorf("%q", all)
			}
			flat := columns(all)
			for _, want := range row.says {
				if !strings.Contains(flat, want) {
					t.Errorf("does not say %q:\n%s", want, flat)
				}
			}
			after := row.after
			if after == "" {
				after = settings
			}
			if text, err := os.ReadFile(file); code != row.code || string(text) != strings.TrimPrefix(after, "-") || err != nil && after != "-" {
				t.Errorf("exit %d, %v\n%s", code, err, text)
			}
		})
	}
}

// columns makes the columns two blanks apart.
func columns(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for i, cell := range slices.DeleteFunc(strings.Split(strings.ReplaceAll(line, "\t", "  "), "  "), func(c string) bool { return c == "" }) {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(strings.TrimLeft(cell, " "))
		}
	}
	return b.String()
}

// TestConfigSchemaKnowsProviders holds the schema's providers, which are written
// by hand, against what is decoded.
func TestConfigSchemaKnowsProviders(t *testing.T) {
	members := func(v any, names ...string) []string {
		for _, name := range names {
			v = v.(map[string]any)[name]
		}
		var all []string
		for name := range v.(map[string]any) {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	tags := func(of reflect.Type) []string {
		var all []string
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "name" { // the name is the key
				all = append(all, name)
			}
		}
		slices.Sort(all)
		return all
	}
	var s any
	if err := json.Unmarshal(schema.Config(), &s); err != nil {
		t.Fatal(err)
	}
	provider := []string{"properties", "providers", "additionalProperties", "properties"}
	if got, want := members(s, provider...), tags(reflect.TypeFor[model.Provider]()); !slices.Equal(got, want) {
		t.Errorf("providers: %v, want %v", got, want)
	}
	if got, want := members(s, append(provider, "models", "additionalProperties", "properties")...), tags(reflect.TypeFor[model.ModelConfig]()); !slices.Equal(got, want) {
		t.Errorf("models: %v, want %v", got, want)
	}
}

// TestProviderMembers: what the configuration knows below a provider is what is read
// there, so that nothing that works is called unknown.
func TestProviderMembers(t *testing.T) {
	type shape struct {
		AdditionalProperties json.RawMessage
		Properties           map[string]json.RawMessage
	}
	at := func(raw json.RawMessage) (s shape) {
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	members := func(of reflect.Type) (names []string) {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
		return names
	}
	provider := at(at(at(config.Schema()).Properties["providers"]).AdditionalProperties)
	of := at(at(provider.Properties["models"]).AdditionalProperties)
	for _, row := range []struct{ known, read []string }{
		{slices.Sorted(maps.Keys(provider.Properties)), slices.DeleteFunc(members(reflect.TypeFor[model.Provider]()), func(n string) bool { return n == "name" })},
		{slices.Sorted(maps.Keys(of.Properties)), members(reflect.TypeFor[model.ModelConfig]())},
	} {
		slices.Sort(row.read)
		if !slices.Equal(row.known, row.read) {
			t.Errorf("known %v, read %v", row.known, row.read)
		}
	}
}
