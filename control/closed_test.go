package control

import (
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What commands in the sandbox cannot open: what is sensitive and no source code; of
// certificates and keys the content decides.
func TestIsClosed(t *testing.T) {
	for object, want := range map[string]string{
		"vault:/.env": "closed", "vault@lib:/a/.env.local": "closed", "vault:/.ENV": "closed", "vault:/prod.env": "closed", "vault:/.env.example": "closed", "vault:/.npmrc": "closed",
		"vault:/credentials.json": "closed", "vault:/a.p12": "closed", "vault:/a.JKS": "closed", "vault:/x.kdbx": "closed", "vault:/id_rsa": "closed", "vault:/terraform.tfvars": "closed", "vault:/.envrc": "closed",
		"vault:/credentials.sh": "closed", "vault:/credentials/readme.md": "closed", "vault:/.docker/config.json": "closed", "vault:/.env.d": "closed",
		"vault:/tls/server.pem": "key", "vault:/tls/server.KEY": "key", "vault:/x.p8": "key",
		"vault:/credentials.go": "open", "vault:/env.ts": "open", "vault:/src/app.env.ts": "open", "vault:/internal/credentials/provider.go": "open", "vault:/Credentials.java": "open",
		"vault:/main.go": "open", "vault:/environment.md": "open", "shell:cat .env": "open", "": "open",
		"vault:/.aws/": "closed", "vault:/a/.ssh/": "closed", "vault:/.AWS/": "closed", "vault:/.secrets/": "closed", "vault:/x.agilekeychain/": "closed",
		"vault:/credentials/": "open", "vault:/app.env/": "open", "vault:/.docker/": "open", "vault:/src/": "open", "vault:/": "open",
	} {
		got := "open"
		switch {
		case IsClosed(object) && MayHoldKey(object):
			got = "both"
		case IsClosed(object):
			got = "closed"
		case MayHoldKey(object):
			got = "key"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
	// What is closed is never something that may be read without a question.
	for _, pattern := range sensitivePatterns {
		object := "vault:/" + fillName(pattern)
		if IsClosed(object) && !sensitive(object) {
			t.Errorf("%s is closed and not sensitive", object)
		}
	}
}

func fillName(pattern string) string {
	out := []byte{}
	for i := range len(pattern) {
		if pattern[i] == '*' {
			out = append(out, 'x')
		} else {
			out = append(out, pattern[i])
		}
	}
	return string(out)
}

// A decision about a command says which sensitive files it has judged: those that its
// words read or write, and none that was denied.
func TestReadsOfADecision(t *testing.T) {
	f := baseFacts(append(allowBash("*"), rule("read", "vault:/denied/**", "deny"))...)
	for command, want := range map[string][]string{
		"cat .env":                  {"vault:/.env"},
		"echo A=1 >> .env":          {"vault:/.env"},
		"cat main.go":               nil,
		"make":                      nil,
		"grep -r x .":               nil,
		"cat < .env":                {"vault:/.env"},
		"cat denied/.env":           nil,
		"cat ./sub/../.env | wc -l": {"vault:/.env"},
	} {
		if got := NewPolicy(f).Decide(bashPlan(command)).Reads; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	plan := filePlan("read", "vault:/.env")
	if got := NewPolicy(f).Decide(plan).Reads; got != nil {
		t.Errorf("of a tool that is no command: %q", got)
	}
	// Where a command asks and a file that it asks to read does, too, no rule is offered.
	f = baseFacts()
	named := bashPlan("make")
	named.Reads = []string{"vault:/.env"}
	named.Targets = append(named.Targets, tool.Target{Domain: "read", Object: "vault:/.env"})
	if d := decide(f, named); d.Verdict != Ask || len(d.Always) > 0 || len(d.Asking) != 2 {
		t.Errorf("%+v", d)
	}
	f = baseFacts(rule("read", "vault:/.env", "allow"))
	if d := decide(f, named); d.Verdict != Ask || len(d.Always) == 0 {
		t.Errorf("a rule allows the file: %+v", d.Always)
	}
	f = baseFacts(allowBash("*")...)
	if d := decide(f, named); d.Verdict != Ask || d.Domain != "read" {
		t.Errorf("a rule allows the command: %+v", d)
	}
	f = baseFacts(append(allowBash("*"), rule("read", "vault:/.env", "deny"))...)
	if d := decide(f, named); d.Verdict != Deny {
		t.Errorf("a rule denies the file: %+v", d)
	}
}
