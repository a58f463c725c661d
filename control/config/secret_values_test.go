package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every configured key is known literally, also what apiKeyEnv names; what stands
// beside keys is not.
func TestSecretValues(t *testing.T) {
	home := t.TempDir()
	text := `{"providers": {
	  "work": {"baseUrl": "https://llm.example.com/v1", "apiKeys": ["one-key", "two-key"], "apiKeyEnv": ["WORK_KEY", "NOT_SET"],
	    "headers": {"Authorization": "Bearer three-key", "X-Title": "agent"}, "models": {"big": {"window": 1000}}}},
	  "mcp": {"a": {"command": ["serve", "--token", "four-key", "--port", "80", "--api-key=five-key"], "env": {"GITHUB_TOKEN": "six-key", "LANG": "C"}},
	    "b": {"url": "https://b.example", "oauth": {"clientId": "agent", "clientSecretEnv": "B_SECRET"}}},
	  "webSearch": {"provider": "x", "apiKey": "seven-key"}}`
	if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := store.Settings().SecretValues(func(name string) string {
		return map[string]string{"WORK_KEY": "eight-key", "B_SECRET": "nine-key"}[name]
	})
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	if want := []string{"eight-key", "five-key", "four-key", "nine-key", "one-key", "seven-key", "six-key", "three-key", "two-key"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, want := range map[string]bool{"OPENAI_API_KEY": true, "gh_token": true, "CI_PAT": true, "SENTRY_DSN": true, "DATABASE_URL": true, "PATH": false, "HOME": false, "LANG": false} {
		if SecretName(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// A variable with a good name is kept back when its value is a secret.
func TestSecretVariable(t *testing.T) {
	d, err := readDocument("config", []byte(`{"providers": {"mine": {"baseUrl": "http://127.0.0.1:9/v1", "apiKey": "configured-key-1", "apiKeyEnv": ["CC"]}},
	  "mcp": {"b": {"url": "https://b.example", "oauth": {"clientId": "agent", "clientSecretEnv": "CXX"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	secret := build(defaults(), d, nil, false).SecretVariable(func(string) string { return "" })
	for entry, want := range map[string]bool{
		"CC=gcc": true, "cc=gcc": true, "CXX=g++": true, // the configuration names them
		"TZ=configured-key-1": true, "CFLAGS=-O2 -DX=configured-key-1": true,
		"LANG=ghp_abcdefghijklmnopqrstuvwxyz0123456789": true, "CFLAGS=-DX=ghp_abcdefghijklmnopqrstuvwxyz0123456789": true,
		"GOFLAGS=-ldflags=-X=main.password=hunter22": true, "CFLAGS=-DAPI_KEY=abc": true, "RUSTFLAGS=--cfg token=\"abc\"": true,
		"CLASSPATH=a -Dgpg.passphrase=x": true, "CFLAGS=-DBASIC_AUTH=x": true,
		"CFLAGS=-O2 -DNAME=x -std=c++20": false, "GOFLAGS=-mod=vendor -tags=a,b": false, "RUSTFLAGS=-C link-arg=-fuse-ld=lld": false,
		"PATH=/usr/local/bin:/usr/bin:/home/me/.nvm/versions/node/v22.1.0/bin:/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-git-2.47/bin": false,
		"PYTHONPATH=/home/me/keys": false, "LANG=de_DE.UTF-8": false,
	} {
		name, value, _ := strings.Cut(entry, "=")
		if secret(name, value) != want {
			t.Errorf("%s is a secret: %v", entry, !want)
		}
	}
}
