package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// searchPlan is a search that looks through the directories.
func searchPlan(objects ...string) *tool.Plan {
	p := &tool.Plan{Tool: "grep", Effect: tool.Read, Below: true}
	for _, o := range objects {
		p.Targets = append(p.Targets, tool.Target{Domain: "read", Object: o})
	}
	return p
}

// A search of a directory outside offers all of it and no more, and only where no
// part of it has a word of its own that the answer would take away.
func TestOffersOfASearch(t *testing.T) {
	linked := newWorld("/home/l -> /data/l")
	for _, row := range []struct {
		objects, want string
		change        func(*Facts)
	}{
		{"fs:/data", "fs:/data/**", nil},
		{"fs:/usr/share/doc", "fs:/usr/share/doc/**", nil},
		{"fs:/home/u/other", "fs:/home/u/other/**", nil},
		{"fs:/home/v", "fs:/home/v/**", nil},
		{"fs:/data/link fs:/data/real", "fs:/data/link/** + fs:/data/real/**", nil},
		{"vault:/link fs:/data/real", "fs:/data/real/**", nil},
		// Bypasses: too much for one answer.
		{"fs:/", "fs:/", nil},
		{"fs:/C:", "fs:/C:", nil},
		{"fs:/home", "fs:/home", nil},
		{"fs:/home/u", "fs:/home/u", nil},
		{"fs:/Home/U", "fs:/Home/U", nil},
		{"fs:/data/link fs:/home/u", "fs:/data/link + fs:/home/u", nil},
		{"fs:/data/l", "fs:/data/l", func(f *Facts) { f.UserHome, f.Resolver = "/home/l", linked }},
		{"fs:/home/l", "fs:/home/l", func(f *Facts) { f.UserHome, f.Resolver = "/home/l", linked }},
		{"fs:/home/u/.config", "fs:/home/u/.config", nil},
		{"fs:/home/u/.config/gh", "fs:/home/u/.config/gh", nil},
		{"fs:/home/u/Library/Cookies", "fs:/home/u/Library/Cookies", nil},
		{"fs:/home/u/.ssh", "fs:/home/u/.ssh", nil},
		{"fs:/data/.aws", "fs:/data/.aws", nil},
		{"fs:/data/credentials.d/x", "fs:/data/credentials.d/x", nil},
		{"fs:/proc/self", "", nil},
		{"fs:/run/user", "fs:/run/user", nil},
		{"fs:/data/a*", "fs:/data/a*", nil},
		{"fs:/home/u/.agent-sidecar", "", nil}, // a hard limit
		// A rule that asks about a part of it would not be heard any more.
		{"fs:/data", "fs:/data", config("fs:/data/asks/**", "ask")},
		{"fs:/data", "fs:/data", config("fs:/data/asks/x", "ask")},
		{"fs:/data", "fs:/data", config("fs:/data/**", "ask")},
		{"fs:/data", "fs:/data", config("fs:/d*/asks/**", "ask")},
		{"fs:/data", "fs:/data", config("*.sql", "ask")},
		{"fs:/data", "fs:/data", config("private/**", "ask")},
		{"fs:/data", "fs:/data", config("regex:sql$", "ask")},
		{"fs:/data", "fs:/data", config("fs:/x[", "allow")}, // cannot be read, so it asks
		{"fs:/data/a", "fs:/data/a/**", config("fs:/data/b/**", "ask")},
		{"fs:/data/a", "fs:/data/a/**", config("fs:/data/ab/**", "ask")},
		{"fs:/data", "fs:/data/**", config("vault:/asks/**", "ask")},
		{"fs:/data", "fs:/data/**", config("fs:/data/no/**", "deny")}, // a deny beats a stored yes
		{"fs:/data", "", func(f *Facts) { f.Tainted, f.Unread = true, "it is broken" }},
		{"fs:/data", "", func(f *Facts) { f.Trusted = false }},
		{"fs:/data", "", func(f *Facts) { f.Tainted = true }},
	} {
		f := baseFacts()
		if row.change != nil {
			row.change(&f)
		}
		d := decide(f, searchPlan(strings.Fields(row.objects)...))
		var got []string
		for _, o := range d.Always {
			stored := strings.ReplaceAll(o.Pattern, "fs:/", "/")
			want := "Always, in every folder: " + stored
			if o.Workspace != "" {
				got, want = append(got, o.Pattern), "Always in this workspace: "+stored
			}
			if o.Label != want {
				t.Errorf("%s: %q says other than it stores, %s", row.objects, o.Label, o.Pattern)
			}
		}
		if strings.Join(got, " | ") != row.want {
			t.Errorf("%s: offered %q, want %q", row.objects, got, row.want)
		}
	}
}

func config(pattern, decision string) func(*Facts) {
	return func(f *Facts) {
		f.Layers = append(f.Layers, Layer{Source: "config", Rules: []Rule{rule("read", pattern, decision)}})
	}
}

// What the answer stores, for good or for the session, answers the searches and
// reads below, and nothing beside, behind a link, sensitive or of the sidecar's own.
func TestAnswerToASearchHoldsBelow(t *testing.T) {
	base := baseFacts(rule("read", "fs:/data/no/**", "deny"))
	base.Home = "/data/own"
	d := decide(base, searchPlan("fs:/data"))
	always, session := base, base
	always.Layers = append(always.Layers[:len(always.Layers):len(always.Layers)], Layer{Source: "always", Rules: d.Always[0].Stored()})
	session.Grants = GrantsOf(d)
	for name, f := range map[string]Facts{"always": always, "session": session} {
		for objects, want := range map[string]Verdict{
			"fs:/data": Allow, "fs:/data/sub": Allow, "fs:/data/sub/x.txt": Allow,
			"fs:/database/x": Ask, "fs:/x": Ask, "fs:/": Ask, "fs:/data/.env": Ask, "fs:/data/sub/id_rsa": Ask, "fs:/data/no/x": Deny, "fs:/data/own/config.jsonc": Deny,
			"fs:/data/link fs:/etc/passwd": Ask, "vault:/.env": Ask,
		} {
			if d := decide(f, searchPlan(strings.Fields(objects)...)); d.Verdict != want {
				t.Errorf("%s: %s: %s", name, objects, d.Reason)
			}
		}
		if d := decide(f, filePlan("edit", "fs:/data/x")); d.Verdict != Deny {
			t.Errorf("%s: an edit: %s", name, d.Reason)
		}
	}
	if !strings.Contains(d.Refusal, `"pattern":"fs:/data/**"`) {
		t.Errorf("where nobody is there: %s", d.Refusal)
	}
	if d := decide(base, searchPlan("fs:/home/u")); !strings.Contains(d.Refusal, `"pattern":"fs:/home/u","decision"`) {
		t.Errorf("where nobody is there: %s", d.Refusal)
	}
	for _, objects := range []string{"fs:/home/u", "fs:/data/.aws"} { // where `always` opens nothing below, `session` does not either
		for _, g := range GrantsOf(decide(base, searchPlan(objects))) {
			if !g.Exact {
				t.Errorf("%s: the session is granted %s", objects, g.Pattern)
			}
		}
	}
	base.Trusted = false
	if g := GrantsOf(decide(base, searchPlan("fs:/data"))); len(g) != 1 || !g[0].Exact {
		t.Errorf("a folder that nobody trusted: %v", g)
	}
}

// One yes to a file is for the workspace in which it was asked. Every folder is the
// second choice, and none for names that ask by themselves: one yes to one `.env`
// would open that of every project.
func TestAlwaysForAFileStaysInItsWorkspace(t *testing.T) {
	here := baseFacts(rule("edit", "vault:/lib/**", "ask"), rule("edit", "fs:/**", "ask"))
	for _, row := range []struct{ domain, object, labels string }{
		{"read", "vault:/.env", "Always in this workspace: .env"},
		{"edit", "vault:/AGENTS.md", "Always in this workspace: AGENTS.md"},
		{"edit", "vault:/.github/workflows/ci.yml", "Always in this workspace: .github/workflows/ci.yml"},
		{"read", "vault@lib:/.env", "Always in this workspace: lib: .env"},
		{"read", "fs:/data/.env", "Always in this workspace: /data/.env"},
		{"edit", "vault:/lib/math.js", "Always in this workspace: lib/math.js | Always, in every folder: lib/math.js"},
		{"read", "fs:/usr/share/doc/x", "Always in this workspace: /usr/share/doc/x | Always, in every folder: /usr/share/doc/x | Always in this workspace: /usr/share/doc/**"},
	} {
		var labels []string
		d := decide(here, filePlan(row.domain, row.object))
		for i, o := range d.Always {
			labels = append(labels, o.Label)
			there, again := here, here
			there.Layers = append(here.Layers[:len(here.Layers):len(here.Layers)], Layer{Source: "always", Rules: o.Stored()})
			again.Layers, there.Workspace = there.Layers, "w-2"
			want := Ask
			if o.Workspace == "" {
				want = Allow
			}
			if d := decide(again, filePlan(row.domain, row.object)); d.Verdict != Allow {
				t.Errorf("%s: offer %d here: %s", row.object, i, d.Reason)
			}
			if d := decide(there, filePlan(row.domain, row.object)); d.Verdict != want {
				t.Errorf("%s: offer %d in another workspace: %s", row.object, i, d.Reason)
			}
		}
		if got := strings.Join(labels, " | "); got != row.labels {
			t.Errorf("%s: offered %q", row.object, got)
		}
		here.Workspace = ""
		for _, o := range decide(here, filePlan(row.domain, row.object)).Always {
			if !strings.HasPrefix(o.Label, "Always, in every folder: ") {
				t.Errorf("%s: a workspace without a name: %s", row.object, o.Label)
			}
		}
		here.Workspace = "w-1"
	}
}

// An answer that an earlier version stored for every folder goes on for ordinary
// names. What a person wrote by hand is as they wrote it.
func TestStoredRuleWithoutAWorkspace(t *testing.T) {
	for _, row := range []struct {
		domain, object, by, source string
		want                       Verdict
	}{
		{"read", "vault:/.env", "always", "always", Ask},
		{"read", "vault:/.env", "always", "config", Ask},
		{"read", "vault@lib:/.env", "always", "always", Ask},
		{"edit", "vault:/AGENTS.md", "always", "always", Ask},
		{"read", "vault:/.env", "", "config", Allow},
		{"edit", "vault:/AGENTS.md", "", "config", Allow},
		{"read", "vault:/.env", "", "session", Allow},
		{"edit", "vault:/lib/math.js", "always", "always", Allow},
		{"read", "fs:/data/.env", "always", "always", Allow}, // one file, wherever it is named
	} {
		f := baseFacts(rule("edit", "vault:/lib/**", "ask"))
		r := Rule{Domain: tool.Domain(row.domain), Pattern: row.object, Decision: "allow", Exact: true, By: row.by}
		f.Layers = append(f.Layers, Layer{Source: row.source, Rules: []Rule{r}})
		if d := decide(f, filePlan(row.domain, row.object)); d.Verdict != row.want {
			t.Errorf("%s by %s in %s: %s", row.object, row.by, row.source, d.Reason)
		}
	}
}
