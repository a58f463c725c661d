package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// boxed is a workspace in which commands run in the sandbox without a question.
func boxed(rules ...Rule) Facts {
	f := baseFacts(rules...)
	f.Sandbox.Unasked, f.Sandbox.Whole = true, true
	return f
}

// wanting is a command with what it asks for.
func wanting(command string, needs ...tool.Need) *tool.Plan {
	p := bashPlan(command)
	p.Needs = needs
	return p
}

// Commands run unasked whatever they are and name, also what rules would ask about or
// deny where no sandbox was: secrets, files outside, protected files, words that nobody
// knows before they run.
func TestUnasked(t *testing.T) {
	f := boxed()
	for _, command := range []string{
		"make", "go test ./...", "cat .env", "cat /etc/passwd", "echo x > /tmp/out.txt", "echo x > .git/config", "sh script.sh",
		`x=$(ls); "$x" y`, `eval "$(cat a.go)"`, "trap 'make' EXIT", "rm -r build", "cat *", "find . -exec cat {} +", "make &\nmake",
		"timeout 5 make", "cat " + strings.Repeat("x", 9_000), `echo "ümläut 你好"`,
	} {
		d := decide(f, bashPlan(command))
		if d.Verdict != Allow || d.By != BySandbox || !strings.HasPrefix(d.Reason.String(), "Allowed: it runs in the sandbox, where ") {
			t.Errorf("%s: %s by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
		if d.Rule != (RuleRef{}) || len(d.Reads) > 0 || d.Opens || len(d.Asking) > 0 || d.Refusal != "" || len(d.Always) > 0 {
			t.Errorf("%s: something is left of the question: %+v", command, d)
		}
		steps := d.Judged[0].Steps
		for _, j := range d.Judged {
			if j.Decides {
				steps = j.Steps
			}
		}
		if len(steps) == 0 || steps[len(steps)-1].Name != "sandbox" {
			t.Errorf("%s: the step that decided is not told: %+v", command, steps)
		}
	}
}

// Of everything that must be there each alone is enough to be asked, or refused, as
// without the setting.
func TestUnaskedNeedsAll(t *testing.T) {
	everywhere := rule("read", "*.txt", "deny")
	for name, c := range map[string]struct {
		change func(*Facts)
		plan   *tool.Plan
		rules  []Rule
		deny   bool
	}{
		"the setting is off":                 {change: func(f *Facts) { f.Sandbox.Unasked = false }},
		"a wall is missing":                  {change: func(f *Facts) { f.Sandbox.Whole = false }},
		"the network is on":                  {change: func(f *Facts) { f.Sandbox.Offline = false }},
		"a folder is not trusted":            {change: func(f *Facts) { f.Trusted = false }},
		"the mode is another one":            {change: func(f *Facts) { f.Mode = "ask" }},
		"there is no mode":                   {change: func(f *Facts) { f.Mode = "" }},
		"the configuration is not known":     {change: func(f *Facts) { f.Unread = "it is broken" }},
		"text from outside, and the network": {change: func(f *Facts) { f.Tainted = true }, plan: bashPlan("git fetch")},
		"the session is a group's":           {change: func(f *Facts) { f.NoMemory = true }},
		"there is no folder":                 {change: func(f *Facts) { f.Roots = nil }},
		"the folder is around the home":      {change: func(f *Facts) { f.Roots, f.Home = []string{"/home/u/p", "/home"}, "/opt/sidecar" }},
		"the folder is the home":             {change: func(f *Facts) { f.Roots = []string{"/home/u"} }},
		"an agent that may not":              {change: func(f *Facts) { f.Ceiling = []Rule{rule("bash", "*", "deny")} }, deny: true},
		"an agent that asks":                 {change: func(f *Facts) { f.Further = [][]Rule{{rule("bash", "make*", "ask")}} }},
		"a hard limit":                       {plan: bashPlan("make; rm -rf /"), deny: true},
		"the sidecar's home":                 {plan: bashPlan("cat /home/u/.agent-sidecar/config.jsonc"), deny: true},
		"an ask rule":                        {rules: []Rule{rule("bash", "make*", "ask")}},
		"a deny rule":                        {rules: []Rule{rule("bash", "make*", "deny")}, deny: true},
		"a rule about everything":            {rules: []Rule{rule("bash", "*", "ask")}},
		"a rule that cannot be read":         {rules: []Rule{rule("bash", "regex:(", "allow")}},
		"a rule about a file":                {plan: bashPlan("wc -l a.go"), rules: []Rule{rule("read", "*.go", "ask")}},
		"a rule about a file, denied":        {plan: bashPlan("wc -l a.go"), rules: []Rule{rule("read", "*.go", "deny")}, deny: true},
		"a rule about an edit":               {plan: bashPlan("echo > a.go"), rules: []Rule{rule("edit", "*.go", "deny")}, deny: true},
		"no shell":                           {plan: bashPlan("echo 'x")},
		"no shell in a shell":                {plan: bashPlan(`sh -c "echo 'x"`)},
		"too long":                           {plan: bashPlan("echo " + strings.Repeat("x", 10_000))},
		"an invisible character":             {plan: bashPlan("make\u200b")},
		"a bidirectional character":          {plan: bashPlan("make # \u202e")},
		"a control character":                {plan: bashPlan("make # \x1b[2J")},
		"a carriage return":                  {plan: bashPlan("make # \r")},
		"it needs the network":               {plan: wanting("make", tool.NeedNetwork)},
		"it needs no sandbox":                {plan: wanting("make", tool.NeedUnconfined)},
		"it needs the repository":            {plan: wanting("make", tool.NeedGit)},
		"it needs the workspace":             {plan: wanting("make", tool.NeedDirect)},
		"it needs nobody knows what":         {plan: wanting("make", "root")},
		"it is known to need it":             {plan: bashPlan("curl https://example.com")},
		"it reads what is closed":            {plan: func() *tool.Plan { p := bashPlan("make"); p.Reads = []string{"vault:/.env"}; return p }()},
		"the tool wants a person":            {plan: func() *tool.Plan { p := bashPlan("make"); p.Why = said.Plain("it is odd"); return p }()},
		"the tool says nothing":              {plan: func() *tool.Plan { p := bashPlan("make"); p.Effect = tool.Unknown; return p }(), deny: true},
		"another tool":                       {plan: func() *tool.Plan { p := bashPlan("make"); p.Tool = "other"; return p }()},
		"a variable, and rules":              {plan: bashPlan(`cat "$(ls)"`), rules: []Rule{everywhere}},
		"a whole directory, and rules":       {plan: bashPlan("grep -rn x ."), rules: []Rule{everywhere}},
	} {
		f := boxed(c.rules...)
		plan := c.plan
		if plan == nil {
			plan = bashPlan("make")
		}
		if c.change != nil {
			c.change(&f)
		}
		d := decide(f, plan)
		if d.Verdict == Allow || d.By == BySandbox {
			t.Errorf("%s: %s by %s: %s", name, d.Verdict, d.By, d.Reason)
		}
		f.Sandbox.Unasked, f.Sandbox.Whole = false, false
		if plain := decide(f, plan); d.Verdict != plain.Verdict || !d.Reason.Same(plain.Reason) || d.By != plain.By || (d.Verdict == Deny) != c.deny {
			t.Errorf("%s: %s by %s: %s; without the setting %s by %s: %s", name, d.Verdict, d.By, d.Reason, plain.Verdict, plain.By, plain.Reason)
		}
	}
}

// Text from outside asks about nothing that the sandbox keeps: there is no network, and
// what such a session leaves is not for others.
func TestUnaskedTainted(t *testing.T) {
	f := boxed()
	f.Tainted = true
	if d := decide(f, bashPlan("echo x > AGENTS.md")); d.Verdict != Allow || d.By != BySandbox {
		t.Errorf("%s by %s: %s", d.Verdict, d.By, d.Reason)
	}
}

// What a rule allows stays allowed by it, without the sandbox; full access by the mode.
// A rule of another workspace is none, and one about other files asks about those only.
func TestUnaskedBesideRules(t *testing.T) {
	for name, c := range map[string]struct {
		rules []Rule
		mode  string
		plan  *tool.Plan
		by    string
	}{
		"a rule allows all of it":       {rules: allowBash("make"), plan: bashPlan("make"), by: "rule"},
		"a rule allows a part":          {rules: allowBash("make"), plan: bashPlan("make && ./x"), by: BySandbox},
		"a rule allows the other part":  {rules: allowBash("./x"), plan: bashPlan("make && ./x"), by: BySandbox},
		"full access":                   {mode: "full_access", plan: bashPlan("make"), by: "mode"},
		"a rule elsewhere":              {rules: []Rule{{Domain: "bash", Pattern: "*", Decision: "deny", Workspace: "w-2"}}, plan: bashPlan("make"), by: BySandbox},
		"a rule about others":           {rules: []Rule{rule("read", "*.txt", "deny")}, plan: bashPlan("wc -l a.go"), by: BySandbox},
		"a rule about tools":            {rules: []Rule{rule("mcp", "*", "deny")}, plan: bashPlan(`cat "$(ls)"`), by: BySandbox},
		"a wrapper of what was allowed": {rules: allowBash("make"), plan: bashPlan("timeout 5 make"), by: "rule"},
	} {
		f := boxed(c.rules...)
		if c.mode != "" {
			f.Mode = tool.Mode(c.mode)
		}
		if d := decide(f, c.plan); d.Verdict != Allow || d.By != c.by {
			t.Errorf("%s: %s by %s: %s", name, d.Verdict, d.By, d.Reason)
		}
	}
}

// A glob is held against rules by what it hits.
func TestBypassUnaskedByAGlob(t *testing.T) {
	f := boxed(rule("read", "*.env", "deny"))
	for _, command := range []string{"cat .e*", "cat .*", "cat .en?", "cat .[e]nv", "cat {.env,a.go}", "x=.env; cat $x", "cat .e''nv", "tac < .e*"} {
		if d := decide(f, bashPlan(command)); d.Verdict == Allow {
			t.Errorf("%s: %s by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
	}
}

// An explicit word stays one when a later rule allows, or asks, about the same.
func TestBypassUnaskedByALaterRule(t *testing.T) {
	f := boxed(rule("bash", "make*", "deny"), rule("bash", "make deploy", "ask"))
	if d := decide(f, bashPlan("make deploy")); d.Verdict != Ask {
		t.Errorf("%s by %s: %s", d.Verdict, d.By, d.Reason)
	}
	f = boxed(rule("bash", "make*", "deny"))
	f.Grants = allowBash("make*")
	if d := decide(f, bashPlan("make deploy")); d.Verdict != Deny {
		t.Errorf("a grant: %s by %s: %s", d.Verdict, d.By, d.Reason)
	}
}

// Configuration of a client that nobody said yes to narrows here as well.
func TestBypassUnaskedBesideNarrowingRules(t *testing.T) {
	f := boxed()
	f.Layers = append(f.Layers, Layer{Source: "inline", Narrows: true, Rules: []Rule{rule("bash", "make", "ask")}})
	if d := decide(f, bashPlan("make")); d.Verdict != Ask {
		t.Errorf("%s by %s: %s", d.Verdict, d.By, d.Reason)
	}
}

// A sub-agent runs nothing unasked that those who sent it may not, and what it is allowed
// by a rule counts on the sandbox where theirs does.
func TestBypassUnaskedBySubAgent(t *testing.T) {
	asked := boxed()
	asked.Sandbox.Unasked = false
	if d := Strictest(NewPolicy(boxed()), NewPolicy(asked)).Decide(bashPlan("make")); d.Verdict != Ask {
		t.Errorf("a parent that is asked: %s by %s", d.Verdict, d.By)
	}
	denied := boxed()
	denied.Ceiling = []Rule{rule("bash", "*", "deny")}
	if d := Strictest(NewPolicy(boxed()), NewPolicy(denied)).Decide(bashPlan("make")); d.Verdict != Deny {
		t.Errorf("a parent that may not: %s by %s", d.Verdict, d.By)
	}
	byRule := boxed(allowBash("make")...)
	for _, both := range [][]Policy{{NewPolicy(byRule), NewPolicy(boxed())}, {NewPolicy(boxed()), NewPolicy(byRule)}} {
		if d := Strictest(both...).Decide(bashPlan("make")); d.Verdict != Allow || d.By != BySandbox {
			t.Errorf("a rule of one of them: %s by %s", d.Verdict, d.By)
		}
	}
}

// What an agent is held to holds for what rules deny without it, too.
func TestBypassUnaskedOutOfBounds(t *testing.T) {
	f := boxed()
	f.Agent, f.Bounds = "a", tool.Bounds{Within: []string{"vault:/src"}}
	for command, want := range map[string]Verdict{
		"make": Allow, "cat ../a.go": Deny, "echo > /etc/hosts": Deny, `cat "$(ls)"`: Ask, "cd .. && make": Deny,
	} {
		p := bashPlan(command)
		p.Dir = "/home/u/p/src"
		if d := decide(f, p); d.Verdict != want {
			t.Errorf("%s: %s by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
	}
}

// A stored yes that does not cover what a file holds now is none; the command runs in the
// sandbox or is asked about.
func TestBypassUnaskedByAChangedFile(t *testing.T) {
	f := boxed(Rule{Domain: "bash", Pattern: "./script.sh", Decision: "allow", Exact: true, By: "always"})
	f.Layers[1].Source = "always"
	p := bashPlan("./script.sh")
	p.Starts = []tool.StartedFile{{Command: "./script.sh", Object: "vault:/script.sh", Hash: "b"}}
	f.Accepted.Files = map[AcceptedRule]map[string]AcceptedFile{
		{By: "always", Pattern: "./script.sh"}: {"vault:/script.sh": {Hash: "a", Changed: true}},
	}
	if d := decide(f, p); d.Verdict != Allow || d.By != BySandbox || len(d.Changed) > 0 {
		t.Errorf("%s by %s: %s %v", d.Verdict, d.By, d.Reason, d.Changed)
	}
	f.Sandbox.Whole = false
	if d := decide(f, p); d.Verdict != Ask || len(d.Changed) != 1 {
		t.Errorf("without the sandbox: %s by %s: %s %v", d.Verdict, d.By, d.Reason, d.Changed)
	}
}
