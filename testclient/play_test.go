package testclient_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata/player")

// play plays a text in a bubble, or in real time if it says so.
func play(t *testing.T, name, text string, update bool) (result *testclient.Result) {
	t.Helper()
	patience := time.Duration(0) // the default, which a busy machine does not use up
	if name == "missing" || name == "order" {
		patience = 300 * time.Millisecond // these wait for what never comes
	}
	c, err := testclient.ParseConversation(name, text)
	if err != nil {
		t.Fatal(err)
	}
	o := testclient.Options{Start: startFake, Update: update, Patience: patience, Quiet: 150 * time.Millisecond, ACP: officialACP(t)}
	if c.Realtime {
		o.Dir = t.TempDir()
		return testclient.Play(c, o)
	}
	synctest.Test(t, func(t *testing.T) {
		o.Dir, o.Settle = t.TempDir(), synctest.Wait
		result = testclient.Play(c, o)
	})
	return result
}

// sameText shows the first lines that differ, and no more.
func sameText(t *testing.T, what, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Errorf("%s, line %d:\n- %.400s\n+ %.400s", what, i+1, w[i], g[i])
			return
		}
	}
	if len(w) != len(g) {
		t.Errorf("%s: %d lines instead of %d", what, len(g), len(w))
	}
}

const begin = `-- conversation --
--> initialize #0 {"capabilities":{"experimental":{"agentSidecar":{"versions":[1]}}}}
<-- #0 result {…}
--> initialized {}
`

func TestPlayUpdatesAndThenAgrees(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"everything", "realtime", "acp"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "player", file+".txtar")
			written, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				r := play(t, file, string(written), true)
				if len(r.Problems) > 0 {
					t.Fatalf("%s\n%s", strings.Join(r.Problems, "\n"), r.Wire)
				}
				if err := os.WriteFile(path, []byte(r.Updated), 0o644); err != nil {
					t.Fatal(err)
				}
				written = []byte(r.Updated)
			}
			if r := play(t, file, string(written), false); len(r.Problems) > 0 {
				t.Fatalf("%s\n%s", strings.Join(r.Problems, "\n"), r.Wire)
			}
			// From nothing but the inputs and comments, and then again.
			var bare strings.Builder
			golden := false
			for line := range strings.Lines(string(written)) {
				if strings.HasPrefix(line, "-- ") {
					golden = line == "-- requests --\n" || line == "-- log --\n"
					bare.WriteString(line)
					continue
				}
				mine := strings.HasPrefix(line, "#") || strings.TrimSpace(line) == ""
				if mine || strings.Contains(line, "{…}") || !golden && !strings.HasPrefix(line, "<--") {
					bare.WriteString(line)
				}
			}
			first := play(t, file, bare.String(), true)
			second := play(t, file, first.Updated, true)
			if len(first.Problems)+len(second.Problems) > 0 {
				t.Fatalf("%q %q", first.Problems, second.Problems)
			}
			sameText(t, "updated twice", first.Updated, second.Updated)
			sameText(t, "updated from nothing", string(written), first.Updated)
		})
	}
}

// Each of these has to fail, and to say why. The law is the text that must
// stand in a problem.
func TestPlayNotices(t *testing.T) {
	for name, c := range map[string]struct{ steps, law string }{
		"wrong answer":          {"--> echo #1 {\"a\":1}\n<-- #1 result {\"a\":2}\n", `+ <-- #1 result {"a": 1}`},
		"missing line":          {"--> echo #1 1\n<-- #1 result 1\n<-- x {}\n", "- <-- x {}"},
		"unexpected line":       {"--> echo #1 1\n", "+ <-- #1 result 1"},
		"no answer":             {"--> silent #1 {}\n", "request #1 (silent) was never answered"},
		"answered twice":        {"--> twice #1 {}\n<-- #1 result 1\n<-- #1 result 1\n", "response to 1, which is not waiting"},
		"result and error":      {"--> both #1 {}\n<-- #1 error {…}\n", "result xor error"},
		"stray bytes on stdout": {"--> stray #1 {}\n<-- raw \"debug: hello\\n\"\n", "not a frame"},
		"file differs":          {"--- expect file a.txt nothing\n", "a.txt"},
		"exec fails":            {"--- exec exit 3\n", "exit status 3"},
		"answer to nothing":     {"--> #s1 result {}\n", "has not asked #s1"},
		"unused turn":           {"-- model --\nsay x\n", "never asked for"},
		"no turn left":          {"--> model #1 {\"messages\":[]}\n<-- #1 result {…}\n", "no turn left"},
		"requests differ":       {"--> model #1 {\"messages\":[]}\n<-- #1 result {…}\n-- model --\nsay x\n-- requests --\nrequest 1 for explore\n", "+ request 1 for main"},
		"log differs":           {"-- log --\n== x\n", "- == x"},
		"absent folder":         {"--- exec mkdir d\n--- expect file d absent\n", "not absent"},
		"too few together":      {"--- together 2\n--> echo #1 1\n", "1 messages are missing"},
		"together and a wait":   {"--- together 2\n--> echo #1 1\n--- wait 1s\n", "right below it"},
	} {
		t.Run(name, func(t *testing.T) { mustFail(t, name, begin+c.steps, c.law) })
	}
}

// What a failure prints is bounded, and still shows where long lines differ.
func TestPlayIsBriefAboutLongThings(t *testing.T) {
	long := strings.Repeat("x", 5000)
	steps := "--- hide window/logMessage\n"
	for i := range 5 {
		steps += fmt.Sprintf("--> flood #%d {}\n<-- #%d result 1\n", i+1, i+1)
	}
	steps += fmt.Sprintf("--> echo #9 %q\n<-- #9 result %q\n", long+"abc", long+"abd")
	r := play(t, "long", begin+steps, false)
	all := strings.Join(r.Problems, "\n")
	if !strings.Contains(all, `xxxabc"`) || !strings.Contains(all, `xxxabd"`) || len(all) > 3000 {
		t.Errorf("%d characters: %.3000s", len(all), all)
	}
	lines := strings.Split(r.Wire, "\n")
	for _, line := range lines {
		if len(line) > 500 {
			t.Errorf("a line of %d characters: %.100s", len(line), line)
		}
	}
	if len(lines) > 310 || !strings.Contains(r.Wire, " lines …") || !strings.Contains(lines[0], "initialize") {
		t.Errorf("%d lines, first %s", len(lines), lines[0])
	}
}

func mustFail(t *testing.T, name, text, law string) {
	t.Helper()
	r := play(t, name, text, false)
	if all := strings.Join(r.Problems, "\n"); !strings.Contains(all, law) {
		t.Errorf("no problem says %q:\n%s", law, all)
	}
	if r.Wire == "" {
		t.Error("no wire to read")
	}
}

func TestPlayNoticesTrafficThatTheClientDidNotAskFor(t *testing.T) {
	plain := "-- conversation --\n--> initialize #0 {\"capabilities\":{}}\n<-- #0 result {…}\n"
	early := plain + "--> emit #1 {\"raw\":[" + event("session= x") + "]}\n<-- agent/event {…}\n<-- #1 result 1\n"
	mustFail(t, "early", early, "between the initialize response and initialized")
	mustFail(t, "early", early, "without the marker")
}

func TestPlayInRealTimeNotices(t *testing.T) {
	t.Parallel()
	begin := "realtime\n" + begin
	mustFail(t, "missing", begin+"--> echo #1 1\n<-- #1 result 2\n", "did not come within")
	mustFail(t, "unexpected", begin+"--> echo #1 1\n", "nobody expects it")
	mustFail(t, "end of input", begin+"--- eof\n", "+ <-- exit 1")
	if r := play(t, "end of input", begin+"--- eof\n<-- exit 1\n", false); len(r.Problems) > 0 {
		t.Errorf("an end that is expected: %q", r.Problems)
	}
	mustFail(t, "server gone", begin+"--> exit\n<-- exit 0\n<-- x {}\n", "- <-- x {}")
	mustFail(t, "before its request", begin+"--> #s1 result {}\n", "has not asked #s1")
	// The answer that goes out by itself makes the player look a second time.
	mustFail(t, "order", begin+`--- answer window/showDocument {}
--> emit #1 {"raw": [{"jsonrpc":"2.0","method":"x","params":{"n":1}}, {"jsonrpc":"2.0","method":"x","params":{"n":2}}, {"jsonrpc":"2.0","id":"q","method":"window/showDocument"}]}
<-- #1 result 1
<-- window/showDocument #s1
<-- x {"n": 2}
<-- x {"n": 1}
`, "did not come within")
}

func TestParseConversationNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"-- conversation --\n--> a #1 {\n":     "line 1",
		"-- conversation --\n\n--- sleep 1\n":  "unknown directive",
		"-- conversation --\n--- wait soon\n":  "line 1",
		"-- conversation --\n--- eof now\n":    "arguments",
		"-- conversation --\nhello\n":          "want -->",
		"-- conversaton --\n":                  "unknown section",
		"-- config --\n":                       "no section conversation",
		"-- log --\n-- log --\n":               "twice",
		"-- conversation --\n--> #1 maybe {}":  "want result or error",
		"-- conversation --\n--> raw \"abc":    "raw",
		"-- conversation --\n--- together x\n": "line 1",
		"-- conversation --\n--- together 0\n": "at least 1",
		"-- conversation --\n--- stop it\n":    "stop reading",
	} {
		if _, err := testclient.ParseConversation("x", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
