package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keyIs is a configuration that says this about commands in the sandbox.
func keyIs(word string) string {
	return `{"agents": {"runtime": {"sandbox": {"autoAllow": "` + word + `"}}}}`
}

// wideDefault makes `workspace` the default for one test, whatever it is.
func wideDefault(t *testing.T) {
	t.Helper()
	key := keyByPath[autoAllow]
	was := key.Default
	key.Default = "workspace"
	t.Cleanup(func() { key.Default = was })
}

// oldHome is a home that was used before commands could run without a question by default.
func oldHome(t *testing.T, text string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if text != "-" {
		write(t, filepath.Join(home, "config.jsonc"), text)
	}
	return home
}

func openHome(t *testing.T, home string) *Store {
	t.Helper()
	s, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A word that means nothing makes every call ask, because it may have been meant to.
func TestAutoAllow(t *testing.T) {
	for text, want := range map[string]struct {
		is     string
		unread bool
	}{
		"-": {defaultOf(autoAllow), false}, keyIs("workspace"): {"workspace", false}, keyIs("off"): {"off", false},
		keyIs("of"): {defaultOf(autoAllow), true}, `{"agents": {"runtime": {"sandbox": {"autoAllow": true}}}}`: {defaultOf(autoAllow), true},
	} {
		s, _ := openStore(t, text)
		if now := s.Settings(); now.Sandbox.AutoAllow != want.is || (now.Unread != "") != want.unread {
			t.Errorf("%s: %q, unread %q", text, now.Sandbox.AutoAllow, now.Unread)
		}
	}
}

// A client's configuration never widens it, also after a yes to the rest of it, and it may
// narrow it at once.
func TestBypassAutoAllowByInlineConfiguration(t *testing.T) {
	wideDefault(t)
	s := openHome(t, oldHome(t, "-"))
	s.SetInline(json.RawMessage(`{"model": "p/x", "agents": {"runtime": {"sandbox": {"autoAllow": "workspace"}}}}`))
	if err := s.AcceptInline(s.Settings().InlineHash); err != nil {
		t.Fatal(err)
	}
	now := s.Settings()
	if now.Model != "p/x" || now.Sandbox.AutoAllow != "off" || now.Origin[autoAllow] != "default" || !now.UnaskedOpen {
		t.Errorf("%q of %s", now.Sandbox.AutoAllow, now.Origin[autoAllow])
	}
	if len(now.Diagnostics) != 1 || !strings.Contains(now.Diagnostics[0].Message, `sandbox.autoAllow can be "workspace" only in the user's own configuration`) {
		t.Errorf("%+v", now.Diagnostics)
	}
	s.SetInline(json.RawMessage(keyIs("off")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "off" || now.UnaskedOpen {
		t.Errorf("the editor says off, and the person is asked: %v", now.UnaskedOpen)
	}
	s, _ = openStore(t, "-")
	s.SetInline(json.RawMessage(keyIs("off")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "off" || now.Held {
		t.Errorf("the default narrowed: %q, held %v", now.Sandbox.AutoAllow, now.Held)
	}
	s, _ = openStore(t, keyIs("workspace"))
	s.SetInline(json.RawMessage(keyIs("off")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "off" || now.Held {
		t.Errorf("narrowed: %q, held %v", now.Sandbox.AutoAllow, now.Held)
	}
	s.SetInline(json.RawMessage(keyIs("workspace")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "workspace" || now.Held || now.Origin[autoAllow] != "config" {
		t.Errorf("the person's own: %q, held %v", now.Sandbox.AutoAllow, now.Held)
	}
}

// A program may turn it off and does nothing else to it.
func TestBypassAutoAllowBySet(t *testing.T) {
	s, path := openStore(t, keyIs("workspace"))
	before := read(t, path)
	for _, value := range []string{`"workspace"`, `"Off"`, `"off "`, `["off"]`, `true`, `null`, ``, `"off", "mode": "off"`} {
		if err := s.Set(autoAllow, json.RawMessage(value)); !errors.As(err, new(*RefusedError)) || read(t, path) != before {
			t.Errorf("%s: %v\n%s", value, err, read(t, path))
		}
	}
	if err := s.Reset(autoAllow); !errors.As(err, new(*RefusedError)) {
		t.Errorf("reset: %v", err)
	}
	if err := s.Set(autoAllow, json.RawMessage(`"off"`)); err != nil || s.Settings().Sandbox.AutoAllow != "off" {
		t.Errorf("%v, %q", err, s.Settings().Sandbox.AutoAllow)
	}
	if err := s.Set(autoAllow, json.RawMessage(`"workspace"`)); err == nil {
		t.Error("it was turned on again")
	}
}
