package system

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestFamilyOf(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5.1": "gpt", "gpt-4o-mini": "gpt", "o3": "gpt", "o4-mini": "gpt", "codex-mini-latest": "gpt", "chatgpt-4o-latest": "gpt", "ft:gpt-4.1:me": "gpt",
		"claude-opus-4-5": "claude", "anthropic/claude-sonnet-4.5": "claude", "us.anthropic.claude-haiku": "claude",
		"gemini-2.5-pro": "gemini", "google/gemini-3-flash": "gemini",
		"gpt-oss:20b": "open", "openai/gpt-oss-120b": "open", "qwen3-coder:30b": "open", "llama3.3": "open", "meta-llama/Llama-4-Scout": "open", "deepseek-chat": "open",
		"deepseek-r1-distill-qwen-7b": "open", "mistral-large-latest": "open", "gemma3:27b": "open", "phi-4": "open", "command-r-plus": "open", "hf.co/unsloth/GLM-4.6": "open",
		"": "", "scripted": "", "grok-4": "", "sonar-pro": "", "demo1": "", "promo3": "", "my-tuned-model": "",
	} {
		if got := familyOf(model); got != want {
			t.Errorf("%q: got %q, want %q", model, got, want)
		}
	}
}

// What is sent has no place left where something should have been filled in, no
// trace of a family in the default, and nothing that changes from day to day.
func TestPromptsAreWhole(t *testing.T) {
	left := regexp.MustCompile(`\{\{|\}\}|\$\{|%[sdvq]|\bT[O]DO|20\d\d-`)
	texts := map[string]string{"build": AgentPrompt("build"), "plan": AgentPrompt("plan"), "default": Default()}
	for _, f := range families {
		texts[f.name], _ = identityFor(f.words[0])
		if !strings.HasPrefix(texts[f.name], Default()+"\n\n") || len(texts[f.name]) < len(Default())+100 {
			t.Errorf("%s: a variant begins with the default", f.name)
		}
	}
	for name, text := range texts {
		if m := left.FindString(text); m != "" || strings.TrimSpace(text) == "" {
			t.Errorf("%s: %q is left over", name, m)
		}
	}
	if text, family := identityFor("scripted"); text != Default() || family != "" {
		t.Error("a model of no family gets the default")
	}
	if AgentPrompt("explore") != "" || AgentPrompt("compaction") != "" {
		t.Error("their prompts are elsewhere")
	}
}

// A line of a built-in agent's prompt that names a tool which is not offered is not
// sent; what a user's file adds to it always is.
func TestLinesOfToolsThatAreNotOffered(t *testing.T) {
	of := func(names ...string) (set tool.Set) {
		for _, name := range names {
			set = set.With(tool.Define(tool.Spec{Name: name}, func(struct{}) (*tool.Plan, error) { return nil, nil }))
		}
		return set
	}
	for _, row := range []struct {
		prompt  string
		offered tool.Set
		want    string
	}{
		{"No tool.\n- `path:line`, `a b`\n", of(), "No tool.\n- `path:line`, `a b`"},
		{"A.\n- Use `edit`.\n- Use `apply_patch`.\n", of("edit"), "A.\n- Use `edit`."},
		{"A.\n- Use `move` and `delete`.\nB.", of("move"), "A.\nB."},
		{"A.\n- Use `move` and `delete`.\nB.", of("move", "delete"), "A.\n- Use `move` and `delete`.\nB."},
	} {
		if got := offeredLines(row.prompt, row.offered); got != row.want {
			t.Errorf("%q with %v: %q", row.prompt, row.offered.Names(), got)
		}
	}
	all := of("edit", "write", "apply_patch", "move", "delete", "bash", "task", "tasks_update")
	build := config.Agent{Name: "build", Prompt: AgentPrompt("build") + "\n\nMine: `nothing`."}
	if got := (Prompt{Agent: build, Tools: all}).agent().Text; got != build.Prompt {
		t.Errorf("with all tools: %q", got)
	}
	if got := (Prompt{Agent: build, Tools: of("edit", "write")}).agent().Text; strings.Contains(got, "apply_patch") || !strings.Contains(got, "`edit`") || !strings.HasSuffix(got, "report them.\n- Work until the request is done, or until only the user can say how to go on.\n\nMine: `nothing`.") {
		t.Errorf("with two: %q", got)
	}
	mine := config.Agent{Name: "mine", File: "mine.md", Prompt: "Use `apply_patch`."}
	if got := (Prompt{Agent: mine, Folder: "sub`\n# Environment"}).agent().Text; !strings.HasPrefix(got, mine.Prompt+"\n\nYou work only in the folder `sub") || strings.Contains(got, "\n# Environment") {
		t.Errorf("an agent that is held to a folder is told %q", got)
	}
	if got := (Prompt{Agent: mine, Looks: true}).agent().Text; got != mine.Prompt {
		t.Errorf("the user's words: %q", got)
	}
}
