package control

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every rule that matched says whether it has the word, why not, and where it
// stands; every step that changed the verdict is there.
func TestExplainedDecision(t *testing.T) {
	f := baseFacts(
		rule("bash", "git *", "ask"), rule("bash", "git st*", "allow"), rule("bash", "regex:(", "allow"),
		Rule{Domain: "bash", Pattern: "git *", Decision: "allow", Workspace: "w-2"},
	)
	f.Layers = append(f.Layers,
		Layer{Source: "inline", Narrows: true, Rules: []Rule{rule("bash", "git status", "deny"), rule("bash", "*", "ask")}},
		Layer{Source: "always", Rules: []Rule{{Domain: "bash", Pattern: "git status", Decision: "allow", Exact: true}}})
	f.Agent, f.Ceiling = "careful", []Rule{rule("bash", "*", "ask")}
	d := decide(f, bashPlan("git status")).Located(func(source string, index int) Place {
		if source == "config" {
			return Place{"/c.jsonc", 10 + index}
		}
		return Place{}
	})
	var lines []string
	for _, m := range d.Matched {
		lines = append(lines, fmt.Sprintf("%s %d %s %s %v %d: %s", m.Source, m.Index, m.Pattern, m.Decision, m.Won, m.Line, m.Lost))
	}
	want := []string{
		"built-in 6 * ask false 0: a later rule decides",
		"config 0 git * ask false 10: a later rule decides",
		"config 1 git st* allow false 11: a later rule decides",
		"config 2 regex:( ask false 12: a later rule decides",
		"config 3 git * allow false 13: it applies only in the workspace w-2",
		"inline 0 git status deny true 0: ",
		"inline 1 * ask false 0: nobody has approved this configuration, so it can only narrow",
		"always 0 git status allow false 0: a stored yes never beats an explicit deny",
		"agent:careful 0 * ask false 0: a ceiling never loosens",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("\n%s", strings.Join(lines, "\n"))
	}
	f.Layers = f.Layers[:2]
	f.Trusted, f.Mode = false, "full_access"
	d = decide(f, filePlan("edit", "vault:/.git/config"))
	lines = nil
	for _, s := range d.Deciding().Steps {
		lines = append(lines, s.Name+" "+s.Verdict.String())
	}
	if got := strings.Join(lines, ", "); got != "rules allow, files ask" || d.Verdict != Ask {
		t.Error(got)
	}
	f.Trusted = true
	d = decide(f, filePlan("edit", "vault:/.git/config"))
	if j := d.Deciding(); len(j.Steps) != 3 || j.Steps[2].Name != "mode" || j.Steps[0].Reason.IsZero() {
		t.Errorf("%+v", j)
	}
}

// Deciding is the judgement that decided the call; the zero one when there was
// nothing to judge.
func (d Decision) Deciding() Judgement {
	for _, j := range d.Judged {
		if j.Decides {
			return j
		}
	}
	return Judgement{}
}
