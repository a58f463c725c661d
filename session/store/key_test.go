package store

import (
	"strings"
	"testing"
)

func TestCanonicalKey(t *testing.T) {
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
		got, err := CanonicalKey(row.in, "w", "build")
		if (err != nil) != (row.want == "") || got != row.want {
			t.Errorf("%q: %q, %v; want %q", row.in, got, err, row.want)
			continue
		}
		if again, err := CanonicalKey(got, "other", "other"); got != "" && (err != nil || again != got) {
			t.Errorf("%q is not stable: %q, %v", got, again, err)
		}
	}
}
