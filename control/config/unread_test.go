package config

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A configuration that cannot be read at the start does not lose its denials
// unseen: nothing is allowed by itself, also in full access, until it is fixed.
func TestAnUnreadableConfigurationAllowsNothingByItself(t *testing.T) {
	const rules = `{"domain": "read", "pattern": "vault:**", "decision": "deny"}`
	for text, want := range map[string]string{
		`{"agents": {"runtime": {"permission": {"rules": [` + rules + `]}}}} oops`: "config.jsonc cannot be read",
		`[]`: "config.jsonc cannot be read",
		`{"agents": {"runtime": {"permission": {"rules": ` + rules + `}}}}`:            "agents.runtime.permission.rules cannot be read",
		`{"agents": {"runtime": {"permission": [` + rules + `]}}}`:                     "agents.runtime.permission.rules cannot be read",
		`{"agents": [{"runtime": {"permission": {"rules": [` + rules + `]}}}]}`:        "agents.runtime.permission.rules cannot be read",
		`{"agents": {"runtime": {"web": {"allowedHosts": "example.com"}}}}`:            "agents.runtime.web.allowedHosts cannot be read",
		`{"agents": {"runtime": {"sandbox": {"mode": "requierd"}}}}`:                   "agents.runtime.sandbox.mode cannot be read",
		`{"hooks": [{"tool.before": []}]}`:                                             "hooks cannot be read",
		`{"agents": {"runtime": {"limits": {"maxTurns": "x"}}}, "model": 7, "mcp": 1}`: "",
		``: "",
	} {
		s, path := openStore(t, text)
		set := s.Settings()
		if set.Unread != want {
			t.Errorf("%s: unread %q, want %q", text, set.Unread, want)
			continue
		}
		if want == "" {
			continue
		}
		if len(set.Diagnostics) == 0 || !strings.Contains(set.Diagnostics[0].Message, "asking before every call, until the file is fixed") && !strings.Contains(set.Diagnostics[0].Message, "every call asks until it is fixed") {
			t.Errorf("%s: %v", text, set.Diagnostics)
		}
		for _, mode := range []string{"agent", "full_access"} {
			f := control.Facts{Layers: set.Layers, Rules: set.Rules, Mode: tool.Mode(mode), Trusted: true, Roots: []string{"/w"}, Scope: control.Scope{Workspace: "w"}, Unread: set.Unread}
			for _, plan := range []*tool.Plan{filePlan("read", "vault:/a"), filePlan("edit", "vault:/a"), bashPlan("git status")} {
				if d := control.NewPolicy(f).Decide(plan); d.Verdict != control.Ask || len(d.Always) > 0 {
					t.Errorf("%s: %s: %v is %v, %d offers", text, mode, plan.Targets, d.Verdict, len(d.Always))
				}
			}
			f.Grants = []control.Rule{{Domain: "read", Pattern: "vault:/a", Decision: "allow", Exact: true}}
			if d := control.NewPolicy(f).Decide(filePlan("read", "vault:/a")); d.Verdict != control.Allow {
				t.Errorf("%s: a person's own grant does not count: %v", text, d.Verdict)
			}
		}
		write(t, path, "{}")
		if s.Reload(); s.Settings().Unread != "" {
			t.Errorf("%s: mended, and still unread", text)
		}
		write(t, path, "{oops")
		if s.Reload(); s.Settings().Unread != "" {
			t.Errorf("%s: the last good configuration is known", text)
		}
	}
}

// A file that narrows a built-in agent and is broken at the start does not set it
// free: nobody knows what it would have taken away.
func TestABrokenNarrowingFileDoesNotWiden(t *testing.T) {
	for name, text := range map[string]string{
		"build.md":   "---\ntools: {oops}\npermission: [\n---\n",
		"Build.md":   "no front matter",
		"another.md": "---\nname: build\nmode: subagent\ntools: [read]\n---\n",
	} {
		s, _ := folderOf(t, map[string]string{name: text})
		a := agentOf(t, s, "build")
		for _, mode := range []string{"agent", "full_access"} {
			f := control.Facts{Layers: s.Settings().Layers, Agent: a.Name, Ceiling: a.Ceiling, Further: a.Further, Mode: tool.Mode(mode), Trusted: true, Roots: []string{"/w"}, Scope: control.Scope{Workspace: "w"}}
			for _, plan := range []*tool.Plan{filePlan("read", "vault:/a"), filePlan("edit", "vault:/a"), bashPlan("git status")} {
				if d := control.NewPolicy(f).Decide(plan); d.Verdict != control.Ask {
					t.Errorf("%s, %s: %v is %v", name, mode, plan.Targets, d.Verdict)
				}
			}
		}
		if !strings.Contains(messages(s), `every call of the agent "build" asks`) {
			t.Errorf("%s: %s", name, messages(s))
		}
		if len(agentOf(t, s, "plan").Further) > 0 {
			t.Errorf("%s: another agent asks, too", name)
		}
	}
}
