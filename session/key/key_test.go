package key

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	long := strings.Repeat("x", 129)
	for _, row := range []struct{ in, want string }{ // "" = refused
		{"main", "workspace:w/agent:build/main"},
		{" main ", "workspace:w/agent:build/main"},
		{"MAIN", "workspace:w/agent:build/main"},
		{"dm:slack:u1", "workspace:w/agent:build/dm:slack:u1"},
		{"dm:SLACK:U1", "workspace:w/agent:build/dm:slack:U1"},
		{"dm: slack : u1 ", "workspace:w/agent:build/dm:slack:u1"},
		{"DM:Slack:u1", "workspace:w/agent:build/dm:slack:u1"},
		{"group:telegram:-100", "workspace:w/agent:build/group:telegram:-100"},
		{"main:thread:7", "workspace:w/agent:build/main:thread:7"},
		{"main:THREAD:7", "workspace:w/agent:build/main:thread:7"},
		{"dm:slack:u1:thread:a b", "workspace:w/agent:build/dm:slack:u1:thread:a b"},
		{"group:irc:#go", "workspace:w/agent:build/group:irc:%23go"},
		{"group:irc:%23go", "workspace:w/agent:build/group:irc:%23go"},
		{"dm:mail:a/b", "workspace:w/agent:build/dm:mail:a%2Fb"},
		{"dm:x:a\tb", "workspace:w/agent:build/dm:x:a%09b"},
		{"dm:x:a\x7fb", "workspace:w/agent:build/dm:x:a%7Fb"},
		{"dm:x:a\u0085b", "workspace:w/agent:build/dm:x:a%C2%85b"},
		{"dm:x:u\u0308", "workspace:w/agent:build/dm:x:ü"},
		{"dm:x:\xff", "workspace:w/agent:build/dm:x:\uFFFD"},
		{"dm:x:张三", "workspace:w/agent:build/dm:x:张三"},
		{"session:0001", "workspace:w/agent:build/session:0001"},
		{"workspace:v/agent:plan/main", "workspace:v/agent:plan/main"},
		{"workspace:v/agent:plan/dm:SLACK:u", "workspace:v/agent:plan/dm:slack:u"},
		{" workspace: v /agent: plan /main", "workspace:v/agent:plan/main"},
		{"dm:x:" + long[:128], "workspace:w/agent:build/dm:x:" + long[:128]},
		{"dm:x:" + long, ""},
		{"dm:x:" + strings.Repeat("/", 50), ""}, // 150 bytes once encoded
		{"", ""},
		{"  ", ""},
		{"dm:x:a%2fb", "workspace:w/agent:build/dm:x:a%2Fb"},
		{"dm:a/B:u", "workspace:w/agent:build/dm:a%2Fb:u"},
		{"dm:a%2FB:u", "workspace:w/agent:build/dm:a%2Fb:u"},
		{"dm:x:100%", "workspace:w/agent:build/dm:x:100%"},
		{"dm:x:a\x00b", "workspace:w/agent:build/dm:x:a%00b"},
		{"dm:Ⱥ:u", "workspace:w/agent:build/dm:ⱥ:u"},
		{"dm:" + long[:126] + "Ⱥ:u", ""}, // 128 bytes, and 129 in lower case
		{"dm:" + long[:125] + "Ⱥ:u", "workspace:w/agent:build/dm:" + long[:125] + "ⱥ:u"},
		{"session:0001:thread:1", ""},
		{strings.Repeat(" ", 4092) + "main", "workspace:w/agent:build/main"},
		{strings.Repeat(" ", 4093) + "main", ""},
		{"nowhere", ""},
		{"nowhere:x", ""},
		{"main:x", ""},
		{"main:thread", ""},
		{"main:thread:", ""},
		{"main:threads:1", ""},
		{"main:thread:1:2", ""},
		{"dm", ""},
		{"dm:slack", ""},
		{"dm::u1", ""},
		{"dm:slack:", ""},
		{"dm:slack: ", ""},
		{"dm:slack:u1:x", ""},
		{"group:x", ""},
		{"session:", ""},
		{"workspace:v", ""},
		{"workspace:v/agent:plan", ""},
		{"workspace:/agent:plan/main", ""},
		{"workspace:v/agent:/main", ""},
		{"workspace:v/agent:plan/", ""},
		{"workspace:v/agent:plan/nowhere", ""},
		{"workspace:v/plan/main", ""},
	} {
		got, err := Canonical(row.in, "w", "build")
		if (err != nil) != (row.want == "") || got != row.want {
			t.Errorf("%q: %q, %v; want %q", row.in, got, err, row.want)
			continue
		}
		if again, err := Canonical(got, "other", "other"); got != "" && (err != nil || again != got) {
			t.Errorf("%q is not stable: %q, %v", got, again, err)
		}
	}
}

// What stands in an old log, and in the settings of an old router, is found under
// the name that it has today.
func TestOldForms(t *testing.T) {
	for _, row := range []struct{ in, want string }{ // "" = refused, and in a log the key of its id
		{"0001", "w/agent:build/session:0001"},
		{"default", "w/agent:build/main"},
		{"GLOBAL", "w/agent:build/main"},
		{"agent:main:main", "w/agent:build/main"},
		{"Agent:Main:Main", "w/agent:build/main"},
		{"agent:default:main", "w/agent:build/main"},
		{"agent:plan:main", "w/agent:plan/main"},
		{"agent:plan/main", "w/agent:plan/main"},
		{"agent:plan:0007", "w/agent:plan/session:0007"},
		{"agent:main:slack:direct:U1", "w/agent:build/dm:slack:U1"},
		{"agent:main:Slack:channel:C1:topic:9", "w/agent:build/group:slack:C1:thread:9"},
		{"agent:main:direct:slack:U1", "w/agent:build/dm:slack:U1"},
		{"workspace:v/main", "v/agent:build/main"},
		{"workspace:v/dm:SLACK:u", "v/agent:build/dm:slack:u"},
		{"workspace:v/0003", "v/agent:build/session:0003"},
		{"WORKSPACE:v/AGENT:plan/MAIN", "v/agent:plan/main"},
		{"workspace:v:agent:plan:main", "v/agent:plan/main"},
		{"workspace:v:agent:main:group:irc:#go", "v/agent:build/group:irc:%23go"},
		{"direct:slack:u1", "w/agent:build/dm:slack:u1"},
		{"room:matrix:r", "w/agent:build/group:matrix:r"},
		{"slack:dm:u1", "w/agent:build/dm:slack:u1"},
		{"slack:dm:u1:topic:3", "w/agent:build/dm:slack:u1:thread:3"},
		{"main:topic:3", "w/agent:build/main:thread:3"},
		{"agent:main", ""},
		{"agent::main", ""},
		{"session:dm:x", ""},
		{"slack:dm:", ""},
		{"/etc/passwd", ""},
		{"../../0001", ""},
	} {
		got, err := Canonical(row.in, "w", "build")
		if (err != nil) != (row.want == "") || row.want != "" && got != "workspace:"+row.want {
			t.Errorf("%q: %q, %v; want %q", row.in, got, err, row.want)
		}
		stored := Stored(row.in, "w", "build", "0042")
		if want := "workspace:" + row.want; row.want != "" && stored != want {
			t.Errorf("%q in a log: %q, want %q", row.in, stored, want)
		}
		if row.want == "" && stored != "workspace:w/agent:build/session:0042" {
			t.Errorf("%q in a log: %q, want that of its id", row.in, stored)
		}
	}
	for in, want := range map[string]string{ // only in a log
		"dm:matrix:@u:example.org":                                "workspace:w/agent:build/dm:matrix:@u%3Aexample.org",
		"group:matrix:!r:example.org:thread:7":                    "workspace:w/agent:build/group:matrix:!r%3Aexample.org:thread:7",
		"workspace:w/agent:plan/dm:matrix:@u:example.org":         "workspace:w/agent:plan/dm:matrix:@u%3Aexample.org",
		"dm:" + strings.Repeat("x", 200) + ":u":                   "workspace:w/agent:build/session:0042",
		"workspace:w/agent:build/dm:slack:" + "\xff\xfe" + "\x01": "workspace:w/agent:build/dm:slack:\uFFFD%01",
	} {
		if got := Stored(in, "w", "build", "0042"); got != want {
			t.Errorf("%q in a log: %q, want %q", in, got, want)
		}
	}
}

// Whatever comes in, what comes out is canonical: it has the grammar of session keys
// and is what comes out again, for every reader.
func TestCanonicalIsStable(t *testing.T) {
	grammar := regexp.MustCompile(`^workspace:[^/:#\pC]+/agent:[^/:#\pC]+/(main|(dm|group):[^/:#]+:[^/:#]+|session:[^/:#]+)(:thread:[^/:#]+)?$`)
	pieces := []string{"main", "dm", "GROUP", "direct", "slack", "Slack", "thread", "topic", "agent", "workspace", "session", "0001", ":", ":", ":", "/", "%", "%2f", "%2F", "#", " ",
		"ü", "u\u0308", "Ⱥ", "\x00", "\u0085", "\u2028", "\xff", "default", strings.Repeat("y", 60)}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		in := b.String()
		stored := Stored(in, "w", "build", "0042")
		if !grammar.MatchString(stored) {
			t.Fatalf("%q is stored as %q", in, stored)
		}
		again, err := Canonical(stored, "other", "other")
		if err != nil || again != stored || Stored(stored, "other", "other", "9") != stored {
			t.Fatalf("%q: %q becomes %q, %v", in, stored, again, err)
		}
		if now, err := Canonical(in, "w", "build"); err == nil && now != stored {
			t.Fatalf("%q is %q for a router and %q in a log", in, now, stored)
		}
	}
}
