package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// readAgentText reads one file named review.md.
func readAgentText(text string) agentFile { return readAgentFile("/h/agents/review.md", []byte(text)) }

func problemsOf(f agentFile) string {
	var lines []string
	for _, d := range f.found {
		lines = append(lines, fmt.Sprintf("%d:%d %s: %s", d.Line, d.Column, d.Severity, d.Message))
	}
	return strings.Join(lines, "\n")
}

// A front matter is taken as people write it, and what is wrong has its place.
func TestAgentFile(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		usable   bool
		problems string // each must be part of a line, in order, separated by |
	}{
		"nothing but a prompt":       {"---\n---\nReview.", true, ""},
		"byte order mark and CRLF":   {"\xef\xbb\xbf---\r\nname: a\r\nmode: subagent\r\n---\r\nReview.\r\n", true, ""},
		"blanks behind the dashes":   {"--- \t\nname: a\n---  \nReview.", true, ""},
		"no front matter":            {"Review.", false, "1:1 error: an agent file begins with"},
		"empty file":                 {"", false, "1:1 error: an agent file begins with"},
		"no end":                     {"---\nname: a\n", false, "1:1 error: the front matter does not end"},
		"a colon without quotes":     {"---\nname: a\ndescription: Use when: it's asked\n---\n", true, ""},
		"a colon at the end":         {"---\ndescription: as follows:\n---\n", true, ""},
		"YAML that is broken":        {"---\nname: a\n  mode: [primary\n---\n", false, "error: the front matter cannot be read"},
		"a list":                     {"---\n- a\n---\n", false, "2:1 error: the front matter must be members"},
		"given twice":                {"---\nmode: primary\nmode: subagent\n---\n", false, `3:1 error: "mode" is given twice`},
		"unknown mode":               {"---\nmode: all\n---\n", false, `2:7 error: mode must be primary or subagent, not "all"`},
		"mode in capitals":           {"---\nmode: Primary\n---\n", false, "2:7 error: mode must be"},
		"unknown member":             {"---\ncolor: red\n---\n", true, `2:1 warning: unknown member "color"`},
		"null is absent":             {"---\nmode:\nreset: ~\n---\n", true, ""},
		"null restricts nothing":     {"---\ntools:\nallowedHosts: ~\n---\n", true, `2:1 warning: "tools" has no value, so it restricts nothing|3:1 warning: "allowedHosts" has no value`},
		"reset":                      {"---\nreset: idle:0\n---\n", false, `2:8 error: reset must be never, manual, daily or idle:<minutes>, not "idle:0"`},
		"a folder":                   {"---\nworkspace: sub/dir/\nsandbox: required\n---\n", true, ""},
		"a further folder":           {"---\nworkspace: 'vault@lib:/src'\nsandbox: {mode: auto, network: false}\n---\n", true, ""},
		"a folder of nothing":        {"---\nworkspace: ''\n---\n", false, `2:12 error: workspace "" names no folder`},
		"a folder above":             {"---\nworkspace: sub/../../x\n---\n", false, `2:12 error: workspace "sub/../../x" must not contain ".."`},
		"a folder above, further":    {"---\nworkspace: 'vault@lib:/../x'\n---\n", false, `must not contain ".."`},
		"a folder anywhere":          {"---\nworkspace: /etc\n---\n", false, `2:12 error: workspace "/etc" must lie in the workspace`},
		"a folder at home":           {"---\nworkspace: ~/x\n---\n", false, `workspace "~/x" must lie in the workspace`},
		"a folder outside":           {"---\nworkspace: 'fs:/etc'\n---\n", false, `must be written with "/", and must not contain ":"`},
		"a folder of Windows":        {"---\nworkspace: 'a\\..\\b'\n---\n", false, `must be written with "/"`},
		"a drive":                    {"---\nworkspace: 'C:/x'\n---\n", false, `must not contain ":"`},
		"a hidden folder":            {"---\nworkspace: \"a\\u202Eb\"\n---\n", false, "contains invisible characters"},
		"a folder with a NUL":        {"---\nworkspace: \"a\\0b\"\n---\n", false, "contains invisible characters"},
		"a long folder":              {"---\nworkspace: " + strings.Repeat("a", maxFolder+1) + "\n---\n", false, "is longer than 1024 bytes"},
		"a list of folders":          {"---\nworkspace: [a, b]\n---\n", false, "2:12 error: workspace must be a text"},
		"a folder that is true":      {"---\nworkspace: true\n---\n", false, "2:12 error: workspace must be a text"},
		"no sandbox":                 {"---\nsandbox: off\n---\n", false, `2:10 error: the sandbox can be required or auto here, not "off"`},
		"no sandbox, as a member":    {"---\nsandbox: {mode: off}\n---\n", false, `2:17 error: the sandbox can be required or auto here, not "off"`},
		"a sandbox that is true":     {"---\nsandbox: true\n---\n", false, "2:10 error: sandbox must be a text"},
		"a sandbox as a list":        {"---\nsandbox: [required]\n---\n", false, "2:10 error: sandbox must be a text"},
		"a network":                  {"---\nsandbox: {network: true}\n---\n", false, "2:20 error: network can only be false here"},
		"a network in words":         {"---\nsandbox: {network: 'off'}\n---\n", false, "2:20 error: network must be true or false"},
		"more to write":              {"---\nsandbox: {writable: [/]}\n---\n", false, `2:11 error: the sandbox of an agent has mode and network, not "writable"`},
		"more to keep":               {"---\nsandbox: {keepEnv: [AWS_SECRET]}\n---\n", false, `not "keepEnv"`},
		"a sandbox twice":            {"---\nsandbox: {network: false, network: true}\n---\n", false, `2:27 error: "network" is given twice`},
		"another spelling":           {"---\nTools: [read]\n---\n", false, `2:1 error: there is no member "Tools"; write "tools"`},
		"both spellings":             {"---\nallowedHosts: [go.dev]\nallowed_hosts: ['*']\n---\n", false, `3:1 error: there is no member "allowed_hosts"; write "allowedHosts"`},
		"a spelling inside":          {"---\nbudget: {Tokens: 5}\n---\n", false, `there is no member "Tokens"; write "tokens"`},
		"a budget twice":             {"---\nbudget: {tokens: 5, tokens: 500}\n---\n", false, `2:21 error: "tokens" is given twice`},
		"a decision twice":           {"---\npermission:\n  - {domain: bash, pattern: '*', decision: deny, decision: allow}\n---\n", false, `"decision" is given twice`},
		"a merge":                    {"---\n<<: {tools: [read]}\n---\n", true, `2:1 warning: unknown member "<<"`},
		"a budget below nothing":     {"---\nbudget: {tokens: -5}\n---\n", false, "2:18 error: tokens must be a whole number from 1"},
		"a huge budget":              {"---\nbudget: {tokens: 1e300}\n---\n", false, "2:18 error: tokens must be a whole number from 1"},
		"a cost without end":         {"---\nbudget: {cost: .inf}\n---\n", false, "2:16 error: cost must be a number from 0"},
		"a huge time":                {"---\ntimeoutMs: 99999999999999999999\n---\n", false, "2:12 error: timeoutMs must be a whole number"},
		"a time in words":            {"---\ntimeoutMs: 10m\n---\n", false, "2:12 error: timeoutMs must be a whole number"},
		"hosts":                      {"---\nallowedHosts: [go.dev, '*.example.com', 'localhost:8080', 'https://go.dev/doc', '[::1]:80', bücher.example]\n---\n", true, ""},
		"every host":                 {"---\nallowedHosts: '*'\n---\n", true, `2:15 warning: allowedHosts: "*" is every host`},
		"every host over TLS":        {"---\nallowedHosts: ['https://**']\n---\n", true, `is every host, so the list restricts nothing`},
		"a host with a user":         {"---\nallowedHosts: ['go.dev@evil.dev']\n---\n", false, `allowedHosts: "go.dev@evil.dev" is not a host`},
		"a host with a blank":        {"---\nallowedHosts: ['go.dev evil.dev']\n---\n", false, `is not a host`},
		"another scheme":             {"---\nallowedHosts: ['file:///etc']\n---\n", false, `is not a host`},
		"hosts that are true":        {"---\nallowedHosts: true\n---\n", false, "2:15 error: allowedHosts must be a list of texts"},
		"a host that is nothing":     {"---\nallowedHosts: [~]\n---\n", false, "allowedHosts must be a text"},
		"a model that is true":       {"---\nallowedModels: [true]\n---\n", false, "allowedModels must be a text"},
		"a fallback that is a map":   {"---\nfallback: {a: b}\n---\n", false, "2:11 error: fallback must be a list of texts"},
		"a reset that is a list":     {"---\nreset: [daily]\n---\n", false, "2:8 error: reset must be a text"},
		"compaction":                 {"---\ncompaction: {auto: false, trigger: 1, maxTokens: 1, recentTurns: 1, model: p/m}\n---\n", true, ""},
		"compaction is no object":    {"---\ncompaction: false\n---\n", false, "2:13 error: compaction must have auto"},
		"compaction, unknown":        {"---\ncompaction: {mode: x}\n---\n", true, `2:14 warning: unknown member "mode" of compaction`},
		"a trigger of nothing":       {"---\ncompaction: {trigger: 0}\n---\n", false, "2:23 error: trigger must be above 0"},
		"a trigger over the window":  {"---\ncompaction: {trigger: 1.01}\n---\n", false, "2:23 error: trigger must be a number from 0 to 1"},
		"another's model":            {"---\nallowedModels: [p/a]\ncompaction: {model: p/b}\n---\n", false, `1:1 error: compaction.model "p/b" is not among allowedModels`},
		"no turns":                   {"---\ncompaction: {recentTurns: 0}\n---\n", false, "2:27 error: recentTurns must be a whole number from 1"},
		"no flush, but a word":       {"---\nmemoryFlush: never\n---\n", false, `2:14 error: memoryFlush must be true or false`},
		"cost":                       {"---\nbudget: {tokens: 5, cost: 0.01}\n---\n", true, ""},
		"cost of nothing":            {"---\nbudget: {cost: 0}\n---\n", false, "2:16 error: cost must be above 0"},
		"cost below it":              {"---\nbudget: {cost: -1}\n---\n", false, "2:16 error: cost must be a number from 0"},
		"budget is no object":        {"---\nbudget: 5\n---\n", false, "2:9 error: budget must have"},
		"budget of a day":            {"---\nbudget: {session: {cost: 2}, day: {tokens: 5, cost: 0.01}}\n---\n", true, ""},
		"a day that is a number":     {"---\nbudget: {day: 5}\n---\n", false, "2:15 error: day of budget must have tokens or cost"},
		"a day below nothing":        {"---\nbudget: {day: {cost: -5}}\n---\n", false, "2:22 error: cost must be a number from 0"},
		"a session for nothing":      {"---\nbudget: {session: {cost: 0}}\n---\n", false, "2:26 error: cost must be above 0"},
		"a session with a slip":      {"---\nbudget: {session: {Tokens: 5}}\n---\n", false, `there is no member "Tokens"; write "tokens"`},
		"a session with more":        {"---\nbudget: {session: {tokens: 5, runs: 5}}\n---\n", true, `unknown member "runs" of budget`},
		"a path as name":             {"---\nname: ../../x\n---\n", true, `2:7 warning: the name is used as "x"`},
		"a name of nothing":          {"---\nname: ../..\n---\n", false, `2:7 error: the name "../.." has no letter or digit`},
		"a name with a mark":         {"---\nname: \"a\\u202Eb\"\n---\n", true, `the name is used as "a-b"`},
		"control characters":         {"---\ndescription: \"a\\u0007\\nb\"\n---\n", true, "2:14 warning: the description is shown as one line"},
		"raw control characters":     {"---\ndescription: a\x07b\n---\n", false, "the front matter cannot be read"},
		"invalid UTF-8 in the front": {"---\nname: \xff\n---\n", false, "the front matter cannot be read"},
		"an alias":                   {"---\ntools: &t [read]\nfallback: *t\n---\n", false, "2:8 error: anchors and aliases are not allowed here"},
		"temperature":                {"---\ntemperature: 0\ntopP: 1\nmaxTokens: 1\nmaxTurns: 1\ntimeoutMs: 1\n---\n", true, ""},
		"temperature below 0":        {"---\ntemperature: -0.1\n---\n", false, "2:14 error: temperature must be a number from 0"},
		"temperature not a number":   {"---\ntemperature: .nan\n---\n", false, "temperature must be a number"},
		"temperature without end":    {"---\ntemperature: .inf\n---\n", false, "temperature must be a number"},
		"temperature in words":       {"---\ntemperature: warm\n---\n", false, "temperature must be a number"},
		"topP over 1":                {"---\ntopP: 1.01\n---\n", false, "topP must be a number from 0 to 1"},
		"maxTurns 0":                 {"---\nmaxTurns: 0\n---\n", false, "2:11 error: maxTurns must be a whole number from 1"},
		"maxTokens half":             {"---\nmaxTokens: 1.5\n---\n", false, "maxTokens must be a whole number"},
		"model not allowed":          {"---\nmodel: a/b\nallowedModels: [a/c]\n---\n", false, `model "a/b" is not among allowedModels`},
		"model allowed by its name":  {"---\nmodel: a/b\nallowedModels: [b]\n---\n", true, ""},
		"no model allowed":           {"---\nallowedModels: []\n---\n", false, "allowedModels is empty"},
		"a rule that is none":        {"---\npermission:\n  - bash\n---\n", false, "3:5 error: a rule must have"},
		"a rule with a typo":         {"---\npermission:\n  - {domain: bash, patern: x, decision: deny}\n---\n", false, `unknown member "patern" of a rule`},
		"a bad rule":                 {"---\npermission:\n  - {domain: bash, pattern: 'regex:(', decision: allow}\n---\n", true, "3:5 error: rule \"regex:(\""},
		"an unknown domain":          {"---\npermission:\n  - {domain: shell, pattern: '*', decision: deny}\n---\n", true, `3:5 error: rule "*": unknown domain "shell"`},
		"permission is no list":      {"---\npermission: {bash: deny}\n---\n", false, "2:13 error: permission must be a list of rules"},
		"tools as an object":         {"---\ntools: {read: true}\n---\n", false, "2:8 error: tools must be a list of texts"},
	} {
		t.Run(name, func(t *testing.T) {
			f := readAgentText(c.text)
			got := problemsOf(f)
			if f.usable != c.usable {
				t.Errorf("usable = %v; %s", f.usable, got)
			}
			if c.problems == "" && got != "" {
				t.Errorf("found %s", got)
			}
			rest := got
			for _, want := range strings.Split(c.problems, "|") {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("found %q, want %q in it", got, want)
				}
				rest = after
			}
		})
	}
}

// Every member arrives where it belongs.
func TestAgentFileMembers(t *testing.T) {
	a := readAgentText("---\nname: Code Review\ndescription: Reviews\nmode: subagent\nmodel: p/m\ntools: read, grep\npermission:\n  - {domain: read, pattern: 'vault:/secret/**', decision: deny}\n" +
		"temperature: 0.5\nmaxTurns: 7\ntimeoutMs: 9\nbudget: {tokens: 11, cost: 0.5}\nallowedModels: [p/m, n]\nfallback: [q/n, r/z]\nallowedHosts: [go.dev]\n---\n\nYou {{agents}} review ${x}.\n---\nBe kind.\n").agent
	if a.Name != "code-review" || a.Description != "Reviews" || a.Mode != "subagent" || a.Model != "p/m" || !slices.Equal(a.Tools, []string{"read", "grep"}) {
		t.Errorf("%+v", a)
	}
	if a.Prompt != "You {{agents}} review ${x}.\n---\nBe kind." {
		t.Errorf("prompt %q", a.Prompt)
	}
	if *a.Params.Temperature != 0.5 || a.Params.TopP != nil || a.Params.MaxTokens != nil || a.MaxTurns != 7 || a.WallMs != 9 || a.BudgetTokens != 11 || a.BudgetCost != 0.5 {
		t.Errorf("%+v", a)
	}
	if !a.MayUse("p/m") || !a.MayUse("x/n") || a.MayUse("p/z") || a.MayUse("") {
		t.Error("allowedModels")
	}
	if !a.ReadOnly {
		t.Error("read and grep alone change nothing")
	}
	if len(a.Ceiling) != 1 || len(a.Further) != 1 {
		t.Errorf("ceilings %+v %+v", a.Ceiling, a.Further)
	}
}

func TestAgentNames(t *testing.T) {
	for raw, want := range map[string]string{
		"review": "review", "Code Review": "code-review", "../../x": "x", "a/b#c:d": "a-b-c-d", "审查员": "审查员", "--": "", "": "", "_": "_", "a\x00b": "a-b", "con.": "con",
		strings.Repeat("a", 63): strings.Repeat("a", 63), strings.Repeat("a", 64): strings.Repeat("a", 64), strings.Repeat("a", 65): strings.Repeat("a", 64),
		strings.Repeat("审", 22): strings.Repeat("审", 21), "\xff\xfe": "",
	} {
		if got := agentName(raw); got != want || !utf8.ValidString(got) {
			t.Errorf("agentName(%q) = %q, want %q", raw, got, want)
		}
	}
}

// A file is read up to 256 KiB and refused with one byte more.
func TestAgentFileSize(t *testing.T) {
	head := "---\nname: a\n---\n"
	for size, want := range map[int]bool{maxAgentBytes - 1: true, maxAgentBytes: true, maxAgentBytes + 1: false} {
		f := readAgentText(head + strings.Repeat("x", size-len(head)))
		if f.usable != want || !want && !strings.Contains(problemsOf(f), "larger than 256 KiB") {
			t.Errorf("%d bytes: usable %v, %s", size, f.usable, problemsOf(f))
		}
	}
	long := readAgentText("---\ndescription: " + strings.Repeat("d", 200<<10) + "\n---\n")
	if n := utf8.RuneCountInString(long.agent.Description); n != maxAgentDescription || !long.usable {
		t.Errorf("a description of %d characters, usable %v", n, long.usable)
	}
}

// A small file that wants to become a large one is refused: read whole, it would not end.
func TestAgentFileBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	for name, front := range map[string]string{
		"aliases":     laughs.String(),
		"an own tail": "a: &a [*a]\n",
		"brackets":    "tools: " + strings.Repeat("[", 200_000),
		"indents":     strings.Repeat("? ", 100_000),
		"tags":        "name: !!binary aGVsbG8=\nmode: !!python/object x\n",
	} {
		if readAgentText("---\n" + front + "\n---\n").usable {
			t.Errorf("%s: usable", name)
		}
	}
}

// No file makes the reader panic, or take long, or give an agent that could leave
// its name.
func FuzzAgentFile(f *testing.F) {
	f.Add("name: a\ndescription: Use when: x\n")
	f.Add("permission:\n  - {domain: bash, pattern: '*', decision: allow}\n")
	f.Add("tools: &a [*a]\nbudget: {tokens: 1e3}\n")
	f.Add("workspace: 'vault@lib:/../x'\nsandbox: {mode: off, network: true}\nallowedHosts: ['a@b', '*']\n")
	f.Fuzz(func(t *testing.T, front string) {
		file := readAgentText("---\n" + front + "\n---\nbody")
		if file.usable && (file.agent.Name == "" || strings.ContainsAny(file.agent.Name, "/#:. ") || len(file.agent.Name) > maxAgentName) {
			t.Errorf("name %q", file.agent.Name)
		}
		if w := file.agent.Workspace; file.usable && (strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~") || strings.HasPrefix(w, "fs:") || slices.Contains(strings.Split(w, "/"), "..")) {
			t.Errorf("workspace %q", w)
		}
		for _, d := range file.found {
			if d.Line < 1 || d.Column < 1 || d.File == "" {
				t.Errorf("no place: %+v", d)
			}
		}
	})
}
