package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The network that a command is known to need is for that command. Another one in
// the same text, which a rule allows without the network, does not get it unasked:
// `git fetch; go test ./...` would let the tests send what they like.
func TestNetworkIsNotHandedToOtherCommands(t *testing.T) {
	narrow := allowBash("git fetch*", "curl https://example.com/*", "go test*", "npm *", "cd *", "git status", "head *", "echo *")
	for command, want := range map[string]Verdict{
		"git fetch":                                Allow,
		"go test ./...":                            Allow,
		"cd src && git fetch":                      Allow,
		"git fetch | head -3":                      Allow,
		"git fetch && echo done":                   Allow,
		"git fetch; go test ./...":                 Ask,
		"timeout 5 git fetch":                      Allow,
		"go test ./... && git fetch":               Ask,
		"git fetch & go test ./...":                Ask,
		"curl https://example.com/x | go test -":   Ask,
		"(git fetch); timeout 5 go test ./...":     Ask,
		"npm install && npm test":                  Ask,
		"if git fetch; then go test ./...; fi":     Ask,
		"git status && go test ./... && cd src":    Allow,
		"git fetch origin main && git fetch other": Allow,
	} {
		d := decide(baseFacts(narrow...), bashPlan(command))
		if d.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", command, d.Verdict, d.Reason, want)
		}
		if d.Verdict == Ask && len(d.Always) > 0 {
			t.Errorf("%s: a rule is offered that would not be heard", command)
		}
		if f := baseFacts(allowBash("*")...); decide(f, bashPlan(command)).Verdict != Allow {
			t.Errorf("%s: the rule * means it", command)
		}
		f := baseFacts(narrow...)
		if f.Sandbox.Offline = false; want == Ask && decide(f, bashPlan(command)).Verdict != Allow {
			t.Errorf("%s: there every command has the network", command)
		}
	}
	f := baseFacts(allowBash("git fetch*")...)
	f.Grants = []Rule{{Domain: "bash", Pattern: "shell:go test ./...", Decision: "allow", Exact: true}}
	if d := decide(f, bashPlan("git fetch; go test ./...")); d.Verdict != Ask {
		t.Errorf("a grant for the command alone: %v", d.Verdict)
	}
}

// What is asked about by a built-in rule and again because of text from outside has a
// whole sentence as its reason.
func TestReasonOfANeedInATaintedSession(t *testing.T) {
	f := baseFacts()
	f.Tainted = true
	p := bashPlan("echo x")
	p.Needs = tool.Needs{tool.NeedNetwork}
	if d := decide(f, p); d.Verdict != Ask || d.Reason.String() != "Asks: the command needs the network." {
		t.Errorf("%s: %q", d.Verdict, d.Reason)
	}
}
