package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What an agent's file takes away nothing gives back: no rule, no grant, no mode. It
// gives nothing either: what was denied or asked about still is.
func TestUnderBounds(t *testing.T) {
	inFolder := tool.Bounds{Within: []string{"vault:/src"}}
	everything := []Rule{{Domain: "bash", Pattern: "*", Decision: "allow"}, {Domain: "edit", Pattern: "fs:/**", Decision: "allow"}, {Domain: "read", Pattern: "fs:/**", Decision: "allow"}}
	at := func(p *tool.Plan, dir, needs string) *tool.Plan {
		p.Dir, p.Needs = dir, tool.Needs(nil).With(tool.Need(needs))
		return p
	}
	const root, src = "/home/u/p", "/home/u/p/src"
	for _, c := range []struct {
		name   string
		bounds tool.Bounds
		plan   *tool.Plan
		want   Verdict
		why    string
	}{
		{"a file in the folder", inFolder, filePlan("read", "vault:/src/main.go"), Allow, ""},
		{"the folder", inFolder, filePlan("read", "vault:/src"), Allow, ""},
		{"a file beside it", inFolder, filePlan("read", "vault:/a.go"), Deny, `Denied: the agent "a" works only in vault:/src.`},
		{"a folder that begins alike", inFolder, filePlan("read", "vault:/src2/a.go"), Deny, "works only in"},
		{"out of it by its name", inFolder, filePlan("edit", "vault:/src/../a.go"), Deny, "works only in"},
		{"the whole workspace", inFolder, filePlan("read", "vault:/"), Deny, "works only in"},
		{"outside", inFolder, filePlan("read", "fs:/etc/hosts"), Deny, "works only in"},
		{"outside, alike", inFolder, filePlan("read", "fs:/src/x"), Deny, "works only in"},
		{"a further folder, alike", inFolder, filePlan("edit", "vault@lib:/src/x"), Deny, "works only in"},
		{"an edit beside it", inFolder, filePlan("edit", "vault:/a.go"), Deny, "works only in"},
		{"an edit in it", inFolder, filePlan("edit", "vault:/src/main.go"), Allow, ""},
		{"its own outputs", inFolder, filePlan("read", "fs:/home/u/.agent-sidecar/own/out.txt"), Allow, ""},
		{"its own outputs, to change", inFolder, filePlan("edit", "fs:/home/u/.agent-sidecar/own/out.txt"), Deny, ""},
		{"a secret in it", inFolder, filePlan("read", "vault:/src/.env.local"), Ask, ""},
		{"a command in it", inFolder, at(bashPlan("make"), src, ""), Allow, ""},
		{"a command beside it", inFolder, at(bashPlan("make"), root, ""), Deny, "starts its commands only in vault:/src (workdir)"},
		{"a command that reads beside it", inFolder, at(bashPlan("cat ../a.go"), src, ""), Deny, "works only in"},
		{"a command that writes beside it", inFolder, at(bashPlan("echo x > ../new"), src, ""), Deny, "works only in"},
		{"a command that goes away", inFolder, at(bashPlan("cd .. && make"), src, ""), Deny, ""},
		{"a command out of the sandbox", inFolder, at(bashPlan("make"), src, "unconfined"), Deny, "never leaves the sandbox"},
		{"no folder at all", tool.Bounds{Within: []string{"nowhere:/"}}, filePlan("read", "vault:/src/main.go"), Deny, "works only in nowhere:/"},
		{"two folders, disjoint", tool.Bounds{Within: []string{"vault:/src", "vault:/build"}}, filePlan("read", "vault:/src/main.go"), Deny, ""},
		{"the first folder, whole", tool.Bounds{Within: []string{"vault:/"}}, filePlan("read", "vault:/a.go"), Allow, ""},
		{"the first folder, another one", tool.Bounds{Within: []string{"vault:/"}}, filePlan("read", "vault@lib:/a.go"), Deny, ""},
		{"confined", tool.Bounds{Confined: true}, at(bashPlan("make"), root, "unconfined"), Deny, "never leaves the sandbox"},
		{"confined, with a network", tool.Bounds{Confined: true}, at(bashPlan("git push"), root, ""), Allow, ""},
		{"offline", tool.Bounds{Offline: true}, at(bashPlan("make"), root, "network"), Deny, "has no network in its commands"},
		{"offline, by what the command is", tool.Bounds{Offline: true}, at(bashPlan("make; git push"), root, ""), Deny, "has no network in its commands"},
		{"offline, a command without", tool.Bounds{Offline: true}, at(bashPlan("make"), root, ""), Allow, ""},
		{"offline, a page", tool.Bounds{Offline: true}, &tool.Plan{Tool: "web_fetch", Effect: tool.Net, Targets: []tool.Target{{Domain: "web_fetch", Object: "url:https://go.dev/"}}}, Allow, ""},
	} {
		for _, mode := range []string{"agent", "full_access"} {
			f := baseFacts(everything...)
			f.Agent, f.Bounds, f.Mode, f.Grants = "a", c.bounds, tool.Mode(mode), everything
			d := decide(f, c.plan)
			want := c.want
			if want == Ask && mode == "full_access" {
				want = Allow
			}
			if d.Verdict != want || d.By != "mode" && !strings.Contains(d.Reason.String(), c.why) {
				t.Errorf("%s in %s: %s, want %s: %s", c.name, mode, d.Verdict, want, d.Reason)
			}
			f.Bounds = tool.Bounds{}
			if free := decide(f, c.plan); d.Verdict > free.Verdict {
				t.Errorf("%s in %s: bounds gave something: %s, and without them %s", c.name, mode, d.Verdict, free.Verdict)
			}
		}
	}
}

// Whoever searches finds only what lies in the folder.
func TestReadableInBounds(t *testing.T) {
	f := baseFacts()
	f.Bounds.Within = []string{"vault:/src"}
	may := Readable(f, "vault:/")
	for object, want := range map[string]bool{"vault:/src/main.go": true, "vault:/a.go": false, "fs:/etc/hosts": false, "vault:/srcs/x": false} {
		if may(object) != want {
			t.Errorf("%s: %v", object, !want)
		}
	}
}
