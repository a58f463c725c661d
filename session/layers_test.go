package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is sent to make a summary has no place left where something should have been
// filled in.
func TestCompactPromptsAreWhole(t *testing.T) {
	for _, text := range []string{compactPrompt, compactDescription} {
		if strings.ContainsAny(text, "{}%") || strings.TrimSpace(text) == "" {
			t.Errorf("something is left over in %q", text)
		}
	}
}

// configure writes the user's configuration.
func (h *house) configure(t *testing.T, text string) {
	t.Helper()
	path := h.deps.Config.Path()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.deps.Config.Reload()
}

// agent writes a file of the user's agents.
func (h *house) agent(t *testing.T, name, text string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(h.deps.Config.Path()), "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.deps.Config.Reload()
}

// The layers stand in one order, and who the agent is comes from one
// place only.
func TestLayers(t *testing.T) {
	h := newHouse(t)
	h.around.environment = func() system.Environment { return monday }
	var asked []string
	h.around.instructions = func(documents []string) []system.Layer {
		asked = documents
		return []system.Layer{{Name: "instructions", Source: "AGENTS.md", Text: "  Be kind.\x00\xff\n"}, {Name: "instructions", Source: "a/AGENTS.md", Note: "not read"}}
	}
	s := h.session(t)
	own, told := "Own.", system.Prompt{Environment: monday}.Layers(strings.Clone)[1].Text
	for _, row := range []struct {
		name, config, model string
		session             *string
		identity, source    string
	}{
		{"default", `{}`, "m", nil, system.Default(), "default"},
		{"of a family", `{}`, "claude-x", nil, (system.Prompt{Model: "claude-x"}).Layers(strings.Clone)[0].Text, "default, for models of the family claude"},
		{"mode default with a text", `{"systemPrompt": {"mode": "default", "text": "Mine."}}`, "m", nil, system.Default(), "default"},
		{"custom replaces it", `{"systemPrompt": {"mode": "custom", "text": "Mine."}}`, "claude-x", nil, "Mine.", "systemPrompt.text of the configuration"},
		{"custom without a text", `{"systemPrompt": {"mode": "custom", "text": " "}}`, "m", nil, system.Default(), "default"},
		{"the session's own", `{"systemPrompt": {"mode": "custom", "text": "Mine."}}`, "m", &own, "Own.", "this session's own"},
		{"cleared again", `{"systemPrompt": {"mode": "custom", "text": "Mine."}}`, "m", new(string), "Mine.", "systemPrompt.text of the configuration"},
	} {
		h.configure(t, row.config)
		h.model.name = row.model
		r := &run{agent: config.Agent{Name: "build", Prompt: "Build."}, model: h.model, prompt: history.RunStarted{System: "For this run."}}
		stateOf(s).Items = []history.Item{{Prompt: true, Blocks: []history.Block{{Type: "text", Text: "x"}, {Type: "resource_link", URI: "file:///w/a/x.go"}}}}
		layers := s.worker.layers(r, row.session)
		var names []string
		for _, l := range layers {
			names = append(names, l.Name)
		}
		if got := strings.Join(names, " "); got != "identity environment agent instructions instructions run" {
			t.Errorf("%s: layers %s", row.name, got)
		}
		if layers[0].Text != row.identity || layers[0].Source != row.source {
			t.Errorf("%s: %q from %q", row.name, layers[0].Text, layers[0].Source)
		}
		want := row.identity + "\n\n" + told + "\n\nBuild.\n\nBe kind.\uFFFD\uFFFD\n\nFor this run."
		if got := system.Joined(layers); got != want {
			t.Errorf("%s: got %q, want %q", row.name, got, want)
		}
		if len(asked) != 1 || asked[0] != "file:///w/a/x.go" {
			t.Errorf("asked about %q", asked)
		}
	}
}

// A sub-agent has the instructions for what its parent was asked about.
func TestLayersOfASubAgent(t *testing.T) {
	h := newHouse(t, model.Done{Text: "ok", Model: "m"})
	var asked []string
	h.around.instructions = func(documents []string) []system.Layer { asked = documents; return nil }
	s := h.session(t)
	if _, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: []history.Block{{Type: "resource_link", URI: "file:///w/a/x.go"}}}}); err != nil {
		t.Fatal(err)
	}
	asked = nil
	s.childAt("1", history.Origin{Session: s.id}).worker.layers(&run{model: h.model}, nil)
	if len(asked) != 1 || asked[0] != "file:///w/a/x.go" {
		t.Errorf("asked about %q", asked)
	}
}

// Each parameter is sent only where somebody has set it: the session before the
// agent before the configuration, and that in mode custom only.
func TestParameters(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	for _, row := range []struct{ config, agent, session, want string }{
		{`{}`, `{}`, `{}`, `{}`},
		{`{"systemPrompt": {"mode": "default", "params": {"temperature": 0.2, "topP": 0.5, "maxTokens": 9}}}`, `{}`, `{}`, `{}`},
		{`{"systemPrompt": {"mode": "custom", "params": {"temperature": 0}}}`, `{}`, `{}`, `{"temperature":0}`},
		{`{"systemPrompt": {"mode": "custom", "params": {"topP": 0.5}}}`, `{}`, `{}`, `{"topP":0.5}`},
		{`{"systemPrompt": {"mode": "custom", "params": {"maxTokens": 9}}}`, `{}`, `{}`, `{"maxTokens":9}`},
		{`{"systemPrompt": {"mode": "custom", "params": {"temperature": 0.2, "topP": 0.5}}}`, `{"temperature": 0.3}`, `{"maxTokens": 7}`, `{"temperature":0.3,"topP":0.5,"maxTokens":7}`},
		{`{}`, `{"temperature": 0.3, "topP": 1}`, `{"temperature": 0.9}`, `{"temperature":0.9,"topP":1}`},
	} {
		h.configure(t, row.config)
		var agent config.Params
		var session model.Params
		if json.Unmarshal([]byte(row.agent), &agent) != nil || json.Unmarshal([]byte(row.session), &session) != nil {
			t.Fatal("row")
		}
		got, _ := json.Marshal(s.deps.paramsOf(&run{agent: config.Agent{Params: agent}}, session))
		if string(got) != row.want {
			t.Errorf("%s, agent %s, session %s: got %s, want %s", row.config, row.agent, row.session, got, row.want)
		}
	}
}

// An agent whose commands only look is told so, also when it was sent by one, and only where
// it has commands. The agent plan is told with its prompts: what it is sent begins as for build.
func TestLooksText(t *testing.T) {
	bash := tool.NewSet(tool.Define(tool.Spec{Name: "bash"}, func(struct{}) (*tool.Plan, error) { return nil, nil }))
	reader := config.Agent{Name: "reader", Prompt: "Read.", Further: [][]control.Rule{control.ReadOnlyWorkspace()}}
	plan := config.Agent{Name: "plan", Prompt: system.AgentPrompt("plan"), Ceiling: control.BuiltInCeiling("plan")}
	free, nothing := config.Agent{Name: "free"}, config.Agent{Name: "nothing", Ceiling: control.NothingChanges()}
	h := newHouse(t)
	s := h.session(t)
	sent := &authority{session: &activity{}, above: s.calls.authority}
	nobody := &authority{}
	s.live = &run{agent: reader}
	for name, row := range map[string]struct {
		of    *authority
		agent config.Agent
		tools tool.Set
		want  int
	}{
		"it looks": {nobody, reader, bash, 1}, "no commands": {nobody, reader, tool.Set{}, 0}, "it may all": {nobody, free, bash, 0},
		"it may nothing": {nobody, nothing, bash, 0}, "plan": {nobody, plan, bash, 1}, "plan without commands": {nobody, plan, tool.Set{}, 0},
		"sent by one that looks": {sent, free, bash, 1},
	} {
		s.worker.authority = row.of
		text := s.worker.layers(&run{agent: row.agent, tools: row.tools, model: h.model}, nil)[2].Text + strings.Join(s.worker.remindersOf(row.agent, row.tools, &history.Transcript{}), "")
		if n := strings.Count(text, "sees the whole workspace read-only"); n != row.want {
			t.Errorf("%s: told %d times: %q", name, n, text)
		}
	}
	s.worker.authority = nobody
	as := func(a config.Agent) string {
		return s.worker.systemPrompt(&run{agent: a, tools: bash, model: h.model}, nil)
	}
	if build := (config.Agent{Name: "build", Prompt: system.AgentPrompt("build")}); as(build) != as(plan) {
		t.Errorf("build and plan begin with\n%s\nand\n%s", as(build), as(plan))
	}
}

// An agent whose folder is a link is told where that leads: what it named through the
// link would be refused as lying outside.
func TestFolderName(t *testing.T) {
	d := &Place{Files: &around{folder: func(name string) (string, error) { return map[string]string{"link": "vault:/docs"}[name], nil }}}
	if got := d.folderName(config.Agent{Workspace: "link"}); got != "vault:/docs" {
		t.Errorf("it is told %q", got)
	}
}
