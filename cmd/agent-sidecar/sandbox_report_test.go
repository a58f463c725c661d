package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Who wants no question about commands is told where that cannot be.
func TestSandboxReportSaysWhetherCommandsAreAsked(t *testing.T) {
	byDefault := defaultAutoAllow()
	for _, c := range []struct {
		level, settings, word string
		missing               bool
	}{
		{proc.Namespaces, `"autoAllow": "workspace"`, "workspace", !proc.HasFilter()},
		{proc.Namespaces, `"autoAllow": "workspace", "network": true`, "workspace", true},
		{proc.Namespaces, `"autoAllow": "workspace", "writable": ["/"]`, "workspace", true},
		{proc.Landlock, `"autoAllow": "workspace"`, "workspace", true},
		{proc.None, `"autoAllow": "workspace"`, "workspace", true},
		{proc.None, `"autoAllow": "off"`, "off", false},
		{proc.None, ``, byDefault, byDefault == "workspace"},
	} {
		home := t.TempDir()
		text := `{"agents": {"runtime": {"sandbox": {` + c.settings + `}}}}`
		if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := config.Open(home, config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &wiring{prober: sandbox.At(sandbox.Level{Name: c.level})}
		got := w.sandboxReport(store)()
		if got.AutoAllow != c.word || slices.Contains(got.Missing, missingUnasked) != c.missing {
			t.Errorf("%s %s: %+v", c.level, c.settings, got)
		}
	}
}

// defaultAutoAllow is the word that holds in a new home where nobody has set it.
func defaultAutoAllow() string {
	i := slices.IndexFunc(config.Keys, func(k config.Key) bool { return k.Path == "agents.runtime.sandbox.autoAllow" })
	return config.Keys[i].Default.(string)
}
