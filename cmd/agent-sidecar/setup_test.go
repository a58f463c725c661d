package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// TestSetUp: a person chooses a provider, types its key and chooses a model; both are stored once the provider has answered
// with them, and nothing where it has not, or where the person stops.
func TestSetUp(t *testing.T) {
	t.Parallel()
	model, err := scriptmodel.New("say Done.")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	settings := `{"providers": {"own": {"baseUrl": "` + server.URL + `/v1", "apiKeyEnv": ["OWN_KEY"]}, "gone": {"baseUrl": "http://127.0.0.1:1/v1", "apiKeyEnv": ["GONE_KEY"]}}}`
	for _, row := range []struct {
		name, typed, says string
		code              int
		stored            bool
	}{
		{"all of it", "own\nk-0123456789\n1\n", "The next prompt asks own/scripted.", 0, true},
		{"no provider", "\n", "no provider was chosen", 1, false},
		{"no key", "own\n\n", "no key was given", 1, false},
		{"no model", "own\nk-0123456789\n\n", "no model was chosen; nothing was stored", 1, false},
		{"nobody listens", "gone\nk-0123456789\n1\n", "gone: cannot connect", 1, false},
		{"the input ends", "own\n", "no key was given", 1, false},
	} {
		s := newShell(t, settings)
		code, out, errs := s.run(t, row.typed, "setup")
		raw, err := os.ReadFile(filepath.Join(s.home, ".agent-sidecar", "config.jsonc"))
		stored := strings.Contains(string(raw), "k-0123456789") && strings.Contains(string(raw), `"model": "own/scripted"`)
		if code != row.code || !strings.Contains(out+errs, row.says) || err != nil || stored != row.stored || !row.stored && string(raw) != settings {
			t.Errorf("%s: %d %q %q; stored: %s, %v", row.name, code, out, errs, raw, err)
		}
		if row.stored {
			if code, out, errs := s.run(t, "", "run", "hello"); code != 0 || !strings.Contains(out, "Done.") {
				t.Errorf("%s: a prompt: %d %q %q", row.name, code, out, errs)
			}
		}
	}
}
