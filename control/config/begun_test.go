package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The default depends on when a home began, and nothing else than the person's own word
// does away with the question of one that is older. A configuration that came from another
// machine makes no home old.
func TestDefaultOfAHome(t *testing.T) {
	wideDefault(t)
	for name, c := range map[string]struct {
		files map[string]string // by name; "" is a directory
		begin bool              // a session is about to be possible
		is    string
		asks  bool
	}{
		"empty":                         {nil, false, "workspace", false},
		"empty, then used":              {nil, true, "workspace", false},
		"with a configuration":          {map[string]string{"config.jsonc": `{"model": "p/x"}`}, true, "workspace", false},
		"what was found at the start":   {map[string]string{"sandbox.json": `{}`}, true, "workspace", false},
		"with sessions":                 {map[string]string{"sessions": ""}, true, "off", true},
		"with an audit":                 {map[string]string{"logs/agent-audit": ""}, true, "off", true},
		"with sessions, set by hand":    {map[string]string{"sessions": "", "config.jsonc": keyIs("workspace")}, true, "workspace", false},
		"with sessions, off by hand":    {map[string]string{"sessions": "", "config.jsonc": keyIs("off")}, true, "off", false},
		"new, off by hand":              {map[string]string{"config.jsonc": keyIs("off")}, true, "off", false},
		"that says so":                  {map[string]string{"sessions": "", "autoallow": "workspace\n"}, true, "workspace", false},
		"that says off":                 {map[string]string{"autoallow": "off\n"}, true, "off", false},
		"that says off, with sessions":  {map[string]string{"sessions": "", "autoallow": "off"}, true, "off", false},
		"with sessions and no word":     {map[string]string{"sessions": "", "autoallow": "\n"}, true, "off", true},
		"with sessions and a loud word": {map[string]string{"sessions": "", "autoallow": "WORKSPACE"}, true, "off", true},
		"whose word is no file":         {map[string]string{"sessions": "", "autoallow/x": ""}, true, "off", true},
		"whose word leads nowhere":      {map[string]string{"sessions": "", "autoallow": "->/nowhere"}, true, "off", true},
	} {
		home := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(home, path)
			switch {
			case text == "":
				do(t, os.MkdirAll(path, 0o700))
			case text == "->/nowhere":
				do(t, os.Symlink("/nowhere", path))
			default:
				write(t, path, text)
			}
		}
		if c.begin {
			Begin(nil, home)
			do(t, os.MkdirAll(filepath.Join(home, "sessions"), 0o700)) // as the first session does
		}
		if now := openHome(t, home).Settings(); now.Sandbox.AutoAllow != c.is || now.UnaskedOpen != c.asks {
			t.Errorf("a home %s: %q, asks %v", name, now.Sandbox.AutoAllow, now.UnaskedOpen)
		}
	}
}

// Where the default asks, no home is marked: a later version decides anew.
func TestNoHomeBeginsWithADefaultThatAsks(t *testing.T) {
	wideDefault(t)
	keyByPath[autoAllow].Default = "off"
	home := t.TempDir()
	Begin(nil, home)
	if left := list(t, home); len(left) > 0 {
		t.Errorf("%v", left)
	}
	if now := openHome(t, oldHome(t, "-")).Settings(); now.UnaskedOpen || now.Sandbox.AutoAllow != "off" {
		t.Errorf("%+v", now.UnaskedOpen)
	}
}

// An answer is stored as the person's own word, once.
func TestAnswerUnasked(t *testing.T) {
	wideDefault(t)
	for yes, word := range map[bool]string{true: "workspace", false: "off"} {
		home := oldHome(t, "{ // mine\n}\n")
		s := openHome(t, home)
		if err := s.AnswerUnasked(yes); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Store{s, openHome(t, home)} {
			if now := s.Settings(); now.Sandbox.AutoAllow != word || now.Origin[autoAllow] != "config" || now.UnaskedOpen {
				t.Errorf("%v: %q of %s, asks %v", yes, now.Sandbox.AutoAllow, now.Origin[autoAllow], now.UnaskedOpen)
			}
		}
	}
}

// A yes that comes late does not take back what the person's hand has written meanwhile,
// and there is none where nobody was asked.
func TestBypassAutoAllowByALateYes(t *testing.T) {
	wideDefault(t)
	for _, hand := range []string{keyIs("off"), keyIs("of"), `{"model": [`} {
		home := oldHome(t, "{}")
		s := openHome(t, home)
		write(t, filepath.Join(home, "config.jsonc"), hand)
		if err := s.AnswerUnasked(true); err == nil || read(t, filepath.Join(home, "config.jsonc")) != hand {
			t.Errorf("after %s: %v", hand, err)
		}
	}
	home := oldHome(t, "-")
	write(t, filepath.Join(home, "autoallow"), "off\n")
	for _, s := range []*Store{openHome(t, home), openHome(t, oldHome(t, keyIs("off")))} {
		if err := s.AnswerUnasked(true); !errors.Is(err, errAnswered) || s.Settings().Sandbox.AutoAllow != "off" {
			t.Errorf("nobody was asked: %v, %q", err, s.Settings().Sandbox.AutoAllow)
		}
	}
	s := openHome(t, oldHome(t, "{}"))
	s.SetInline(json.RawMessage(keyIs("off")))
	if err := s.AnswerUnasked(true); err == nil {
		t.Error("the editor says off, and a yes was stored")
	}
}

// In a home that is older than the default no program gives itself the wider word.
func TestBypassAutoAllowBySetInAnOldHome(t *testing.T) {
	wideDefault(t)
	s := openHome(t, oldHome(t, "{}"))
	for _, err := range []error{s.Set(autoAllow, json.RawMessage(`"workspace"`)), s.Reset(autoAllow)} {
		if !errors.As(err, new(*RefusedError)) || s.Settings().Sandbox.AutoAllow != "off" {
			t.Errorf("%v, %q", err, s.Settings().Sandbox.AutoAllow)
		}
	}
}

// That nobody has used a home is no longer so once it was opened: another start does not
// take its sessions for older than they are.
func TestAHomeBeginsOnce(t *testing.T) {
	wideDefault(t)
	home := filepath.Join(t.TempDir(), "not", "there", "yet")
	Begin(nil, home)
	do(t, os.MkdirAll(filepath.Join(home, "sessions", "w-1"), 0o700))
	Begin(nil, home)
	if now := openHome(t, home).Settings(); now.UnaskedOpen || now.Sandbox.AutoAllow != "workspace" {
		t.Errorf("%q, asks %v", now.Sandbox.AutoAllow, now.UnaskedOpen)
	}
	old := oldHome(t, "-")
	Begin(nil, old)
	if now := openHome(t, old).Settings(); !now.UnaskedOpen {
		t.Error("a home with sessions began anew")
	}
}
