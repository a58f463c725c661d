package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const autoAllowKey = runtimePath + "sandbox.autoAllow"

// autoAllow is a configuration that says this about commands in the sandbox.
func autoAllow(word string) string {
	return `{"agents": {"runtime": {"sandbox": {"autoAllow": "` + word + `"}}}}`
}

// Without a word of the person's commands are asked about; a word that means nothing makes
// every call ask, because it may have been meant to.
func TestAutoAllow(t *testing.T) {
	for text, want := range map[string]struct {
		is     string
		unread bool
	}{
		"-": {"off", false}, autoAllow("workspace"): {"workspace", false}, autoAllow("off"): {"off", false},
		autoAllow("of"): {"off", true}, `{"agents": {"runtime": {"sandbox": {"autoAllow": true}}}}`: {"off", true},
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
	s, _ := openStore(t, "-")
	s.SetInline(json.RawMessage(`{"model": "p/x", "agents": {"runtime": {"sandbox": {"autoAllow": "workspace"}}}}`))
	if err := s.AcceptInline(s.Settings().InlineHash); err != nil {
		t.Fatal(err)
	}
	now := s.Settings()
	if now.Model != "p/x" || now.Sandbox.AutoAllow != "off" || now.Origin[autoAllowKey] != "default" {
		t.Errorf("%q of %s", now.Sandbox.AutoAllow, now.Origin[autoAllowKey])
	}
	if len(now.Diagnostics) != 1 || !strings.Contains(now.Diagnostics[0].Message, `sandbox.autoAllow can be "workspace" only in the user's own configuration`) {
		t.Errorf("%+v", now.Diagnostics)
	}
	s, _ = openStore(t, autoAllow("workspace"))
	s.SetInline(json.RawMessage(autoAllow("off")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "off" || now.Held {
		t.Errorf("narrowed: %q, held %v", now.Sandbox.AutoAllow, now.Held)
	}
	s.SetInline(json.RawMessage(autoAllow("workspace")))
	if now = s.Settings(); now.Sandbox.AutoAllow != "workspace" || now.Held || now.Origin[autoAllowKey] != "config" {
		t.Errorf("the person's own: %q, held %v", now.Sandbox.AutoAllow, now.Held)
	}
}

// A program may turn it off and does nothing else to it.
func TestBypassAutoAllowBySet(t *testing.T) {
	s, path := openStore(t, autoAllow("workspace"))
	before := read(t, path)
	for _, value := range []string{`"workspace"`, `"Off"`, `"off "`, `["off"]`, `true`, `null`, ``, `"off", "mode": "off"`} {
		if err := s.Set(autoAllowKey, json.RawMessage(value)); !errors.As(err, new(*RefusedError)) || read(t, path) != before {
			t.Errorf("%s: %v\n%s", value, err, read(t, path))
		}
	}
	if err := s.Reset(autoAllowKey); !errors.As(err, new(*RefusedError)) {
		t.Errorf("reset: %v", err)
	}
	if err := s.Set(autoAllowKey, json.RawMessage(`"off"`)); err != nil || s.Settings().Sandbox.AutoAllow != "off" {
		t.Errorf("%v, %q", err, s.Settings().Sandbox.AutoAllow)
	}
	if err := s.Set(autoAllowKey, json.RawMessage(`"workspace"`)); err == nil {
		t.Error("it was turned on again")
	}
}
