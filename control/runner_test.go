package control

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Rules of this machine allow nothing on another one, and those of a runner nothing here;
// what they deny or ask about they do in both places, unless they name a runner.
func TestRulesOfARunner(t *testing.T) {
	const box = "box"
	here, there := rule("bash", "make *", "allow"), rule("bash", "make *", "allow")
	there.Runner = box
	everywhere := rule("bash", "make *", "deny")
	onBox := everywhere
	onBox.Runner = box
	for name, row := range map[string]struct {
		rules  []Rule
		runner string
		want   Verdict
	}{
		"a rule of here, here":                  {[]Rule{here}, "", Allow},
		"a rule of here, there":                 {[]Rule{here}, box, Ask},
		"a rule of there, here":                 {[]Rule{there}, "", Ask},
		"a rule of there, there":                {[]Rule{there}, box, Allow},
		"a rule of there, on another":           {[]Rule{there}, "pods", Ask},
		"denied everywhere, here":               {[]Rule{everywhere}, "", Deny},
		"denied everywhere, there":              {[]Rule{everywhere}, box, Deny},
		"allowed there, then denied everywhere": {[]Rule{there, everywhere}, box, Deny},
		"allowed here, then denied there":       {[]Rule{here, onBox}, "", Allow},
		"denied there":                          {[]Rule{here, onBox}, box, Deny},
	} {
		f := baseFacts(row.rules...)
		f.Runner = row.runner
		if d := decide(f, bashPlan("make all")); d.Verdict != row.want {
			t.Errorf("%s: %v, want %v (%s)", name, d.Verdict, row.want, d.Reason)
		}
		f = baseFacts()
		f.Grants, f.Runner = row.rules, row.runner
		if d := decide(f, bashPlan("make all")); d.Verdict != row.want {
			t.Errorf("as a grant, %s: %v, want %v (%s)", name, d.Verdict, row.want, d.Reason)
		}
	}
	// What touches no machine is the same wherever the session works.
	f := baseFacts(rule("web_search", "*", "allow"))
	f.Runner = box
	if d := decide(f, planOf("web_search", "search:x", tool.Net)); d.Verdict != Allow {
		t.Errorf("a search from a runner's session: %+v", d)
	}
}

// What is stored by an answer about a runner's call applies on that runner alone, and says so.
func TestOffersOfARunner(t *testing.T) {
	f := baseFacts()
	f.Runner = "box"
	d := decide(f, bashPlan("make all"))
	if len(d.Always) == 0 {
		t.Fatalf("nothing is offered: %+v", d)
	}
	for _, o := range d.Always {
		if !strings.HasPrefix(o.Label, "On the runner box: Always") {
			t.Errorf("label %q", o.Label)
		}
		for _, r := range o.Stored() {
			if r.Runner != "box" {
				t.Errorf("it stores %+v", r)
			}
		}
	}
	for _, r := range OnRunner("box", GrantsOf(d)) {
		if r.Runner != "box" {
			t.Errorf("it grants %+v", r)
		}
	}
	if !strings.Contains(d.Refusal, `"runner":"box"`) {
		t.Errorf("the rule that would help: %s", d.Refusal)
	}
}

// Reading survives being sent, and decides the same with a resolver of the other side.
func TestReadingIsSent(t *testing.T) {
	f := baseFacts(rule("read", "vault:/src/**", "deny"), rule("bash", "rm *", "deny"))
	f.Ceiling = []Rule{rule("read", "*", "allow"), rule("read", "vault:/build/**", "deny")}
	r := ReadingOf(f)
	if n := len(r[0].Layers[1].Rules); n != 1 {
		t.Errorf("%d rules of the configuration are sent, want the one about reads", n)
	}
	sent := overTheWire(t, r).At(theWorld)
	for object, want := range map[string]bool{"vault:/a.go": true, "vault:/src/main.go": false, "vault:/build/x": false, "vault:/.env": false, "fs:/etc/passwd": false} {
		if here, there := Readable(f, "")(object), sent.May("")(object); here != want || there != want {
			t.Errorf("%s: here %v, there %v, want %v", object, here, there, want)
		}
	}
}

func overTheWire(t *testing.T, r Reading) (out Reading) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
