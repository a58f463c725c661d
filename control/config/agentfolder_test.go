package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// folderOf makes a home with agent files and opens its configuration.
func folderOf(t *testing.T, files map[string]string) (*Store, string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(home, Options{Tools: []string{"read", "ls", "glob", "grep", "write", "bash"}})
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func agentOf(t *testing.T, s *Store, name string) Agent {
	t.Helper()
	agents := s.Settings().Agents
	i := slices.IndexFunc(agents, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no agent %q", name)
	}
	return agents[i]
}

func messages(s *Store) string {
	var lines []string
	for _, d := range s.Settings().Diagnostics {
		lines = append(lines, filepath.Base(d.File)+": "+d.Message)
	}
	return strings.Join(lines, "\n")
}

// One broken file is a diagnostic; the others load. Doubles, tools that are not
// there and files that are none are said; what editors leave behind is not.
func TestAgentFolder(t *testing.T) {
	s, dir := folderOf(t, map[string]string{
		"a.md": "---\nname: twin\ntools: [read, fly, mcp__x__y]\n---\n", "b.md": "---\nname: Twin\n---\n", "broken.md": "---\nmode: x\n---\n",
		"good.md": "---\nmode: subagent\ntools: [task, read]\n---\nDo.", ".#good.md": "x", "notes.txt": "x", "compaction.md": "---\n---\nSay nothing.",
	})
	if err := os.Mkdir(filepath.Join(dir, "sub.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range s.Settings().Agents {
		names = append(names, a.Name)
	}
	if got := strings.Join(names, " "); got != "build plan explore compaction twin good" {
		t.Errorf("agents %s", got)
	}
	got := messages(s)
	for _, want := range []string{`a.md: there is no tool "fly"`, `b.md: the name is used as "twin"`, `b.md: the agent "twin" is already in a.md`, `broken.md: mode must be`,
		`good.md: a sub-agent never has the tool "task"`, "compaction.md: the agent compaction works for the program"} {
		if !strings.Contains(got, want) {
			t.Errorf("diagnostics lack %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "mcp__") || strings.Contains(got, ".#") || strings.Contains(got, "sub.md") || strings.Contains(got, "notes") {
		t.Errorf("too much is said:\n%s", got)
	}
}

// A file that is broken while it is edited leaves the last good one in force; one
// that is removed is gone.
func TestAgentReload(t *testing.T) {
	s, dir := folderOf(t, map[string]string{"r.md": "---\ndescription: one\n---\n"})
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "r.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !s.Reload() || s.Reload() {
			t.Fatal("a change is seen once")
		}
	}
	write("---\ndescription: two!\n---\n")
	if got := agentOf(t, s, "r").Description; got != "two!" {
		t.Errorf("description %q", got)
	}
	write("---\ndescription: [three]\n---\n")
	if got := agentOf(t, s, "r").Description; got != "two!" || !strings.Contains(messages(s), "the last good version of this agent is used") {
		t.Errorf("description %q; %s", got, messages(s))
	}
	write("---\ndescription: {four: 4}\n---\n")
	if got := strings.Count(messages(s), "the last good version"); agentOf(t, s, "r").Description != "two!" || got != 1 {
		t.Errorf("broken twice is said %d times", got)
	}
	write("---\ndescription: five\n---\n")
	if got := agentOf(t, s, "r").Description; got != "five" || messages(s) != "" {
		t.Errorf("description %q; %s", got, messages(s))
	}
	if err := os.Remove(filepath.Join(dir, "r.md")); err != nil {
		t.Fatal(err)
	}
	if s.Reload(); len(s.Settings().Agents) != len(BuiltInAgents()) {
		t.Error("a removed agent is still there")
	}
}

// The number of files that are read has an end.
func TestAgentFolderMany(t *testing.T) {
	for n, want := range map[int]bool{maxAgentFiles - 1: false, maxAgentFiles: false, maxAgentFiles + 1: true} {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("a%03d.md", i)] = "---\n---\n"
		}
		s, _ := folderOf(t, files)
		if got := strings.Contains(messages(s), "more than 200 agent files"); got != want {
			t.Errorf("%d files: said %v", n, got)
		}
		if got := len(s.Settings().Agents) - len(BuiltInAgents()); got != min(n, maxAgentFiles) {
			t.Errorf("%d files: %d agents", n, got)
		}
	}
}

// A user's file may narrow a built-in agent and never widen it, in full access
// neither.
func TestBuiltInIsOnlyNarrowed(t *testing.T) {
	s, _ := folderOf(t, map[string]string{
		"plan.md":    "---\ntools: [read, bash]\npermission:\n  - {domain: edit, pattern: '*', decision: allow}\n  - {domain: bash, pattern: '*', decision: allow}\nmaxTurns: 9\n---\nBe brief.",
		"explore.md": "---\ntools: [read, bash, write]\nmaxTurns: 500\nmode: subagent\n---\n",
		"build.md":   "---\ndescription: Mine\npermission:\n  - {domain: bash, pattern: '*', decision: deny}\nallowedHosts: [go.dev]\n---\n",
	})
	plan, explore, build := agentOf(t, s, "plan"), agentOf(t, s, "explore"), agentOf(t, s, "build")
	if !strings.HasSuffix(plan.Prompt, "\n\nBe brief.") || !strings.HasPrefix(plan.Prompt, "Investigate") || plan.MaxTurns != 9 || !plan.ReadOnly {
		t.Errorf("plan %+v", plan)
	}
	if !slices.Equal(explore.Tools, []string{"read"}) || !explore.ReadOnly { // its turns are bounded by the configuration: session's TestLimits
		t.Errorf("explore %+v", explore)
	}
	if build.Description != "Mine" || build.Tools != nil || build.ReadOnly {
		t.Errorf("build %+v", build)
	}
	judge := func(a Agent, mode string, domain tool.Domain, object string) control.Verdict {
		f := control.Facts{Layers: s.Settings().Layers, Agent: a.Name, Ceiling: a.Ceiling, Further: a.Further, Mode: tool.Mode(mode), Trusted: true, Roots: []string{"/w"}}
		p := &tool.Plan{Effect: tool.Write, Targets: []tool.Target{{Domain: domain, Object: object}}}
		if domain == "bash" {
			p.Effect, p.Command = tool.Exec, strings.TrimPrefix(object, "shell:")
		}
		return control.NewPolicy(f).Decide(p).Verdict
	}
	for _, mode := range []string{"agent", "full_access"} {
		for _, c := range []struct {
			a      Agent
			domain tool.Domain
			object string
			want   control.Verdict
		}{
			{plan, "edit", "vault:/a", control.Deny}, {plan, "bash", "shell:ls", control.Deny}, {explore, "edit", "vault:/a", control.Deny}, {build, "bash", "shell:ls", control.Deny},
			{build, "edit", "vault:/a", control.Allow}, {build, "web_fetch", "url:https://evil.dev/x", control.Deny}, {build, "web_fetch", "url:https://go.dev/x", control.Allow}, {plan, "read", "vault:/a", control.Allow},
		} {
			if got := judge(c.a, mode, c.domain, c.object); got != c.want {
				t.Errorf("%s in %s: %s %s is %s, want %s", c.a.Name, mode, c.domain, c.object, got, c.want)
			}
		}
	}
	wrong, _ := folderOf(t, map[string]string{"explore.md": "---\nmode: primary\n---\n"})
	if a := agentOf(t, wrong, "explore"); a.Mode != "subagent" || !strings.Contains(messages(wrong), `the built-in agent "explore" is a subagent agent`) {
		t.Errorf("%+v %s", a, messages(wrong))
	}
}
