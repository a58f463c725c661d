package control

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// TestRulesTable plays testdata/rules.txt: one row is one call, the rules and
// facts it is judged by, the verdict with the step that has the last word, and
// the rule it rests on. The head of the file says how to read a row.
func TestRulesTable(t *testing.T) {
	raw, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, promised, covered := 0, 0, map[string]bool{}
	for i, line := range strings.Split(string(raw), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := regexp.MustCompile(`\s{2,}`).Split(line, -1)
		if len(cells) != 5 {
			t.Fatalf("line %d has %d columns: %q", i+1, len(cells), cells)
		}
		rows++
		f, plan := tableFacts(t, cells[1], cells[2]), tablePlan(cells[0], cells[2])
		for _, target := range plan.Targets {
			scheme, _ := splitScheme(target.Object)
			covered[string(target.Domain)], covered[scheme] = true, true
		}
		d := decide(f, plan)
		last := ""
		if j := d.Deciding(); len(j.Steps) > 0 {
			last = j.Steps[len(j.Steps)-1].Name
		}
		rule := "-"
		if d.Rule != (RuleRef{}) {
			rule = d.Rule.Source + " " + d.Rule.Pattern
		}
		if got := d.Verdict.String() + " " + last; got != cells[3] || rule != cells[4] {
			t.Errorf("line %d: %s\n got %s  %s\nwant %s  %s\n%s", i+1, line, got, rule, cells[3], cells[4], d.Reason)
		}
		if d.Reason.String() == "" || d.Verdict < Allow && !strings.HasPrefix(d.Refusal, "Error: ") {
			t.Errorf("line %d: %s\nreason %q, refusal %q", i+1, line, d.Reason, d.Refusal)
		}
		if _, text, named := strings.Cut(d.Refusal, "would allow it: "); named {
			promised++
			holdPromise(t, f, plan, d, text)
		}
	}
	if promised < 100 {
		t.Errorf("only %d refusals named a rule", promised)
	}
	if rows < 300 {
		t.Errorf("the table has %d rows; 300 are promised", rows)
	}
	for domain := range domains {
		if !covered[string(domain)] {
			t.Errorf("no row is about the domain %s", domain)
		}
	}
	for _, scheme := range []string{"vault", "vault@lib", "fs", "url", "query", "shell", "mcp", "tool"} {
		if !covered[scheme] {
			t.Errorf("no row has an object %s:", scheme)
		}
	}
}

// holdPromise: a rule that a refusal names as the one that would allow the call
// does allow what was refused, written at the end of the user's rules.
func holdPromise(t *testing.T, f Facts, plan *tool.Plan, d Decision, text string) {
	t.Helper()
	var r Rule
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(f.Layers, func(l Layer) bool { return l.Source == "inline" || l.Source == "always" })
	if at < 0 {
		at = len(f.Layers)
	}
	f.Layers = slices.Insert(slices.Clone(f.Layers), at, Layer{Source: "config", Rules: []Rule{r}})
	for _, j := range decide(f, plan).Judged {
		if j.Target == d.Deciding().Target && j.Verdict != Allow {
			t.Errorf("%s %s: it was promised that %s allows it, but: %s", j.Target.Domain, j.Target.Object, text, j.Steps[len(j.Steps)-1].Reason)
		}
	}
}

// tablePlan reads "read vault:/a.go + edit fs:/x"; a bash target is a command.
func tablePlan(call, facts string) *tool.Plan {
	plan := &tool.Plan{Tool: "x", Effect: tool.Write, Dir: "/home/u/p"}
	for _, one := range strings.Split(call, " + ") {
		domain, object, _ := strings.Cut(one, " ")
		if domain == "bash" {
			plan.Command, plan.Effect = object, tool.Exec
			object = "shell:" + object
		}
		plan.Targets = append(plan.Targets, tool.Target{Domain: tool.Domain(domain), Object: object})
	}
	for _, word := range strings.Fields(facts) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "tool":
			plan.Tool = value
		case "needs":
			plan.Needs = plan.Needs.With(tool.Need(value))
		case "destructive":
			plan.Destructive = true
		case "undeclared":
			plan.Effect = tool.Unknown
		case "why":
			plan.Why = said.Plain(value)
		}
	}
	return plan
}

// tableFacts reads "config deny *.go ; always allow,exact x" and "untrusted full".
func tableFacts(t *testing.T, rules, facts string) Facts {
	f := baseFacts()
	f.Layers = []Layer{BuiltInLayer()}
	for _, one := range strings.Split(rules, " ; ") {
		if one == "-" {
			continue
		}
		words := strings.SplitN(one, " ", 3)
		options := strings.Split(words[1], ",")
		domain, decision, given := strings.Cut(options[0], ":")
		if !given {
			t.Fatalf("%q: a rule is written <layer> <domain>:<decision> <pattern>", one)
		}
		r := Rule{Domain: tool.Domain(domain), Decision: decision, Pattern: words[2], Exact: slices.Contains(options, "exact")}
		for _, o := range options {
			if ws, ok := strings.CutPrefix(o, "ws="); ok {
				r.Workspace = ws
			}
		}
		switch words[0] {
		case "session":
			f.Grants = append(f.Grants, r)
		case "ceiling":
			f.Ceiling = append(f.Ceiling, r)
		default:
			source := strings.TrimPrefix(words[0], "held-")
			if n := len(f.Layers) - 1; f.Layers[n].Source != source {
				f.Layers = append(f.Layers, Layer{Source: source, Narrows: source != words[0]})
			}
			l := &f.Layers[len(f.Layers)-1]
			l.Rules = append(l.Rules, r)
		}
	}
	for _, word := range strings.Fields(facts) {
		switch word {
		case "untrusted":
			f.Trusted = false
		case "tainted":
			f.Tainted = true
		case "full":
			f.Mode = "full_access"
		case "broad":
			f.Roots = []string{"/home/u"}
		case "two":
			f.Roots = []string{"/home/u/p", "/home/u/lib"}
		case "around":
			f.Roots = []string{"/home/u/p", "/home/u"}
		}
		if agent, ok := strings.CutPrefix(word, "agent="); ok {
			f.Agent, f.Ceiling = agent, BuiltInCeiling(agent)
		}
	}
	if f.Ceiling != nil && f.Agent == "" {
		f.Agent = "a"
	}
	return f
}
