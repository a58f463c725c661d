package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The words of a command say that it changes a repository: the answer, and the rule that
// allows it, cover that. What the words do not say asks, and only once.
func TestNeedGit(t *testing.T) {
	rules := allowBash("git *", "make *", "go test*")
	for _, row := range []struct {
		command string
		needs   tool.Needs
		want    Verdict
		git     bool
	}{
		{"git commit -m x", nil, Allow, true},
		{"git commit -m x", tool.Needs{tool.NeedGit}, Allow, true},
		{"git add . && git commit -m x && git log", nil, Allow, true},
		{"cd sub && git commit -m x | head -3", nil, Ask, true}, // nothing allows cd
		{"git status", nil, Allow, false},
		{"make release", nil, Allow, false},
		{"make release", tool.Needs{tool.NeedGit}, Ask, true},
		{"git status", tool.Needs{tool.NeedGit}, Ask, true},
	} {
		plan := bashPlan(row.command)
		plan.Needs = row.needs
		d := decide(baseFacts(rules...), plan)
		if d.Verdict != row.want || d.Git != row.git {
			t.Errorf("%s %v: %v (%s), git %v", row.command, row.needs, d.Verdict, d.Reason, d.Git)
		}
		if d.Verdict == Ask && row.needs != nil && (!d.OnceOnly || len(d.Always) > 0 || d.Reason.String() != "Asks: the command needs to change the repository.") {
			t.Errorf("%s: %+v", row.command, d)
		}
		f := baseFacts(rules...)
		f.Mode = "full_access"
		if d := decide(f, plan); d.Verdict != Allow || d.Git != row.git {
			t.Errorf("%s %v in full access: %v (%s)", row.command, row.needs, d.Verdict, d.Reason)
		}
	}
	if d := decide(baseFacts(), bashPlan("git commit -m x")); d.Verdict != Ask || d.OnceOnly || len(d.Always) != 1 || d.Always[0].Workspace == "" {
		t.Errorf("always in this workspace is not offered: %+v", d)
	}
}

// Bypass: a yes or a rule for `git commit` is no yes for what runs beside it, which could
// not change the repository alone.
func TestBypassRepositoryIsNotHandedToOtherCommands(t *testing.T) {
	narrow := allowBash("git commit*", "git status*", "git diff*", "go test*", "./build*", "cd *", "echo *")
	for command, want := range map[string]Verdict{
		"git commit -m x":                           Allow,
		"cd src && git commit -m x":                 Allow,
		"git status && git commit -m x && git diff": Allow,
		"git commit -m x; echo done":                Allow,
		"go test ./...":                             Allow,
		"go test ./... && git commit -m x":          Ask,
		"git commit -m x; ./build":                  Ask,
		"go test ./... && git status":               Allow,
	} {
		f := baseFacts(narrow...)
		f.Sandbox.GitKept = true
		if d := decide(f, bashPlan(command)); d.Verdict != want || want == Ask && len(d.Always) > 0 {
			t.Errorf("%s: %v (%s), want %v", command, d.Verdict, d.Reason, want)
		}
		if f.Sandbox.GitKept = false; decide(f, bashPlan(command)).Verdict != Allow {
			t.Errorf("%s: there every command can change the repository", command)
		}
	}
}

// An agent that is held to a folder changes no repository, whoever allows it.
func TestBypassBoundsRepository(t *testing.T) {
	for command, want := range map[string]Verdict{"git status": Allow, "git commit -m x": Deny, "sh -c 'git commit -m x'": Deny} {
		f := baseFacts(allowBash("*")...)
		f.Bounds = tool.Bounds{Within: []string{"vault:/src"}}
		plan := bashPlan(command)
		plan.Dir = "/home/u/p/src"
		if d := decide(f, plan); d.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", command, d.Verdict, d.Reason, want)
		}
		plan.Needs = tool.Needs{tool.NeedGit}
		if d := decide(f, plan); d.Verdict != Deny {
			t.Errorf("%s, declared: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
