package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Readable is Decide about a read, without the words: searches leave out exactly
// what a read would ask about.
func TestReadableIsWhatDecideSays(t *testing.T) {
	rules := []Layer{{Source: "config", Rules: []Rule{
		{Domain: "read", Pattern: "vault:/private/**", Decision: "deny"},
		{Domain: "read", Pattern: "vault:/ask/*", Decision: "ask"},
		{Domain: "read", Pattern: "*.env.example", Decision: "allow"},
		{Domain: "read", Pattern: "fs:/usr/**", Decision: "allow"},
	}}}
	base := Facts{Roots: []string{"/w", "/v"}, Home: "/home/u/.agent-sidecar", UserHome: "/home/u", Readables: Readables{Own: []string{"/w/.agent-output/0001"}}, Trusted: true, Mode: "agent"}
	facts := map[string]Facts{"plain": base}
	add := func(name string, change func(*Facts)) {
		f := base
		change(&f)
		facts[name] = f
	}
	add("rules", func(f *Facts) { f.Layers = rules })
	add("untrusted", func(f *Facts) { f.Trusted = false })
	add("unread", func(f *Facts) { f.Unread = "it is broken" })
	add("tainted", func(f *Facts) { f.Tainted = true })
	add("full access", func(f *Facts) { f.Mode, f.Layers = "full_access", rules })
	add("no memory", func(f *Facts) { f.NoMemory = true })
	add("granted", func(f *Facts) {
		f.Grants = []Rule{{Domain: "read", Pattern: "vault:/.env", Decision: "allow", By: "always"}}
	})
	add("ceiling", func(f *Facts) {
		f.Ceiling = []Rule{{Domain: "read", Pattern: "vault:/a/**", Decision: "allow"}}
	})
	objects := []string{
		"vault:/a/b.go", "vault:/.env", "vault:/x/.ENV.local", "vault:/x/a.env.example", "vault:/credentials.d/x", "vault:/.aws/config", "vault:/x/.aws", "vault:/deep/.kube/config",
		"vault:/id_rsa", "vault:/ID_RSA.pub", "vault:/a.PEM", "vault:/a.key/b", "vault:/private/x", "vault:/ask/x", "vault:/.agent/MEMORY.md", "vault:/.agent-output/0001/x", "vault:/.agent-output/0002/x",
		"vault@v:/y.go", "vault@v:/.npmrc", "fs:/etc/passwd", "fs:/usr/lib/x", "fs:/usr/lib/x.pem", "fs:/home/u/.agent-sidecar/config.jsonc", "fs:/home/u/.ssh/known_hosts", "vault:/", "nonsense", "",
	}
	seen := map[bool]int{}
	for name, f := range facts {
		may, policy := Readable(f, ""), NewPolicy(f)
		for _, o := range objects {
			plan := &tool.Plan{Tool: "read", Effect: tool.Read, Targets: []tool.Target{{Domain: "read", Object: o}}}
			want := policy.Decide(plan).Verdict == Allow
			if got := may(o); got != want {
				t.Errorf("%s, %q: readable %v, decided %v", name, o, got, want)
			}
			seen[want]++
		}
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("too little was compared: %v", seen)
	}
}

// Who allows a search of a directory allows what lies below it, and nothing that has
// a question or a refusal of its own.
func TestReadableBelowWhatWasAllowed(t *testing.T) {
	f := Facts{Roots: []string{"/home/u/p"}, Home: "/home/u/.agent-sidecar", UserHome: "/home/u", Mode: "agent", Trusted: true, Agent: "build", Layers: []Layer{
		{Source: "config", Rules: []Rule{
			{Domain: "read", Pattern: "vault:/ask/**", Decision: "ask"}, {Domain: "read", Pattern: "vault:/ask/no/**", Decision: "deny"},
			{Domain: "read", Pattern: "fs:/usr/lib/own/**", Decision: "ask"}, {Domain: "read", Pattern: "fs:/usr/lib/no/**", Decision: "deny"},
		}},
	}}
	for _, row := range []struct {
		base, object string
		want         bool
	}{
		{"", "fs:/usr/lib/x", false},
		{"fs:/usr/lib", "fs:/usr/lib/x", true},
		{"fs:/usr/lib", "fs:/usr/lib/deep/x", true},
		{"fs:/", "fs:/usr/lib/x", true},
		{"fs:/usr/lib", "fs:/usr/lib64/x", false},
		{"fs:/usr/lib", "fs:/etc/passwd", false}, // where a link leads
		{"fs:/usr/lib", "fs:/usr/lib/x.pem", false},
		{"fs:/usr/lib", "fs:/usr/lib/own/x", false},
		{"fs:/usr/lib/own/a", "fs:/usr/lib/own/a/x", true},
		{"fs:/usr/lib", "fs:/usr/lib/no/x", false},
		{"fs:/home/u", "fs:/home/u/.ssh/known_hosts", false},
		{"fs:/home/u/.ssh", "fs:/home/u/.ssh/known_hosts", false},
		{"fs:/home/u", "fs:/home/u/.agent-sidecar/config.jsonc", false},
		{"fs:/home/u/.agent-sidecar", "fs:/home/u/.agent-sidecar/config.jsonc", false},
		{"vault:/ask/a", "vault:/ask/a/x", true},
		{"vault:/ask", "vault:/ask/no/x", false},
		{"vault:/", "vault:/ask/x", false},
		{"vault:/", "vault:/.env", false},
		{"vault:/", "fs:/usr/lib/x", false},
	} {
		if got := Readable(f, row.base)(row.object); got != row.want {
			t.Errorf("%s below %s: readable %v", row.object, row.base, got)
		}
	}
	f.Ceiling = []Rule{{Domain: "read", Pattern: "fs:/**", Decision: "deny"}}
	if Readable(f, "fs:/usr/lib")("fs:/usr/lib/x") {
		t.Error("an agent's ceiling does not hold")
	}
}

// What is passed over quickly is what no pattern matches: each pattern still
// finds its own, with its wildcards filled in.
func TestNameSetPassesNothingOver(t *testing.T) {
	for _, p := range protectedPatterns {
		if literalPart(p) == "" {
			t.Errorf("%s has no text to look for", p)
		}
	}
	for object, want := range map[string]bool{
		"vault:/a/.ssh": true, "vault:/.ssh/x": true, "vault:/.SSH/x/y": true, "vault:/.sshx/y": false, "vault:/prod.env": true, "vault:/environment": false,
		"vault:/x/.docker/config.json": true, "vault:/.docker/other": false, "vault:/credentials": true, "vault:/a/b.p12": true, "vault:/a/b.p1": false,
	} {
		if got := sensitive(object); got != want {
			t.Errorf("%s: %v", object, got)
		}
	}
}
