package rpc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// agent/describe and initialize list the user's agents beside the built-in ones,
// as their files are now.
func TestAgentsAreListed(t *testing.T) {
	home := t.TempDir()
	config, err := control.OpenStore(home, control.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{back: &Backend{Config: config}}
	if n := len(s.agents()); n != len(control.BuiltInAgents()) {
		t.Fatalf("%d agents without any file", n)
	}
	dir := filepath.Join(home, "agents")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\ndescription: reviews\nmode: subagent\ntools: [read]\n---\nReview."
	if err := os.WriteFile(filepath.Join(dir, "review.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := s.agents()
	if got, want := all[len(all)-1], (agentInfo{"review", "reviews", true, "subagent"}); got != want {
		t.Errorf("listed %+v, want %+v", got, want)
	}
	if got := all[0]; got.Name != "build" || got.Mode != "primary" {
		t.Errorf("first is %+v", got)
	}
}
