package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
)

// fenced is the first block of a language in a page of docs/.
func fenced(t *testing.T, page, language string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(raw)
	if m == nil {
		t.Fatalf("docs/%s has no block of %s", page, language)
	}
	return string(m[1])
}

// homeWith opens the configuration of a home that has these files.
func homeWith(t *testing.T, files map[string]string) (*config.Store, string) {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config, err := config.Open(home, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range config.Settings().Diagnostics {
		t.Errorf("the documented example: %s", d)
	}
	return config, home
}

// The agent of docs/agents.md is one without a complaint.
func TestAgentExample(t *testing.T) {
	config, _ := homeWith(t, map[string]string{"agents/reviewer.md": fenced(t, "agents.md", "markdown")})
	agents := config.Settings().Agents
	a := agents[len(agents)-1]
	if a.Name != "reviewer" || a.Mode != "subagent" || len(a.Tools) != 5 || len(a.Ceiling) != 2 || a.MaxTurns != 15 || !strings.HasPrefix(a.Prompt, "You review code.") {
		t.Errorf("%+v", a)
	}
}

// The hooks of docs/hooks.md are read without a complaint, and do what the page says:
// the three that ship, and the one in shell.
func TestHookExamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are not run on Windows yet")
	}
	conf, home := homeWith(t, map[string]string{"config.jsonc": fenced(t, "hooks.md", "jsonc"), "hooks/freeze.sh": fenced(t, "hooks.md", "sh")})
	r := &hooks.Runner{Home: home, Env: os.Environ}
	play := func(c hooks.Call) hooks.Outcome {
		t.Helper()
		out := r.Run(t.Context(), conf.Settings().Hooks[c.Hook], c)
		for _, a := range out.Acts {
			if a.Err != nil {
				t.Errorf("%s: %v", a.Name, a.Err)
			}
		}
		return out
	}
	system, output := "Be.", "a  \n{}\t\nb"
	one, json := 1.0, ` {"b":[1,2],"a":12345678901234567890} `
	if got := play(hooks.Call{Hook: config.ChatParams, Params: &config.Params{TopP: &one}}).Call.Params; got.Temperature == nil || *got.Temperature != 0.2 || *got.TopP != 1 {
		t.Errorf("temperature: %+v", got)
	}
	if got := *play(hooks.Call{Hook: config.ChatSystem, System: &system}).Call.System; got != "Be.\n\nAnswer in British English." {
		t.Errorf("system-line: %q", got)
	}
	after := hooks.Call{Hook: config.ToolAfter, Tool: "bash", Output: &output}
	if got := *play(after).Call.Output; got != "a\n{}\nb" {
		t.Errorf("format-output: %q", got)
	}
	after.Tool, after.Output = "mcp__x__y", &json
	if got := *play(after).Call.Output; got != "{\n  \"a\": 12345678901234567890,\n  \"b\": [\n    1,\n    2\n  ]\n}" {
		t.Errorf("format-output: %q", got)
	}
	before := hooks.Call{Hook: config.ToolBefore, Tool: "write", Input: []byte(`{"path":"api.gen.go"}`)}
	if out := play(before); !strings.HasPrefix(out.Refused, "files named *.gen.go are generated") {
		t.Errorf("freeze.sh: %+v", out)
	}
	before.Input = []byte(`{"path":"api.go"}`)
	if out := play(before); out.Refused != "" || out.Changed() {
		t.Errorf("freeze.sh: %+v", out)
	}
}

// What the command is asked wrongly is said.
func TestHookCommand(t *testing.T) {
	t.Setenv("LC_ALL", "C") // what is said is in the language of the environment
	for _, c := range []struct {
		args string
		in   string
		code int
		says string
	}{
		{"", "", 2, "temperature <number>"}, {"nothing", "", 2, "name one of the examples"}, {"temperature", "", 2, "say it as agent-sidecar hook temperature <number>"}, {"temperature 1 2", "", 2, ""},
		{"temperature warm", "{}", 1, "is not a number"}, {"temperature 1", "oops", 1, "must be JSON"}, {"format-output", "{}", 0, ""},
	} {
		in := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(in, []byte(c.in), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var errs bytes.Buffer
		code := run(append([]string{"hook"}, strings.Fields(c.args)...), file, os.Stderr, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("hook %s: %d, %s", c.args, code, errs.String())
		}
	}
}
