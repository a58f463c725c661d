package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// holding is theWorld with files that hold something.
type holding struct {
	world
	texts map[string]string
}

func (h holding) Read(file string) (text string, there, whole bool) {
	text, there = h.texts[file]
	return text, there, there
}

func (holding) Names(string) []string { return nil }

func (holding) OwnProgram(string) string { return "" }

// What a rule from an answer covers of a command that starts files.
func TestARuleFromAnAnswerCoversWhatWasAccepted(t *testing.T) {
	const sh = "/home/u/p/b.sh"
	rules := map[string]Rule{
		"always":  {Domain: "bash", Pattern: "./b.sh", Decision: "allow", Exact: true, By: "always", Workspace: "w-1"},
		"session": {Domain: "bash", Pattern: "shell:./b.sh", Decision: "allow", Exact: true},
		"written": {Domain: "bash", Pattern: "./b.sh", Decision: "allow"},
	}
	plan := func(text string) *tool.Plan {
		p := bashPlan("./b.sh")
		f := baseFacts()
		f.Resolver = holding{newWorld(sh), map[string]string{sh: text}}
		p.Starts = Starts(f, p)
		return p
	}
	same, other := plan("true"), plan("false")
	accepted := func(changed, unsettled bool) Accepted {
		files := map[string]AcceptedFile{"vault:/b.sh": {Hash: same.Starts[0].Hash, Changed: changed}}
		return Accepted{Session: "0001", Unsettled: unsettled, Files: map[AcceptedRule]map[string]AcceptedFile{Always("./b.sh"): files, Granted("0001", "shell:./b.sh"): files}}
	}
	for _, row := range []struct {
		what     string
		rule     string
		plan     *tool.Plan
		accepted Accepted
		want     Verdict
		reason   string
	}{
		{"it holds the same", "always", same, accepted(false, false), Allow, ""},
		{"somebody else has changed it", "always", other, accepted(false, false), Allow, ""},
		{"the agent has changed it", "always", other, accepted(true, false), Ask, "b.sh, which it starts, has changed since you allowed it"},
		{"the agent has changed it, and back", "always", same, accepted(true, false), Allow, ""},
		{"something runs that may have changed it", "always", other, accepted(false, true), Ask, "has changed since you allowed it"},
		{"nobody knows what was said yes to", "always", same, Accepted{}, Ask, "b.sh, which it starts, was not part of what you allowed"},
		{"of this session, the same", "session", same, accepted(true, false), Allow, ""},
		{"of this session, the agent's", "session", other, accepted(true, false), Ask, "has changed since you allowed it"},
		{"of another session", "session", same, Accepted{Session: "0002", Files: accepted(false, false).Files}, Ask, "was not part of"},
		{"a rule that a person wrote", "written", other, accepted(true, false), Allow, ""},
	} {
		facts := baseFacts()
		if facts.Accepted = row.accepted; row.rule == "session" {
			facts.Grants = []Rule{rules[row.rule]}
		} else {
			facts.Layers = append(facts.Layers, Layer{Source: map[bool]string{true: "always", false: "config"}[row.rule == "always"], Rules: []Rule{rules[row.rule]}})
		}
		d := decide(facts, row.plan)
		if d.Verdict != row.want || !strings.Contains(d.Reason.String(), row.reason) {
			t.Errorf("%s: %s, %s", row.what, d.Verdict, d.Reason)
		}
		if (len(d.Changed) > 0) != (row.want == Ask) {
			t.Errorf("%s: changed %v", row.what, d.Changed)
		}
	}
}

// Bypass: a link in the folder leads out of it, where nobody asked about.
func TestBypassAStartedLinkLeadsElsewhere(t *testing.T) {
	facts := baseFacts()
	facts.Resolver = holding{newWorld("/home/u/p/b.sh -> /tmp/evil.sh"), map[string]string{"/home/u/p/b.sh": "true"}}
	var objects []string
	for _, f := range Starts(facts, bashPlan("./b.sh")) {
		objects = append(objects, f.Object)
	}
	if strings.Join(objects, " ") != "vault:/b.sh fs:/tmp/evil.sh" {
		t.Errorf("the files that are started: %v", objects)
	}
}
