package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// deedLog writes a log: each line is "run type {data}", with an afterSeq in front
// where it begins with a number.
func deedLog(t *testing.T, dir string, lines ...string) {
	t.Helper()
	var out strings.Builder
	for i, l := range lines {
		f := strings.SplitN(l, " ", 3)
		after := ""
		if n, rest, ok := strings.Cut(f[0], "@"); ok {
			after, f[0] = `"afterSeq":`+rest+",", n
		}
		fmt.Fprintf(&out, `{"seq":%d,%s"time":"2026-11-20T10:00:0%d.000Z","runId":"%s","type":"%s","data":%s}`+"\n", i+1, after, i, f[0], f[1], f[2])
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, LogFile), []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What can be undone is what happened in this session: in its log behind what it
// was given, and in those of the sub-agents that it has started itself.
func TestDeeds(t *testing.T) {
	opened := `- session.opened {"version":1,"key":"k","workspaceUri":"","agent":"build","mode":"agent","runtimeMode":"local"%s}`
	change := func(run, call, path string) string {
		return run + ` file.changed {"callId":"` + call + `","path":"` + path + `","kind":"created","before":"","after":"x","checkpoint":""}`
	}
	lines := func(parent string) []string {
		return []string{
			fmt.Sprintf(opened, parent),
			`r1 run.started {"prompt":[],"agent":"build","model":"","kind":"prompt"}`,
			`r1 tool.requested {"callId":"c1","tool":"write","input":{},"title":""}`,
			change("r1", "c1", "a"),
			`r1 subagent.started {"agent":"helper","callId":"c2","path":"helper#1","prompt":""}`,
			`r1 subagent.ended {"callId":"c2","path":"helper#1","status":"completed"}`,
			change("r1", "c3", "b"),
		}
	}
	for _, row := range []struct{ name, parent, want string }{
		{"its own", "", "run r1, c1, c1 a, s1, s1 k, c3 b"},
		{"after a reset", `,"parent":{"sessionId":"0001"}`, "run r1, c1, c1 a, s1, s1 k, c3 b"},
		{"a fork", `,"parent":{"sessionId":"0001","atSeq":6}`, "(run r1), (c1), (c1 a), c3 b"},
		{"a fork of nothing yet", `,"parent":{"sessionId":"0001","atSeq":1}`, "run r1, c1, c1 a, s1, s1 k, c3 b"},
		{"a bundle", `,"parent":{"sessionId":"bundle:0001","atSeq":7}`, "(run r1), (c1), (c1 a), (c3 b)"},
		{"a bundle of which the end is not known", `,"parent":{"sessionId":"bundle:0001"}`, "(run r1), (c1), (c1 a), (c3 b)"},
	} {
		dir := t.TempDir()
		deedLog(t, dir, lines(row.parent)...)
		deedLog(t, filepath.Join(dir, ChildFolder, "1"), fmt.Sprintf("x@900"+opened[1:], ""),
			`x@900 tool.requested {"callId":"s1","tool":"write","input":{},"title":""}`, strings.Replace(change("x", "s1", "k"), "x ", "x@5 ", 1))
		deedLog(t, filepath.Join(dir, ChildFolder, "2"), strings.Replace(change("x", "s9", "nobody started this one"), "x ", "x@6 ", 1))
		deeds, err := Deeds(t.Context(), dir, 7)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range deeds {
			word := d.Call
			if d.Run != "" {
				word = "run " + d.Run
			}
			if d.File != nil {
				word += " " + d.File.Path
			}
			if !d.Own {
				word = "(" + word + ")"
			}
			got = append(got, word)
		}
		if s := strings.Join(got, ", "); s != row.want && strings.ReplaceAll(row.want, "s1, s1 k, c3 b", "s1 k, c3 b, s1") != s {
			t.Errorf("%s: %s\nwant %s", row.name, s, row.want)
		}
	}
	// A second first line takes nothing back.
	dir := t.TempDir()
	deedLog(t, dir, append(lines(`,"parent":{"sessionId":"bundle:0001","atSeq":7}`), fmt.Sprintf(opened, ""))...)
	deeds, err := Deeds(t.Context(), dir, 8)
	for _, d := range deeds {
		if err != nil || d.Own {
			t.Error(d, err)
		}
	}
}

// A call that was allowed and has no result but that of a restart may have changed what
// nobody knows. One that nobody allowed has not begun, and what a fork was given is
// another session's.
func TestDeedsNameWhatAKillLost(t *testing.T) {
	call := func(n, decision, status string) []string {
		return []string{
			`r1 tool.decided {"callId":"` + n + `","decision":"` + decision + `","rule":"","source":"","by":""}`,
			`r1 tool.returned {"callId":"` + n + `","tool":"bash","status":"` + status + `","text":"\"interrupted\"","durationMs":1}`,
		}
	}
	for parent, want := range map[string]string{"": "c1 true, k1 true", `,"parent":{"sessionId":"0001","atSeq":9}`: "c1 false"} {
		dir := t.TempDir()
		opened := `- session.opened {"version":1,"key":"k","workspaceUri":"","agent":"build","mode":"agent","runtimeMode":"local"` + parent + `}`
		lines := append([]string{opened, `r1 subagent.started {"agent":"helper","callId":"c9","path":"helper#1","prompt":""}`}, call("c1", "allow", "interrupted")...)
		lines = append(append(lines, call("c2", "deny", "interrupted")...), call("c3", "allow", "completed")...)
		deedLog(t, dir, append(lines, call("c4", "allow", "failed")[1])...)
		deedLog(t, filepath.Join(dir, ChildFolder, "1"), append(call("k1", "allow", "interrupted"), call("k2", "deny", "interrupted")...)...)
		deeds, err := Deeds(t.Context(), dir, 100)
		var got []string
		for _, d := range deeds {
			if d.Lost != "" {
				got = append(got, fmt.Sprint(d.Call, " ", d.Own))
			}
		}
		slices.Sort(got)
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, %v, want %s", parent, got, err, want)
		}
	}
}
