package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a file says of a built-in agent arrives, whole: a member that is forgotten
// here would be read and not obeyed, as reset was.
func TestBuiltInHeedsItsFile(t *testing.T) {
	s, _ := folderOf(t, map[string]string{"build.md": "---\ndescription: Mine\nmodel: p/m\nallowedModels: [p/m]\nfallback: [p/m]\ntools: [read, bash]\npermission:\n  - {domain: bash, pattern: '*', decision: ask}\n" +
		"allowedHosts: [go.dev]\ntemperature: 0.5\nmaxTurns: 7\ntimeoutMs: 9\nbudget: {tokens: 11, cost: 0.5}\nworkspace: sub\nsandbox: {mode: required, network: false}\nkeys: [main]\n" +
		"reset: daily\ncompaction: {auto: false}\nmemoryFlush: false\n---\nBe brief.\n"})
	if got := messages(s); got != "" {
		t.Error(got)
	}
	build := reflect.ValueOf(agentOf(t, s, "build"))
	// Use is only of built-in agents, Mode is theirs, ReadOnly and Ceiling stay: the file's rules are among Further.
	not := []string{"Use", "ReadOnly", "Ceiling"}
	for i := range build.NumField() {
		if name := build.Type().Field(i).Name; build.Field(i).IsZero() != slices.Contains(not, name) {
			t.Errorf("%s is %v", name, build.Field(i))
		}
	}
}

// A list of hosts as an agent's file may have it lets nothing through that the
// person did not mean, and never more than there is without it.
func TestHostsOfAnAgent(t *testing.T) {
	f := baseFacts()
	f.Agent, f.Further = "a", readAgentText("---\nallowedHosts: [go.dev, '*.example.com', 'https://pkg.go.dev/x/', 'localhost:8080']\n---\n").agent.Further
	for url, want := range map[string]control.Verdict{
		"https://go.dev/doc": control.Allow, "http://go.dev/": control.Allow, "https://evil.dev/": control.Deny, "https://go.dev.evil.dev/": control.Deny, "https://evil.dev/go.dev/": control.Deny, "https://evil.dev/?go.dev/": control.Deny,
		"https://a.example.com/": control.Allow, "https://evilexample.com/": control.Deny, "https://pkg.go.dev/x/y": control.Allow, "https://pkg.go.dev/z": control.Deny, "https://go.dev@evil.dev/": control.Deny,
	} {
		d := decide(f, &tool.Plan{Tool: "web_fetch", Effect: tool.Net, Targets: []tool.Target{{Domain: "web_fetch", Object: "url:" + url}}})
		if d.Verdict != want {
			t.Errorf("%s is %s, want %s: %s", url, d.Verdict, want, d.Reason)
		}
	}
	local := &tool.Plan{Tool: "web_fetch", Effect: tool.Net, Targets: []tool.Target{{Domain: "web_fetch", Object: "url:http://localhost:8080/"}}}
	free := f
	free.Further = nil
	if d, without := decide(f, local), decide(free, local); d.Verdict > without.Verdict || d.Opens {
		t.Errorf("an agent's list opens a server of this machine: %s, without it %s, opens %v", d.Verdict, without.Verdict, d.Opens)
	}
}

// While a file that is to narrow a built-in agent is broken, the agent asks, whether
// the file is called like it or says that it is meant.
func TestBrokenFileOfABuiltIn(t *testing.T) {
	for file, text := range map[string]string{"build.md": "---\nTools: [read]\n---\n", "mine.md": "---\nname: Build\nsandbox: off\n---\n"} {
		s, _ := folderOf(t, map[string]string{file: text})
		f := baseFacts()
		f.Agent, f.Further = "build", agentOf(t, s, "build").Further
		if d := decide(f, filePlan("edit", "vault:/a.go")); d.Verdict != control.Ask || !strings.Contains(messages(s), `every call of the agent "build" asks`) {
			t.Errorf("%s: %s; %s", file, d.Verdict, messages(s))
		}
		if strings.Count(messages(s), "until it is fixed") != 1 {
			t.Errorf("%s: %s", file, messages(s))
		}
	}
}
