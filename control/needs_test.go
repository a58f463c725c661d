package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a command asks for beyond its sandbox is asked about although a rule allows the
// command, and only for this one time. Full access answers, but for leaving the sandbox.
func TestNeedsAreAsked(t *testing.T) {
	for _, row := range []struct {
		needs      tool.Needs
		reason     string
		fullAccess Verdict
	}{
		{nil, "", Allow},
		{tool.Needs{tool.NeedDirect}, "needs to change the workspace while other work goes on", Allow},
		{tool.Needs{tool.NeedNetwork}, "needs the network", Allow},
		{tool.Needs{tool.NeedDirect, tool.NeedNetwork}, "needs the network", Allow},
		{tool.Needs{tool.NeedUnconfined}, "needs to run outside the sandbox", Deny},
		{tool.Needs{"else"}, "needs something unknown", Allow},
	} {
		f := baseFacts(Rule{Domain: "bash", Pattern: "*", Decision: "allow"})
		plan := bashPlan("make watch")
		plan.Needs = row.needs
		d := decide(f, plan)
		if (d.Verdict == Allow) != (row.reason == "") || !strings.Contains(d.Reason.String(), row.reason) || d.Verdict == Ask && (!d.OnceOnly || len(d.Always) > 0) {
			t.Errorf("%v: %s, %s, only once %v, %v", row.needs, d.Verdict, d.Reason, d.OnceOnly, d.Always)
		}
		f.Mode = "full_access"
		if d := decide(f, plan); d.Verdict != row.fullAccess {
			t.Errorf("%v, full access: %s, %s", row.needs, d.Verdict, d.Reason)
		}
	}
}
