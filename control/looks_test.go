package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// looking is a workspace in which commands run in the sandbox without a question, for an
// agent that changes nothing.
func looking(rules ...Rule) Facts {
	f := boxed(rules...)
	f.Agent, f.Ceiling = "plan", BuiltInCeiling("plan")
	return f
}

// An agent that changes nothing runs commands in a sandbox in which the whole workspace is
// read-only, whatever they are, and whatever rules would allow them without it.
func TestReadOnlyAgentRunsBoxed(t *testing.T) {
	for name, f := range map[string]Facts{
		"no rules":          looking(),
		"rules allow it":    looking(rule("bash", "*", "allow"), rule("edit", "*", "allow")),
		"held to a folder":  func() Facts { f := looking(); f.Bounds = tool.Bounds{Confined: true}; return f }(),
		"its own file says": func() Facts { f := boxed(); f.Agent, f.Further = "a", [][]Rule{ReadOnlyWorkspace()}; return f }(),
		"said twice":        func() Facts { f := looking(); f.Further = [][]Rule{ReadOnlyWorkspace()}; return f }(),
		"text from outside": func() Facts { f := looking(); f.Tainted = true; return f }(),
	} {
		for _, command := range []string{"make", "cat a.go", "git status", "grep -rn x .", `x=$(ls); "$x" y`, "echo x > made.txt", "timeout 5 make", "# nothing"} {
			d := decide(f, bashPlan(command))
			if d.Verdict != Allow || d.By != BySandbox || d.Sandbox != tool.SandboxedReadOnly || !d.Reason.Same(readOnlyReason) || d.Rule != (RuleRef{}) || d.Refusal != "" {
				t.Errorf("%s: %s: %s by %s, boxed %d: %s", name, command, d.Verdict, d.By, d.Sandbox, d.Reason)
			}
		}
	}
	if d := decide(boxed(), bashPlan("make")); d.Sandbox != tool.Sandboxed {
		t.Errorf("an agent that may change everything: %d", d.Sandbox)
	}
	if d := decide(boxed(allowBash("make")...), bashPlan("make")); d.Sandbox != tool.NoSandbox {
		t.Errorf("what a rule allows: %d", d.Sandbox)
	}
}

// Of everything that must be there each alone is enough to be denied as if there were no
// sandbox; nobody is asked.
func TestBypassReadOnlyAgentOutOfItsBox(t *testing.T) {
	everything := []Rule{rule("bash", "*", "allow"), rule("edit", "*", "allow"), rule("mcp", "*", "allow"), rule("tool", "*", "allow"), rule("read", "*", "allow")}
	for name, c := range map[string]struct {
		change func(*Facts)
		plan   *tool.Plan
		rules  []Rule
	}{
		"the setting is off":               {change: func(f *Facts) { f.Sandbox.Unasked = false }},
		"a wall is missing":                {change: func(f *Facts) { f.Sandbox.Whole = false }},
		"the network is on":                {change: func(f *Facts) { f.Sandbox.Offline = false }},
		"a folder is not trusted":          {change: func(f *Facts) { f.Trusted = false }},
		"full access":                      {change: func(f *Facts) { f.Mode = "full_access" }},
		"another mode":                     {change: func(f *Facts) { f.Mode = "ask" }},
		"the configuration is not known":   {change: func(f *Facts) { f.Unread = "it is broken" }},
		"the session is a group's":         {change: func(f *Facts) { f.NoMemory = true }},
		"the folder is the home":           {change: func(f *Facts) { f.Roots = []string{"/home/u"} }},
		"a rule asks":                      {rules: []Rule{rule("bash", "make*", "ask")}},
		"a rule denies":                    {rules: []Rule{rule("bash", "make*", "deny")}},
		"a rule about a file":              {plan: bashPlan("cat a.go"), rules: []Rule{rule("read", "*.go", "deny")}},
		"its own file denies commands":     {change: func(f *Facts) { f.Further = [][]Rule{{rule("bash", "*", "deny")}} }},
		"its own file denies this command": {change: func(f *Facts) { f.Further = [][]Rule{{rule("bash", "make*", "deny")}} }},
		"its own file asks":                {change: func(f *Facts) { f.Further = [][]Rule{{rule("bash", "make*", "ask")}} }},
		"it may change nothing at all":     {change: func(f *Facts) { f.Further = [][]Rule{NothingChanges()} }},
		"it may not read either":           {change: func(f *Facts) { f.Ceiling = NothingChanges("read") }},
		"it may not read, and looks":       {change: func(f *Facts) { f.Further = [][]Rule{NothingChanges("read")} }, plan: bashPlan("make")},
		"explore":                          {change: func(f *Facts) { f.Ceiling = BuiltInCeiling("explore") }},
		"compaction":                       {change: func(f *Facts) { f.Ceiling = BuiltInCeiling("compaction") }},
		"out of its folder":                {change: func(f *Facts) { f.Bounds.Within = []string{"vault:/src"} }},
		"a hard limit":                     {plan: bashPlan("make; rm -rf /")},
		"text that is no shell":            {plan: bashPlan("echo 'x")},
		"it needs the network":             {plan: wanting("make", tool.NeedNetwork)},
		"it needs no sandbox":              {plan: wanting("make", tool.NeedUnconfined)},
		"it needs the repository":          {plan: wanting("make", tool.NeedGit)},
		"it needs the workspace":           {plan: wanting("make", tool.NeedDirect)},
		"it is known to need the network":  {plan: bashPlan("curl https://example.com")},
		"it is known to need a repository": {plan: bashPlan("git commit -m x")},
		"it reads what is closed":          {plan: func() *tool.Plan { p := bashPlan("make"); p.Reads = []string{"vault:/.env"}; return p }()},
		"an edit":                          {plan: filePlan("edit", "vault:/a.go")},
		"an edit by another name":          {plan: &tool.Plan{Tool: "bash", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: "vault:/a.go"}}}},
		"an external tool":                 {plan: planOf("tool", "tool:deploy", tool.Exec)},
		"an external tool with a command":  {plan: func() *tool.Plan { p := bashPlan("make"); p.Tool = "deploy"; return p }()},
		"a server":                         {plan: planOf("mcp", "mcp:server/tool", tool.Net)},
		"a command and a server in a plan": {plan: func() *tool.Plan {
			p := bashPlan("make")
			p.Targets = append(p.Targets, tool.Target{Domain: "mcp", Object: "mcp:a/b"})
			return p
		}()},
		"answers allow everything": {change: func(f *Facts) { f.Sandbox.Unasked, f.Sandbox.Whole = false, false; f.Grants = everything }},
		"there is no folder":       {change: func(f *Facts) { f.Roots = nil }},
	} {
		for what, rules := range map[string][]Rule{"": c.rules, ", and everything is allowed": append(append([]Rule{}, everything...), c.rules...)} {
			f := looking(rules...)
			plan := c.plan
			if plan == nil {
				plan = bashPlan("make")
			}
			if c.change != nil {
				c.change(&f)
			}
			if d := decide(f, plan); d.Verdict != Deny || d.Sandbox != tool.NoSandbox {
				t.Errorf("%s%s: %s by %s, boxed %d: %s", name, what, d.Verdict, d.By, d.Sandbox, d.Reason)
			}
		}
	}
}

// Who can run commands is told why this one is denied, and who cannot that none runs.
func TestReadOnlyAgentIsToldWhy(t *testing.T) {
	f := looking()
	if d := decide(f, wanting("make", tool.NeedGit)); !strings.Contains(d.Refusal, "the workspace read-only, and that need no approval") {
		t.Error(d.Refusal)
	}
	f.Sandbox.Unasked = false
	if d := decide(f, wanting("make", tool.NeedGit)); !strings.Contains(d.Refusal, "may not use bash") {
		t.Error(d.Refusal)
	}
}

// Nothing but a command runs, whatever class it is of.
func TestReadOnlyAgentRunsOnlyCommands(t *testing.T) {
	for what, plan := range everyClass {
		if d := decide(looking(), plan); d.Verdict == Allow && (plan.Tool != "bash" || d.Sandbox != tool.SandboxedReadOnly) || d.Verdict == Ask {
			t.Errorf("%s: %s by %s, boxed %d", what, d.Verdict, d.By, d.Sandbox)
		}
	}
}

// Whom an agent that changes nothing sends changes nothing, and is asked about nothing: a
// yes to the question would be one to a sandbox that can write, or to none.
func TestBypassReadOnlyAgentBySubAgent(t *testing.T) {
	asks := boxed()
	asks.Further = [][]Rule{{rule("bash", "*", "ask")}}
	for name, c := range map[string]struct {
		child Facts
		want  tool.Sandboxing
	}{
		"in the sandbox":         {boxed(), tool.SandboxedReadOnly},
		"by a rule":              {boxed(allowBash("make")...), tool.SandboxedReadOnly},
		"one that changes less":  {looking(), tool.SandboxedReadOnly},
		"one that asks":          {asks, tool.NoSandbox},
		"one without a sandbox":  {baseFacts(), tool.NoSandbox},
		"one that runs nothing":  {func() Facts { f := boxed(); f.Ceiling = NothingChanges(); return f }(), tool.NoSandbox},
		"one with a rule, alone": {baseFacts(allowBash("make")...), tool.SandboxedReadOnly},
	} {
		for _, both := range [][]Policy{{NewPolicy(c.child), NewPolicy(looking())}, {NewPolicy(looking()), NewPolicy(c.child)}} {
			d := Strictest(both...).Decide(bashPlan("make"))
			if d.Sandbox != c.want || (d.Verdict == Allow) != (c.want == tool.SandboxedReadOnly) || d.Verdict == Ask {
				t.Errorf("%s: %s by %s, boxed %d: %s", name, d.Verdict, d.By, d.Sandbox, d.Reason)
			}
			if d.Verdict == Deny && (d.Refusal == "" || len(d.Always) > 0) {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
}

// What lets commands run in the sandbox is nothing that a file or a client can say.
func TestBypassUnlessReadOnlyByJSON(t *testing.T) {
	if text := RuleText(ReadOnlyWorkspace()[1]); text != `{"domain":"bash","pattern":"*","decision":"deny"}` {
		t.Error(text)
	}
}
