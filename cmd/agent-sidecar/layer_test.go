package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const profiles = `{"model": "openai/scripted", "providers": {"p": {"baseUrl": "http://127.0.0.1:1/v1", "apiKeys": ["k"]}},
	"agents": {"runtime": {"limits": {"maxTurns": 50}, "permission": {"rules": [{"domain": "edit", "pattern": "*", "decision": "allow", "by": "always"}]}}},
	"profiles": {
		"review": {"mode": "plan", "rules": [{"domain": "edit", "pattern": "*", "decision": "deny"}], "budget": {"tokens": 1050}},
		"ask": {"mode": "ask"}, "broken": {"rules": [{"domain": "edit", "pattern": "regex:(", "decision": "allow"}]}, "odd": {"mod": "ask"}, "full": {"mode": "full_access"}}}`

// TestConfigLayer: what the command line says goes over the configuration, and its place is
// shown with it.
func TestConfigLayer(t *testing.T) {
	t.Parallel()
	s := newShell(t, profiles)
	outside := filepath.Join(s.home, "ci.jsonc")
	s.write(t, outside, "// for CI\n{\"agents\": {\"runtime\": {\"limits\": {\"maxTurns\": 7, \"maxToolCalls\": 8}}}}\n")
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"--set", "agents.runtime.limits.maxTurns=9"}, []string{"limits.maxTurns 9 argument 1 of --set"}},
		{[]string{"--set", "model=a/b", "--set", `fallback=["c/d"]`}, []string{`model "a/b" argument 1 of --set`, `fallback ["c/d"] argument 2 of --set`}},
		{[]string{"--set", "model=a/b", "--set", "model=c/d"}, []string{`model "c/d" argument 2 of --set`}},
		{[]string{"--set", "providers.p.baseUrl=http://127.0.0.1:2/v1"}, []string{`providers {"p":{"apiKeys":["«set»"],"baseUrl":"http://127.0.0.1:2/v1"}} argument 1 of --set`}},
		{[]string{"--config", outside}, []string{"limits.maxTurns 7 " + outside + ":2:48", "limits.maxToolCalls 8 " + outside + ":2:67"}},
		{[]string{"--config", outside, "--set", "agents.runtime.limits.maxTurns=9"}, []string{"limits.maxTurns 9 argument 1 of --set", "limits.maxToolCalls 8 " + outside}},
		{[]string{"--profile", "ask"}, []string{`mode.default "ask" profile`, "limits.maxTurns 50 " + s.home}},
		{[]string{"--profile", "ask", "--set", "agents.runtime.mode.default=agent"}, []string{`mode.default "agent" argument 1 of --set`}},
		{[]string{"--set", "agents.runtime.sandbox.autoAllow=off"}, []string{`sandbox.autoAllow "off" argument 1 of --set`}},
	} {
		_, out, errs := s.run(t, "", append([]string{"config"}, row.args...)...)
		flat := strings.Join(strings.Fields(out), " ")
		for _, want := range row.want {
			if !strings.Contains(flat, want) {
				t.Errorf("%q: no %q in\n%s%s", row.args, want, out, errs)
			}
		}
	}
}

// TestConfigLayerIsRefused: a mistake on the command line, and what only the person's own file
// can say, is refused before anything is done.
func TestConfigLayerIsRefused(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, profiles, "say never")
	outside, inside := filepath.Join(s.home, "bad.jsonc"), filepath.Join(s.dir, "ci.jsonc")
	s.write(t, outside, "{\n  \"modle\": \"x\"}")
	s.write(t, inside, "{}")
	must(t, os.Symlink(inside, filepath.Join(s.home, "in")), os.Symlink(outside, filepath.Join(s.dir, "out")))
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--set", "model"}, `argument 1 of --set: "model" has no =`},
		{[]string{"--set", "model=x", "--set", "limits.maxTurns=1"}, `argument 2 of --set: there is no key "limits.maxTurns"; there is "agents.runtime.limits.maxTurns"`},
		{[]string{"--set", "agents.runtime.limits.maxTurns=many"}, "argument 1 of --set: agents.runtime.limits.maxTurns: the value is not JSON: many"},
		{[]string{"--set", "agents.runtime.limits.maxTurns=-1"}, "argument 1 of --set: agents.runtime.limits.maxTurns must be at least 0"},
		{[]string{"--set", "agents.runtime.mode.default=full_access"}, "cannot be full_access"},
		{[]string{"--set", "agents.runtime.sandbox.autoAllow=workspace"}, "only in the user's own configuration"},
		{[]string{"--set", `trust.workspaces=["/"]`}, "trust.workspaces decides what may run"},
		{[]string{"--set", `trust.inline=["x"]`}, "trust.inline decides what may run"},
		{[]string{"--set", `runners={"r": {"connect": ["sh"]}}`}, "runners apply only in the user's own configuration"},
		{[]string{"--set", `sync={"url": "tls://x"}`}, "only in the user's own configuration"},
		{[]string{"--set", `network={"proxy": "http://x:1"}`}, "only in the user's own configuration"},
		{[]string{"--set", `webSearch={"provider": "brave", "apiKey": "k"}`}, "only in the user's own configuration"},
		{[]string{"--set", `profiles={"review": {}}`}, "profiles apply only in the user's own configuration"},
		{[]string{"--set", `mcp={"m": {"command": ["./x"]}}`}, "must be a name that PATH finds"},
		{[]string{"--config", outside}, outside + `:2:3: unknown key "modle"`},
		{[]string{"--config", inside}, "is in the directory that is worked in"},
		{[]string{"--config", "ci.jsonc"}, "is in the directory that is worked in"},
		{[]string{"--config", filepath.Join(s.home, "in")}, "is in the directory that is worked in"},
		{[]string{"--config", "out"}, "is in the directory that is worked in"},
		{[]string{"--config", filepath.Join(s.home, "missing")}, "no such file"},
		{[]string{"--profile", "night"}, `there is no profile "night"; there are ask, review`},
		{[]string{"--profile", "broken"}, "profile broken cannot be used: rule"},
		{[]string{"--profile", "odd"}, `profile odd cannot be used: no profile has a member "mod"`},
		{[]string{"--profile", "full"}, "profile full cannot be used: its mode must be one of: ask, edit, plan"},
	} {
		for _, command := range [][]string{{"run", "x"}, {"explain", "ls", "{}"}, {"config"}} {
			if code, out, errs := s.run(t, "", append(command, row.args...)...); code != exitMisused || out != "" || !strings.Contains(errs, row.says) {
				t.Errorf("%s %q: exit %d: %s%s", command[0], row.args, code, out, errs)
			}
		}
	}
	if n := len(s.model.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
	code, out, _ := s.run(t, "", "run", "--json", "--profile", "night", "x")
	if r, _ := s.result(t, out); code != exitMisused || r.Error == nil || r.Error.Kind != kindUsage {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestRunProfile: the rules of a profile come behind what was answered with always, and those of
// --set behind them; its mode, agent and budget apply where the command line has none.
func TestRunProfile(t *testing.T) {
	t.Parallel()
	const write = "call c1 write {\"path\": \"a.txt\", \"content\": \"x\"}\nusage 500 20\n---\nsay Done.\nusage 500 20\noptional"
	allow := `agents.runtime.permission.rules=[{"domain": "edit", "pattern": "*", "decision": "allow"}]`
	deny := `agents.runtime.permission.rules=[{"domain": "edit", "pattern": "*", "decision": "deny"}]`
	for _, row := range []struct {
		name string
		args []string
		code int
		made bool
		says string
	}{
		{"the answer of always", nil, 0, true, "Done."},
		{"--set over it", []string{"--set", deny}, 0, false, "Done."},
		{"a profile over it", []string{"--profile", "review", "--mode", "edit"}, 0, false, "Done."},
		{"--set over the profile", []string{"--profile", "review", "--mode", "edit", "--set", allow}, 0, true, "Done."},
		{"its mode", []string{"--profile", "review", "--set", allow}, 0, false, "Done."},
		{"its budget", []string{"--profile", "review", "--mode", "edit", "--max-tokens", "600", "--set", allow}, 0, true, "Done."},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, strings.Replace(profiles, `"model": "openai/scripted", `, "", 1), write)
			code, out, errs := s.run(t, "", append([]string{"run", "--trust-client", "Go."}, row.args...)...)
			if code != row.code || !strings.Contains(out, row.says) {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "a.txt")); (err == nil) != row.made {
				t.Errorf("a.txt: %v\n%s", err, out)
			}
		})
	}
	s := scriptedShell(t, strings.Replace(profiles, `"tokens": 1050`, `"tokens": 500`, 1), write)
	if code, out, errs := s.run(t, "", "run", "--model", "openai/scripted", "--profile", "review", "Go."); code != exitLimit || !strings.Contains(out, "the token budget (500)") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
