package control

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
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
		"null is absent":             {"---\nmode:\ntools: ~\n---\n", true, ""},
		"reset":                      {"---\nreset: idle:0\n---\n", false, `2:8 error: reset must be never, manual, daily or idle:<minutes>, not "idle:0"`},
		"not obeyed yet":             {"---\nworkspace: x\nsandbox: off\n---\n", true, `2:1 warning: "workspace" is not obeyed yet|"sandbox"`},
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

// A file is read up to 256 KiB and refused with one byte more (ruling 71).
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

// A small file that wants to become a large one costs nothing.
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
		took := bestOf(2*time.Second, func() {
			if readAgentText("---\n" + front + "\n---\n").usable {
				t.Errorf("%s: usable", name)
			}
		})
		if took > 2*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

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
	s, err := OpenStore(home, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.UseAgents(BuiltInAgents(), func() []string { return []string{"read", "ls", "glob", "grep", "write", "bash"} })
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
	if got := agentOf(t, s, "r").Description; got != "two!" || !strings.Contains(messages(s), "the last good version of this agent holds") {
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

// A user's file may narrow a built-in agent and never widen it (control §8), in
// full access neither.
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
	judge := func(a Agent, mode, domain, object string) Verdict {
		f := Facts{Layers: s.Settings().Layers, Agent: a.Name, Ceiling: a.Ceiling, Further: a.Further, Mode: mode, Trusted: true, Roots: []string{"/w"}}
		p := &tool.Plan{Effect: tool.Write, Targets: []tool.Target{{Domain: domain, Object: object}}}
		if domain == "bash" {
			p.Effect, p.Command = tool.Exec, strings.TrimPrefix(object, "shell:")
		}
		return NewPolicy(f).Decide(p).Verdict
	}
	for _, mode := range []string{"agent", "full_access"} {
		for _, c := range []struct {
			a      Agent
			domain string
			object string
			want   Verdict
		}{
			{plan, "edit", "vault:/a", Deny}, {plan, "bash", "shell:ls", Deny}, {explore, "edit", "vault:/a", Deny}, {build, "bash", "shell:ls", Deny},
			{build, "edit", "vault:/a", Allow}, {build, "web_fetch", "url:https://evil.dev/x", Deny}, {build, "web_fetch", "url:https://go.dev/x", Allow}, {plan, "read", "vault:/a", Allow},
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

// No file makes the reader panic, or take long, or give an agent that could leave
// its name.
func FuzzAgentFile(f *testing.F) {
	f.Add("name: a\ndescription: Use when: x\n")
	f.Add("permission:\n  - {domain: bash, pattern: '*', decision: allow}\n")
	f.Add("tools: &a [*a]\nbudget: {tokens: 1e3}\n")
	f.Fuzz(func(t *testing.T, front string) {
		file := readAgentText("---\n" + front + "\n---\nbody")
		if file.usable && (file.agent.Name == "" || strings.ContainsAny(file.agent.Name, "/#:. ") || len(file.agent.Name) > maxAgentName) {
			t.Errorf("name %q", file.agent.Name)
		}
		for _, d := range file.found {
			if d.Line < 1 || d.Column < 1 || d.File == "" {
				t.Errorf("no place: %+v", d)
			}
		}
	})
}

// A ceiling that names a wrapper denies it, although wrappers are looked through:
// else `timeout 5 go test` would get round an agent's "timeout*".
func TestCeilingNamesAWrapper(t *testing.T) {
	f := baseFacts()
	f.Layers = append(slices.Clone(f.Layers), Layer{Source: "config", Rules: []Rule{{Domain: "bash", Pattern: "go *", Decision: "allow"}}})
	f.Rules = nil
	for _, c := range []struct {
		ceiling []Rule
		command string
		want    Verdict
	}{
		{nil, "timeout 5 go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "deny"}}, "timeout 5 go version", Deny},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "deny"}}, "go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "timeout*", Decision: "ask"}}, "timeout 5 go version", Ask},
		{[]Rule{{Domain: "bash", Pattern: "*", Decision: "deny"}, {Domain: "bash", Pattern: "go *", Decision: "allow"}}, "timeout 5 go version", Allow},
		{[]Rule{{Domain: "bash", Pattern: "*", Decision: "deny"}}, "timeout 5 go version", Deny},
	} {
		f.Agent, f.Ceiling = "a", c.ceiling
		if d := decide(f, bashPlan(c.command)); d.Verdict != c.want {
			t.Errorf("%s under %v is %s, want %s: %s", c.command, c.ceiling, d.Verdict, c.want, d.Reason)
		}
	}
}
