package control

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func openStore(t *testing.T, text string) (*Store, string) {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	if text != "-" {
		write(t, path, text)
	}
	s, err := OpenStore(home, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestConfigDefaults(t *testing.T) {
	for _, text := range []string{"-", "", "\xef\xbb\xbf", "{}", " // nothing\n{ /* here */ }\n"} {
		s, _ := openStore(t, text)
		c := s.Settings()
		if c.Truncation.MaxLines != 2000 || c.Truncation.MaxBytes != 51200 || c.Truncation.Dir != ".agent-output" || c.Compaction.MaxChars != 120000 ||
			c.Compaction.SummaryPrefix != "【会话摘要】" || !c.Compaction.Auto || c.Compaction.Trigger != 0.8 || c.DoomLoop.SameToolThreshold != 5 ||
			c.Limits.MaxToolCalls != 60 || c.Mode.Default != "agent" || c.Origin[runtimePath+"limits.maxTurns"] != "default" || len(c.Diagnostics) != 0 {
			t.Errorf("%q: %+v", text, c.Diagnostics)
		}
	}
}

func TestConfigIsReadAndKept(t *testing.T) {
	s, path := openStore(t, "\xef\xbb\xbf{\r\n  // mine\r\n  \"agents\": {\"runtime\": {\"truncation\": {\"maxLines\": 10,},\r\n    \"limits\": {\"maxToolCalls\": 40}}},\r\n  \"colour\": 1, \"model\": 7,\r\n}\r\n")
	c := s.Settings()
	if c.Truncation.MaxLines != 10 || c.Origin[runtimePath+"truncation.maxLines"] != "config" || c.DoomLoop.MaxToolCalls != 40 || c.Model != "" {
		t.Error("values")
	}
	if len(c.Diagnostics) != 2 || c.Diagnostics[0].String() != path+`:5:3: unknown key "colour"` || c.Diagnostics[1].String() != path+":5:25: model must be a text; it is ignored" {
		t.Error(c.Diagnostics)
	}
	for _, broken := range []string{"{\n  \"model\": \"x\"\n  oops\n}", `{"model": "a", "model": "b"}`, "[]", strings.Repeat(" ", maxConfigBytes+1), strings.Repeat("[", 200_000)} {
		write(t, path, broken)
		if !s.Reload() {
			t.Error("not noticed")
		}
		c = s.Settings()
		if c.Truncation.MaxLines != 10 || len(c.Diagnostics) == 0 || c.Diagnostics[0].Severity != "error" || !strings.Contains(c.Diagnostics[0].Message, "last good") {
			t.Errorf("%.30q: %v", broken, c.Diagnostics)
		}
		if err := s.Set("model", json.RawMessage(`"y"`)); err == nil || read(t, path) != broken {
			t.Errorf("%.30q: written over", broken)
		}
	}
	write(t, path, "{\n  \"model\": \"x\"\n  oops\n}")
	s.Reload()
	if d := s.Settings().Diagnostics[0]; d.Line != 3 || d.Column != 3 {
		t.Error(d)
	}
	if s.Reload() {
		t.Error("read again though nothing changed")
	}
}

func TestConfigNumbersAtTheEdge(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"agents":{"runtime":{"truncation":{"maxLines":0}}}}`:                                                 false,
		`{"agents":{"runtime":{"truncation":{"maxLines":1}}}}`:                                                 true,
		`{"agents":{"runtime":{"truncation":{"maxLines":1.5}}}}`:                                               false,
		`{"agents":{"runtime":{"truncation":{"ttlDays":36501}}}}`:                                              false,
		`{"agents":{"runtime":{"truncation":{"ttlDays":36500}}}}`:                                              true,
		`{"agents":{"runtime":{"retry":{"idleMs":100000000001}}}}`:                                             false,
		`{"agents":{"runtime":{"retry":{"idleMs":100000000000}}}}`:                                             true,
		`{"agents":{"runtime":{"compaction":{"trigger":1}}}}`:                                                  true,
		`{"agents":{"runtime":{"compaction":{"trigger":-0.1}}}}`:                                               false,
		`{"agents":{"runtime":{"doomLoop":{"sameToolThreshold":1}}}}`:                                          false,
		`{"agents":{"runtime":{"doomLoop":{"sameToolThreshold":2}}}}`:                                          true,
		`{"agents":{"runtime":{"mode":{"default":"full_access"}}}}`:                                            false,
		`{"agents":{"runtime":{"edit":{"outside":"allow"}}}}`:                                                  false,
		`{"agents":{"runtime":7}}`:                                                                             false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"read","pattern":"[","decision":"allow"}]}}}}`: false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"reed","pattern":"x","decision":"allow"}]}}}}`: false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"read","pattern":"x","decision":"yes"}]}}}}`:   false,
		`{"agents":{"runtime":{"permission":{"rules":[7]}}}}`:                                                  false,
	} {
		s, _ := openStore(t, text)
		if d := s.Settings().Diagnostics; (len(d) == 0) != ok {
			t.Errorf("%s: %v", text, d)
		}
	}
}

const commented = `// my configuration
{
  "model": "m", // the good one
  "agents": {
    "runtime": {
      /* careful */
      "permission": {
        "rules": [
          // read docs
          {"domain": "read", "pattern": "fs:/usr/share/doc/**", "decision": "allow"}, // yes
        ],
      },
    },
  },
}
`

// A comment behind the last rule is about that rule, with and without a comma.
func TestNewRuleStandsBehindTheCommentOfTheLast(t *testing.T) {
	const rules = `{"agents": {"runtime": {"permission": {"rules": [
  {"domain": "bash", "pattern": "rm *", "decision": "deny"}%s
]}}}}`
	for behind, want := range map[string]string{
		"":                   ",\n  NEW",
		", // never":         ", // never\n  NEW,",
		" // never":          ", // never\n  NEW",
		" /* never */":       ", /* never */\n  NEW",
		",":                  ",\n  NEW,",
		", /* a */ // never": ", /* a */\n  NEW, // never",
	} {
		s, path := openStore(t, strings.Replace(rules, "%s", behind, 1))
		if err := s.AddAlways(Rule{Domain: "read", Pattern: "x", Decision: "allow"}); err != nil {
			t.Errorf("%q: %v", behind, err)
		}
		want = strings.Replace(want, "NEW", `{"domain":"read","pattern":"x","decision":"allow","by":"always"}`, 1)
		if got := read(t, path); got != strings.Replace(rules, "%s", want, 1) {
			t.Errorf("%q: %s", behind, got)
		}
	}
}

func TestConfigWritesKeepEveryOtherByte(t *testing.T) {
	rule := Rule{Domain: "bash", Pattern: "go test ./...", Decision: "allow", Exact: true, Workspace: "w-1"}
	const stored = `{"domain":"bash","pattern":"go test ./...","decision":"allow","workspace":"w-1","exact":true,"by":"always"}`
	s, path := openStore(t, commented)
	if err := s.AddAlways(rule); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(commented, `"decision": "allow"}, // yes`, `"decision": "allow"}, // yes`+"\n          "+stored+`,`, 1)
	if got := read(t, path); got != want {
		t.Fatalf("%s", got)
	}
	if err := s.AddAlways(rule); err != nil || read(t, path) != want {
		t.Error("stored twice", err)
	}
	if err := s.Set(runtimePath+"limits.maxTurns", json.RawMessage("5")); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("model", json.RawMessage(`"n"`)); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, `"model": "m"`, `"model": "n"`, 1)
	want = strings.Replace(want, "        ],\n      },", "        ],\n      },\n      \"limits\": {\"maxTurns\": 5},", 1)
	if got := read(t, path); got != want {
		t.Fatalf("%s", got)
	}
	if s.Settings().Limits.MaxTurns != 5 || s.Settings().Model != "n" {
		t.Error("not in force at once")
	}
	if err := s.Reset("model"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != strings.Replace(want, `"model": "n", `, "", 1) || s.Settings().Model != "" {
		t.Errorf("%s", got)
	}
	if layers := s.Settings().Layers; layers[len(layers)-1].Source != "always" || layers[len(layers)-1].Rules[1].Pattern != rule.Pattern {
		t.Error(layers)
	}
	for _, k := range []string{"nothing", runtimePath + "permission.rules", "trust.workspaces"} {
		if s.Set(k, json.RawMessage(`"x"`)) == nil {
			t.Errorf("%s could be set", k)
		}
	}
	if s.Set("model", json.RawMessage("7")) == nil || s.Set(runtimePath+"mode.default", json.RawMessage(`"full_access"`)) == nil {
		t.Error("a value that does not fit was set")
	}
}

func TestConfigWritesIntoAnything(t *testing.T) {
	for _, text := range []string{
		"-", "", "\xef\xbb\xbf", "{}", "{ }", "{\n}\n", "// {\n{}", `{"agents":{}}`, `{"agents":{"runtime":{"permission":{}}}}`, `{"agents":{"runtime":{"permission":{"rules":[]}}}}`,
		`{"agents":{"runtime":{"permission":{"rules":[ ]}}}}`, `{"agents":{"runtime":{"permission":{"rules":null}}}}`, `{"agents":null}`, `{"model":"m"}`, `{"model":"m",}`, "{\r\n\t\"model\": \"m\"\r\n}\r\n",
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"bash","pattern":"x","decision":"ask"} /* c */ ,]}}}}`,
		"{\"agents\":{\"runtime\":{\"permission\":{\"rules\":[\n]}}}}",
	} {
		s, path := openStore(t, text)
		before := len(s.Settings().Layers[len(s.Settings().Layers)-1].Rules)
		err := s.AddAlways(Rule{Domain: "bash", Pattern: "a & <b>", Decision: "allow"}, Rule{Domain: "bash", Pattern: "c", Decision: "allow"})
		rules := s.Settings().Layers[len(s.Settings().Layers)-1].Rules
		if strings.Contains(text, `"agents":null`) {
			if err != nil {
				continue // refused is fine: nothing was changed
			}
		}
		if err != nil || len(rules) != before+2 || len(s.Settings().Diagnostics) != 0 {
			t.Errorf("%q: %v\n%s\n%v", text, err, read(t, path), s.Settings().Diagnostics)
		}
		if strings.HasPrefix(text, "\xef\xbb\xbf") != strings.HasPrefix(read(t, path), "\xef\xbb\xbf") {
			t.Errorf("%q: byte order mark", text)
		}
	}
}

func TestConfigTwoProcessesWriteAtOnce(t *testing.T) {
	a, path := openStore(t, commented)
	b, err := OpenStore(filepath.Dir(path), StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changed := b.Changed()
	var wg sync.WaitGroup
	for i, s := range []*Store{a, b} {
		wg.Go(func() {
			for n := range 10 {
				if err := s.AddAlways(Rule{Domain: "bash", Pattern: fmt.Sprintf("%d-%d", i, n), Decision: "allow"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	a.Reload()
	n := 0
	for _, r := range a.Settings().Layers[len(a.Settings().Layers)-1].Rules {
		if r.By == "always" {
			n++
		}
	}
	if n != 20 || !strings.Contains(read(t, path), "// my configuration") {
		t.Errorf("%d of 20 rules survived", n)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
}

func TestConfigLinkStaysALink(t *testing.T) {
	s, path := openStore(t, "-")
	real := filepath.Join(t.TempDir(), "dotfile.jsonc")
	write(t, real, "{}")
	if err := os.Symlink(real, path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("symlinks need a privilege on Windows")
		}
		t.Fatal(err)
	}
	if err := s.Set("model", json.RawMessage(`"m"`)); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(path); info.Mode()&os.ModeSymlink == 0 || read(t, real) != `{"model": "m"}` {
		t.Errorf("%v %s", info.Mode(), read(t, real))
	}
}

func TestTrust(t *testing.T) {
	s, path := openStore(t, "-")
	if s.Trusted("/w") || s.Trusted("") {
		t.Fatal("trusted by itself")
	}
	if err := s.TrustWorkspace("/w/"); err != nil {
		t.Fatal(err)
	}
	again, err := OpenStore(filepath.Dir(path), StoreOptions{})
	if err != nil || !again.Trusted("/w") || again.Trusted("/w/sub") || again.Trusted("/") {
		t.Error("not remembered, or too much")
	}
	s.SetClientTrust(true)
	if !s.Trusted("/other") || strings.Contains(read(t, path), "other") {
		t.Error("the editor's word counts, for this process only")
	}
	if c, _ := OpenStore(t.TempDir(), StoreOptions{TrustClient: true}); !c.Trusted("/x") {
		t.Error("--trust-client trusts the folder")
	}
}

func TestInlineIsAnAllowList(t *testing.T) {
	s, _ := openStore(t, `{"agents":{"runtime":{"limits":{"maxTurns":50}}}}`)
	inline := `{"agentSidecar":{"events":{}},"commandSuffix":"-x","surfaces":{"messageRequest":false},"model":"evil","providers":{"p":{"baseUrl":"http://evil"}},"hooks":{"tool.before":[{"command":["evil"]}]},
		"mcp":{"evil":{}},"trust":{"workspaces":["/w"]},
		"agents":{"runtime":{"limits":{"maxTurns":10,"maxToolCalls":500,"wallMs":1000},"truncation":{"maxBytes":4096},"edit":{"outside":"ask"},"sandbox":{"mode":"off"},
		"permission":{"rules":[{"domain":"bash","pattern":"*","decision":"allow","by":"always"},{"domain":"bash","pattern":"git *","decision":"deny"}]}}}}`
	s.SetInline(json.RawMessage(inline))
	c := s.Settings()
	if c.CommandSuffix != "-x" || c.Limits.MaxTurns != 10 || c.Limits.MaxToolCalls != 60 || c.Limits.WallMs != 1000 || c.Truncation.MaxBytes != 4096 {
		t.Errorf("narrowing values do not act: %+v", c.Limits)
	}
	if c.Model != "" || string(c.Providers) != "{}" || len(c.Hooks) != 0 || c.Edit.Outside != "deny" || c.Sandbox.Mode != "auto" || !c.Held {
		t.Error("widening values act before anybody said yes")
	}
	f := baseFacts()
	f.Rules = c.Rules
	if d := decide(f, bashPlan("ls")); d.Verdict != Ask {
		t.Error("an inline allow acts before anybody said yes", d.Reason)
	}
	if d := decide(f, bashPlan("git status")); d.Verdict != Deny || d.Rule.Source != "inline" || d.Rule.Index != 1 {
		t.Error("an inline deny does not act", d.Rule)
	}
	if s.AcceptInline("0") == nil {
		t.Error("a yes to another text")
	}
	changed := s.Changed()
	if err := s.AcceptInline(c.InlineHash); err != nil {
		t.Fatal(err)
	}
	<-changed
	if c = s.Settings(); c.Model != "evil" || c.Limits.MaxToolCalls != 60 || c.Held || c.Origin["model"] != "inline" {
		t.Errorf("accepted, yet %+v", c.Origin)
	}
	f.Rules = c.Rules
	if d := decide(f, bashPlan("ls")); d.Verdict != Allow || d.Rule.Source != "inline" {
		t.Error(d.Reason)
	}
	if s.Trusted("/w") {
		t.Error("inline configuration gave itself trust")
	}
	if slices.ContainsFunc(c.Layers[len(c.Layers)-1].Rules, func(r Rule) bool { return r.Decision == "allow" }) {
		t.Error("an inline rule says that a person answered")
	}
	for _, l := range c.Layers {
		if l.Source == "inline" && l.Rules[0].By != "" {
			t.Error("an inline rule keeps its claim")
		}
	}
	// One character more is another text.
	s.SetInline(json.RawMessage(strings.Replace(inline, "evil\"", "evil2\"", 1)))
	if c = s.Settings(); c.Model != "" || !c.Held {
		t.Error("another text acts on the old yes")
	}
	s.SetInline(json.RawMessage(`{"model":`))
	if c = s.Settings(); c.CommandSuffix != "-x" || len(c.Diagnostics) == 0 {
		t.Error("a broken text replaced the one before")
	}
	s.SetInline(nil)
	if c = s.Settings(); c.CommandSuffix != "" || c.Held || len(c.Diagnostics) != 0 {
		t.Error("not removed")
	}
}

func TestInlineServersAreNotTheUsers(t *testing.T) {
	s, _ := openStore(t, `{"mcp":{"mine":{"command":["x"]}}}`)
	f := baseFacts()
	f.Rules = s.Settings().Rules
	if d := decide(f, filePlan("mcp", "mcp:mine/tool")); d.Verdict != Allow {
		t.Error(d.Reason)
	}
	if d := decide(f, filePlan("mcp", "mcp:other/tool")); d.Verdict != Ask {
		t.Error(d.Reason)
	}
	s, _ = openStore(t, `{"agents":{"runtime":{"web":{"allowedHosts":["go.dev"]},"edit":{"outside":"ask"}}}}`)
	f.Rules = s.Settings().Rules
	for object, want := range map[string]Verdict{"url:https://go.dev/x": Allow, "url:https://go.dev": Allow, "url:https://evil.dev/go.dev/": Deny, "url:https://go.dev.evil/": Deny, "url:https://evil/://go.dev/": Deny} {
		if d := decide(f, filePlan("web_fetch", object)); d.Verdict != want {
			t.Errorf("%s: %s", object, d.Reason)
		}
	}
	if d := decide(f, filePlan("edit", "fs:/x/y")); d.Verdict != Ask {
		t.Error(d.Reason)
	}
}

func TestShownHidesKeys(t *testing.T) {
	s, _ := openStore(t, `{"providers":{"p":{"baseUrl":"http://u:pw@h/v1","apiKeys":["abc"],"apiKeyEnv":["NAME"]}},"mcp":{"m":{"command":["x","--token","abc","--api-key=abc","API_KEY=abc","-v","shown"],"url":"https://h/?x=1&api_key=abc&y=2","env":{"A":"abc"},"headers":{"B":"abc"}}},
		"hooks":{"tool.before":[{"command":["curl","https://me:abc@h/"]}]},"webSearch":{"token":"abc"}}`)
	shown := s.Settings().Shown()
	text := string(shown["providers"]) + string(shown["mcp"]) + string(shown["hooks"]) + string(shown["webSearch"])
	for _, plain := range []string{"shown", "x=1", "y=2", "curl"} {
		if !strings.Contains(text, plain) {
			t.Errorf("%s is hidden too: %s", plain, text)
		}
	}
	if strings.Contains(text, "abc") || strings.Contains(text, "pw") || !strings.Contains(text, "NAME") || !strings.Contains(text, "«set»") {
		t.Error(text)
	}
	if !strings.Contains(string(s.Settings().Providers), "abc") {
		t.Error("the values themselves were changed")
	}
}

// A person who is asked about the editor's configuration sees every character of
// it: nothing turns the text around, hides in it or leaves the line.
func TestInlineTextIsShownVisibly(t *testing.T) {
	s, _ := openStore(t, "-")
	s.SetInline(json.RawMessage("{\"model\": \"a\u202e\u200b\", // x\n \"fallback\": [\"\\u202e\"]}"))
	if now := s.Settings(); !now.Held || strings.ContainsAny(now.InlineText, "\u202e\u200b\n") || !strings.Contains(now.InlineText, "<U+202E>") {
		t.Errorf("%q", now.InlineText)
	}
}
