package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestConfigDefaults(t *testing.T) {
	for _, text := range []string{"-", "", "\xef\xbb\xbf", "{}", " // nothing\n{ /* here */ }\n"} {
		s, _ := openStore(t, text)
		c := s.Settings()
		if c.Truncation.MaxLines != 2000 || c.Truncation.MaxBytes != 51200 || c.Truncation.Dir != ".agent-output" || c.Compaction.MaxChars != 120000 ||
			c.Compaction.SummaryPrefix != "【会话摘要】" || !c.Compaction.Auto || c.Compaction.Trigger != 0.8 || c.DoomLoop.SameToolThreshold != 5 ||
			c.Limits.MaxToolCalls != 60 || c.Mode.Default != "agent" || c.Origin[runtimePath+"limits.maxTurns"] != "default" || len(c.Diagnostics) != 0 {
			t.Errorf("%q: %+v", text, c.Diagnostics)
		}
	}
}

func TestConfigIsReadAndKept(t *testing.T) {
	s, path := openStore(t, "\xef\xbb\xbf{\r\n  // mine\r\n  \"agents\": {\"runtime\": {\"truncation\": {\"maxLines\": 10,},\r\n    \"limits\": {\"maxToolCalls\": 40}}},\r\n  \"colour\": 1, \"model\": 7,\r\n}\r\n")
	c := s.Settings()
	if c.Truncation.MaxLines != 10 || c.Origin[runtimePath+"truncation.maxLines"] != "config" || c.DoomLoop.MaxToolCalls != 40 || c.Model != "" {
		t.Error("values")
	}
	if len(c.Diagnostics) != 2 || c.Diagnostics[0].String() != path+`:5:3: unknown key "colour"` || c.Diagnostics[1].String() != path+":5:25: model must be a text; it is ignored" {
		t.Error(c.Diagnostics)
	}
	for _, broken := range []string{"{\n  \"model\": \"x\"\n  oops\n}", `{"model": "a", "model": "b"}`, "[]", strings.Repeat(" ", maxBytes+1), strings.Repeat("[", 200_000)} {
		write(t, path, broken)
		if !s.Reload() {
			t.Error("not noticed")
		}
		c = s.Settings()
		if c.Truncation.MaxLines != 10 || len(c.Diagnostics) == 0 || c.Diagnostics[0].Severity != "error" || !strings.Contains(c.Diagnostics[0].Message, "last good") {
			t.Errorf("%.30q: %v", broken, c.Diagnostics)
		}
		if err := s.Set("model", json.RawMessage(`"y"`)); err == nil || read(t, path) != broken {
			t.Errorf("%.30q: written over", broken)
		}
	}
	write(t, path, "{\n  \"model\": \"x\"\n  oops\n}")
	s.Reload()
	if d := s.Settings().Diagnostics[0]; d.Line != 3 || d.Column != 3 {
		t.Error(d)
	}
	if s.Reload() {
		t.Error("read again though nothing changed")
	}
}

func TestConfigLinkStaysALink(t *testing.T) {
	s, path := openStore(t, "-")
	real := filepath.Join(t.TempDir(), "dotfile.jsonc")
	write(t, real, "{}")
	if err := os.Symlink(real, path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("symlinks need a privilege on Windows")
		}
		t.Fatal(err)
	}
	if err := s.Set("model", json.RawMessage(`"m"`)); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(path); info.Mode()&os.ModeSymlink == 0 || read(t, real) != `{"model": "m"}` {
		t.Errorf("%v %s", info.Mode(), read(t, real))
	}
}

// A text is stored as a person would write it, whatever a client escapes.
func TestConfigSetPlainText(t *testing.T) {
	s, path := openStore(t, "-")
	write(t, path, "{}")
	if err := s.Set("model", json.RawMessage(`"acme\/a<b>"`)); err != nil || read(t, path) != `{"model": "acme/a<b>"}` {
		t.Errorf("%v %s", err, read(t, path))
	}
}

// A link whose file is not there yet is followed too.
func TestConfigLinkToNothing(t *testing.T) {
	s, path := openStore(t, "-")
	kept := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("not run: links need rights")
	}
	if err := os.Symlink(filepath.Join(kept, "dotfile.jsonc"), path); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("model", json.RawMessage(`"m"`)); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(path); info.Mode()&os.ModeSymlink == 0 || read(t, filepath.Join(kept, "dotfile.jsonc")) != "{\"model\": \"m\"}\n" {
		t.Error("the link was replaced")
	}
	// From a directory that is a link itself, one level up is that of the target.
	real, home := filepath.Join(t.TempDir(), "a", "b"), filepath.Join(t.TempDir(), "home")
	if err := errors.Join(os.MkdirAll(real, 0o700), os.Symlink(real, home), os.Symlink("../kept.jsonc", filepath.Join(real, "config.jsonc"))); err != nil {
		t.Fatal(err)
	}
	through, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := through.Set("model", json.RawMessage(`"m"`)); err != nil || through.Settings().Model != "m" {
		t.Error(err, through.Settings().Model)
	}
	loop := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	in, err := Open(filepath.Dir(loop), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Set("model", json.RawMessage(`"m"`)); err == nil {
		t.Error("a link to itself was written over")
	}
}

// A profile whose entry goes away while it is used leaves no run with the rules of the others
// alone: every call asks.
func TestProfileThatGoesAway(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"profiles": {"ci": {"rules": [{"domain": "edit", "pattern": "*", "decision": "deny"}]}}}`)
	s, err := Open(home, Options{Arguments: Arguments{Profile: "ci"}})
	if err != nil {
		t.Fatal(err)
	}
	if now := s.Settings(); now.Unread != "" || now.Layers[len(now.Layers)-1].Source != "profile" {
		t.Errorf("%q %+v", now.Unread, now.Layers)
	}
	write(`{"profiles": {}, "model": "p/another"}`)
	s.readAgain()
	if now := s.Settings(); now.Unread == "" {
		t.Error("the rules of the profile are gone, and nothing asks")
	}
}
