package rpc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// agent/describe and initialize list the user's agents beside the built-in ones,
// as their files are now.
func TestAgentsAreListed(t *testing.T) {
	home := t.TempDir()
	conf, err := config.Open(home, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &about{back: &Backend{Config: conf}}
	if n := len(s.agents()); n != len(config.BuiltInAgents()) {
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

type noModels struct{ ModelLists }

func (noModels) Models() []string        { return nil }
func (noModels) Efforts(string) []string { return nil }

// What a settings view starts a custom prompt from is the default, whatever the
// user's file says, and no parameter at all.
func TestDescribedDefaults(t *testing.T) {
	home := t.TempDir()
	text := `{"systemPrompt": {"mode": "custom", "text": "Mine.", "params": {"temperature": 0.2}}}`
	if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := config.Open(home, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &about{link: &link{}, back: &Backend{Config: config, Tools: func() []tool.Spec { return nil }, Lists: noModels{}, Own: noFiles{}}}
	got, err := s.describe(t.Context(), nil, wire.None{})
	if err != nil || got.Defaults.SystemPrompt != system.Default() || got.Defaults.Params != (model.Params{}) {
		t.Errorf("%v: %+v", err, got.Defaults)
	}
	if raw, err := json.Marshal(got.Defaults.Params); err != nil || string(raw) != "{}" {
		t.Errorf("%v %s", err, raw)
	}
}

// noFiles is a workspace in which nobody has written anything for the agent.
type noFiles struct{}

func (noFiles) Skills() skills.Found    { return skills.Found{} }
func (noFiles) Commands() prompts.Found { return prompts.Found{} }
