package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/proc"
)

// asHook is the first argument of this binary where it plays a hook.
const asHook = "hook-for-test"

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, nil); handled {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == asHook {
		os.Exit(playHook(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// playHook is what hooks do, good and bad ones.
func playHook(what string, args []string) int {
	switch what {
	case "say": // and do not read
		os.Stdout.WriteString(args[0])
	case "told": // what came on stdin, as output
		raw, err := io.ReadAll(os.Stdin)
		if err != nil {
			return 1
		}
		answer, err := json.Marshal(map[string]string{"output": string(raw)})
		if err != nil {
			return 1
		}
		os.Stdout.Write(answer)
	case "append": // to the output
		var call struct{ Output string }
		if json.NewDecoder(os.Stdin).Decode(&call) != nil {
			return 1
		}
		answer, err := json.Marshal(map[string]string{"output": call.Output + args[0]})
		if err != nil {
			return 1
		}
		os.Stdout.Write(answer)
	case "sized": // an answer of so many bytes
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return 1
		}
		shell := len(`{"output":""}`)
		os.Stdout.WriteString(`{"output":"` + strings.Repeat("x", n-shell) + `"}`)
	case "flood": // for ever
		text := bytes.Repeat([]byte("y\n"), 32<<10)
		for {
			os.Stdout.Write(text)
			os.Stderr.Write(text)
		}
	case "hang": // not select {}: where nothing else goes on that ends at once, as a deadlock
		<-time.After(time.Hour)
	case "fork": // leaves a child that keeps the pipes open
		child := exec.Command(os.Args[0], asHook, "hang")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Start() != nil {
			return 1
		}
		fmt.Fprintf(os.Stdout, `{"output": "%d"}`, child.Process.Pid)
	case "fail":
		os.Stdout.WriteString(`{"output": "ignored"}`)
		os.Stderr.WriteString("first\nthe reason\x1b[31m\n")
		return 3
	case "env":
		where, err := os.Getwd()
		if err != nil {
			return 1
		}
		answer, err := json.Marshal(map[string]string{"output": where + "\n" + strings.Join(os.Environ(), "\n")})
		if err != nil {
			return 1
		}
		os.Stdout.Write(answer)
	}
	return 0
}

func hookThat(t *testing.T, words ...string) Hook {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Hook{Command: append([]string{self, asHook}, words...), Timeout: 10 * time.Second}
}

func runnerIn(t *testing.T) *HookRunner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("commands are not run on Windows yet")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &HookRunner{Home: home, Env: func() []string { return []string{"A=1"} }}
}

func outputCall(text string) HookCall {
	return HookCall{Hook: ToolAfter, SessionID: "0001", RunID: "r", CallID: "c", Tool: "bash", Input: json.RawMessage(`{"command":"ls"}`), Output: &text}
}

// What each kind of hook may say, and that everything else changes nothing.
func TestHookAnswers(t *testing.T) {
	half, ten := 0.5, int64(10)
	system := "S"
	before := HookCall{Hook: ToolBefore, Input: json.RawMessage(`{"a":1}`)}
	params := HookCall{Hook: ChatParams, Params: &Params{Temperature: &half, MaxTokens: &ten}}
	chat := HookCall{Hook: ChatSystem, System: &system}
	after := outputCall("old")
	for _, c := range []struct {
		call    HookCall
		said    string
		changed bool
		refused string
		fails   string
		want    string // the member as it is afterwards
	}{
		{before, ``, false, "", "", `{"a":1}`},
		{before, " \n\t", false, "", "", `{"a":1}`},
		{before, `{}`, false, "", "", `{"a":1}`},
		{before, `{"input": {"a": 2}}`, true, "", "", `{"a":2}`},
		{before, `{"input": { "a" : 1 }}`, false, "", "", `{"a":1}`},
		{before, `{"refuse": "no"}`, false, "no", "", `{"a":1}`},
		{before, `{"refuse": "no", "input": {"a": 2}}`, false, "no", "", `{"a":1}`},
		{before, `{"input": [1]}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": null}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": "{}"}`, false, "", "must be an object", `{"a":1}`},
		{before, `{"input": {"a":2,"a":3}}`, false, "", "cannot be read", `{"a":1}`},
		{before, `{"tool": "write", "input": {"a": 2}}`, false, "", "cannot say", `{"a":1}`},
		{before, `{"output": "x"}`, false, "", `a hook of tool.before cannot say "output"`, `{"a":1}`},
		{before, `{"Input": {"a": 2}}`, false, "", "cannot say", `{"a":1}`},
		{before, `{"input": {"a": 2}} {"input": {"a": 3}}`, false, "", "cannot be read", `{"a":1}`},
		{before, `{"refuse": null}`, false, "", "must be a text", `{"a":1}`},
		{before, `{"refuse": {}}`, false, "", "must be a text", `{"a":1}`},
		{before, `hello`, false, "", "not a JSON object", `{"a":1}`},
		{before, `[]`, false, "", "not a JSON object", `{"a":1}`},
		{before, "{\"input\": {\"a\": \"\xff\"}}", false, "", "cannot be read", `{"a":1}`},
		{after, `{"output": "new"}`, true, "", "", `new`},
		{after, `{"output": "old"}`, false, "", "", `old`},
		{after, `{"output": ""}`, true, "", "", ``},
		{after, `{"output": null}`, false, "", "must be a text", `old`},
		{after, `{"output": 1}`, false, "", "must be a text", `old`},
		{after, `{"refuse": "no"}`, false, "", `a hook of tool.after cannot say "refuse"`, `old`},
		{after, `{"status": "completed"}`, false, "", "cannot say", `old`},
		{chat, `{"system": "T"}`, true, "", "", "S\n\nT"},
		{chat, `{"system": "  "}`, false, "", "", "S"},
		{chat, `{"system": {}}`, false, "", "must be a text", "S"},
		{chat, `{"refuse": "no"}`, false, "", "cannot say", "S"},
		{params, `{"params": {"temperature": 0}}`, true, "", "", `{"temperature":0,"maxTokens":10}`},
		{params, `{"params": {"maxTokens": null, "topP": 1}}`, true, "", "", `{"temperature":0.5,"topP":1}`},
		{params, `{"params": {}}`, false, "", "", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"temperature": -0.1}}`, false, "", "below 0", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"topP": 1.1}}`, false, "", "over 1", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"maxTokens": 0}}`, false, "", "whole number", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"temperature": 1, "seed": 7}}`, false, "", `no parameter "seed"`, `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": {"model": "x"}}`, false, "", "must be an object of numbers", `{"temperature":0.5,"maxTokens":10}`},
		{params, `{"params": []}`, false, "", "must be an object", `{"temperature":0.5,"maxTokens":10}`},
	} {
		call := c.call
		changed, refused, err := call.take([]byte(c.said))
		if changed != c.changed || (refused != nil) != (c.refused != "") || refused != nil && *refused != c.refused {
			t.Errorf("%s %q: changed %v, refused %v", c.call.Hook, c.said, changed, refused)
		}
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s %q: error %v, want %q", c.call.Hook, c.said, err, c.fails)
		}
		if got := memberOf(t, call); got != c.want {
			t.Errorf("%s %q: is now %s, want %s", c.call.Hook, c.said, got, c.want)
		}
	}
}

func memberOf(t *testing.T, c HookCall) string {
	t.Helper()
	switch c.Hook {
	case ToolBefore:
		return string(c.Input)
	case ToolAfter:
		return *c.Output
	case ChatSystem:
		return *c.System
	}
	raw, err := json.Marshal(c.Params)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A hook is told exactly this (ruling 33).
func TestHookIsTold(t *testing.T) {
	out := runnerIn(t).Run(t.Context(), []Hook{hookThat(t, "told")}, outputCall("<a&b>"))
	want := `{"hook":"tool.after","sessionId":"0001","runId":"r","callId":"c","tool":"bash","input":{"command":"ls"},"output":"` + "\\u003ca\\u0026b\\u003e" + `"}`
	if *out.Call.Output != want {
		t.Errorf("told %s\nwant %s", *out.Call.Output, want)
	}
}

// Hooks run in order, and each sees what the one before made of the call.
func TestHooksInOrder(t *testing.T) {
	hooks := []Hook{hookThat(t, "append", "1"), hookThat(t, "fail"), hookThat(t, "append", "2"), {Command: hookThat(t, "append", "3").Command, Timeout: time.Second, Tools: []string{"read", "mcp__*"}}}
	out := runnerIn(t).Run(t.Context(), hooks, outputCall("0"))
	if *out.Call.Output != "012" || out.Refused != "" || len(out.Acts) != 3 {
		t.Errorf("%q %+v", *out.Call.Output, out)
	}
	if err := out.Acts[1].Err; err == nil || err.Error() != "it ended with 3: the reason<U+001B>[31m" {
		t.Errorf("a failure is %v", err)
	}
}

// Whatever a hook does wrong: the value before it stands, and a required one
// refuses.
func TestHookFails(t *testing.T) {
	slow := hookThat(t, "hang")
	slow.Timeout = 100 * time.Millisecond
	flood := hookThat(t, "flood")
	broken := Hook{broken: `"command" must be a list`}
	gone := Hook{Command: []string{"no-such-program-anywhere"}, Timeout: time.Second}
	relative := Hook{Command: []string{"./no-such-file"}, Timeout: time.Second}
	for name, c := range map[string]struct {
		hook Hook
		why  string
	}{
		"ends with 3": {hookThat(t, "fail"), "it ended with 3"}, "too slow": {slow, "more than 100ms"}, "without end": {flood, "over 1 MiB"},
		"no JSON": {hookThat(t, "say", "done"), "not a JSON object"}, "misconfigured": {broken, "must be a list"}, "not installed": {gone, "not found"}, "not there": {relative, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, required := range []bool{false, true} {
				h := c.hook
				h.Required = required
				begun := time.Now()
				out := runnerIn(t).Run(t.Context(), []Hook{h, hookThat(t, "append", "!")}, outputCall("old"))
				if took := time.Since(begun); took > 8*time.Second {
					t.Errorf("took %s", took)
				}
				if len(out.Acts) == 0 || out.Acts[0].Err == nil || !strings.Contains(out.Acts[0].Err.Error(), c.why) {
					t.Fatalf("acts %+v, want %q", out.Acts, c.why)
				}
				if required != (out.Refused != "") || required && *out.Call.Output != "old" || !required && *out.Call.Output != "old!" {
					t.Errorf("required %v: refused %q, output %q", required, out.Refused, *out.Call.Output)
				}
			}
		})
	}
}

// What a hook says is taken up to 1 MiB, and what it is told likewise.
func TestHookSizes(t *testing.T) {
	r := runnerIn(t)
	for n, ok := range map[int]bool{MaxHookBytes - 1: true, MaxHookBytes: true, MaxHookBytes + 1: false} {
		out := r.Run(t.Context(), []Hook{hookThat(t, "sized", strconv.Itoa(n))}, outputCall("old"))
		if out.Changed() != ok {
			t.Errorf("an answer of %d bytes: %+v", n, out.Acts)
		}
		empty, err := json.Marshal(outputCall(""))
		if err != nil {
			t.Fatal(err)
		}
		out = r.Run(t.Context(), []Hook{hookThat(t, "say", `{"output": "new"}`)}, outputCall(strings.Repeat("x", n-len(empty))))
		if out.Changed() != ok {
			t.Errorf("told %d bytes: %+v", n, out.Acts)
		}
	}
}

// What a hook leaves behind does not outlive it and is not waited for.
func TestHookLeavesNothingBehind(t *testing.T) {
	begun := time.Now()
	out := runnerIn(t).Run(t.Context(), []Hook{hookThat(t, "fork")}, outputCall("old"))
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	pid, err := strconv.Atoi(*out.Call.Output)
	if err != nil {
		t.Fatalf("%v: %+v", err, out)
	}
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// A cancel ends the hook at once and is no failure of it; what a required one has
// not seen must not happen.
func TestHookCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := hookThat(t, "hang")
	h.Required = true
	timer := time.AfterFunc(100*time.Millisecond, cancel)
	defer timer.Stop()
	begun := time.Now()
	out := runnerIn(t).Run(ctx, []Hook{h}, outputCall("old"))
	if took := time.Since(begun); took > 3*time.Second || !strings.HasSuffix(out.Refused, "was cancelled") || len(out.Acts) != 0 {
		t.Errorf("took %s: %+v", took, out)
	}
	h.Required = false
	if out := runnerIn(t).Run(ctx, []Hook{h}, outputCall("old")); out.Refused != "" || len(out.Acts) != 0 {
		t.Errorf("not required: %+v", out)
	}
}

// Hooks start beside the configuration with the given environment and nothing
// else; a relative program lies there, never in a workspace.
func TestHookSurroundings(t *testing.T) {
	r := runnerIn(t)
	out := r.Run(t.Context(), []Hook{hookThat(t, "env")}, outputCall(""))
	where, rest, _ := strings.Cut(*out.Call.Output, "\n")
	if first, rest, _ := strings.Cut(rest, "\n"); where != r.Home || first != "A=1" || !strings.HasPrefix(rest, proc.MarkerName+"=") || strings.Contains(rest, "\n") {
		t.Errorf("environment %q in %q", rest, where)
	}
	r.UserHome = "/u"
	for program, want := range map[string]string{"hooks/x": r.Home + "/hooks/x", "./x": r.Home + "/x", "~/x": "/u/x", "/bin/x": "/bin/x"} {
		if got, err := r.resolve([]string{program, "~/a"}); err != nil || got[0] != want || got[1] != "~/a" {
			t.Errorf("resolve %s = %v, %v", program, got, err)
		}
	}
	t.Chdir(r.Home)
	if err := os.WriteFile("evil", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", ".")
	if got, err := r.resolve([]string{"evil"}); err == nil {
		t.Errorf("a program of the current directory is found: %v", got)
	}
}

// What is wrong in the configuration has its place; a required hook that is wrong
// stays, to refuse.
func TestHookConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		hooks int
		said  string
	}{
		"good":                {`{"hooks": {"tool.before": [{"command": ["a", "b"], "required": true, "timeoutMs": 1, "tools": ["bash", "mcp__*"]}]}}`, 1, ""},
		"unknown kind":        {`{"hooks": {"tool.befor": [{"command": ["a"]}]}}`, 0, `1:26: hooks: there is no hook "tool.befor"`},
		"no list":             {`{"hooks": {"tool.after": {"command": ["a"]}}}`, 1, "1:26: hooks: tool.after must be a list"},
		"no list of objects":  {`{"hooks": {"tool.after": 7}}`, 0, "tool.after must be a list"},
		"no object":           {`{"hooks": {"tool.after": ["a"]}}`, 0, "must be an object"},
		"command as text":     {`{"hooks": {"tool.after": [{"command": "a b"}]}}`, 0, `1:27: hooks: "command" must be a list`},
		"no command":          {`{"hooks": {"tool.after": [{"command": []}]}}`, 0, `"command" must be`},
		"required but wrong":  {`{"hooks": {"tool.after": [{"command": "a b", "required": true}]}}`, 1, `"command" must be`},
		"required as text":    {`{"hooks": {"tool.after": [{"command": ["a"], "required": "no"}]}}`, 1, `"required" must be`},
		"a member with typo":  {`{"hooks": {"tool.after": [{"command": ["a"], "requird": true}]}}`, 1, `unknown member "requird"`},
		"no time":             {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 0}]}}`, 0, `"timeoutMs" must be`},
		"the longest time":    {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 600000}]}}`, 1, ""},
		"too long a time":     {`{"hooks": {"tool.after": [{"command": ["a"], "timeoutMs": 600001}]}}`, 0, `"timeoutMs" must be`},
		"tools of nothing":    {`{"hooks": {"tool.after": [{"command": ["a"], "tools": []}]}}`, 0, `"tools" must be`},
		"a bad pattern":       {`{"hooks": {"tool.after": [{"command": ["a"], "tools": ["["]}]}}`, 0, "is no pattern"},
		"tools for a chat":    {`{"hooks": {"chat.system": [{"command": ["a"], "tools": ["x"]}]}}`, 1, `"tools" has no meaning for chat.system`},
		"in the second entry": {"{\"hooks\": {\"chat.params\": [\n{\"command\": [\"a\"]},\n {\"command\": 1}]}}", 1, "3:2: hooks:"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openStore(t, c.text)
			n := 0
			for _, list := range s.Settings().Hooks {
				n += len(list)
			}
			var said []string
			for _, d := range s.Settings().Diagnostics {
				said = append(said, d.String())
			}
			if got := strings.Join(said, "\n"); n != c.hooks || (got == "") != (c.said == "") || !strings.Contains(got, c.said) {
				t.Errorf("%d hooks, said %q; want %d, %q", n, got, c.hooks, c.said)
			}
		})
	}
	if s, _ := openStore(t, `{"hooks": {"chat.params": [{"command": ["a"]}]}}`); s.Settings().Hooks[ChatParams][0].Timeout != 10*time.Second {
		t.Error("ten seconds unless the configuration says more")
	}
}

// Hooks of an editor's configuration act after a yes, behind the user's own and
// never in their place.
func TestInlineHooksComeAfter(t *testing.T) {
	s, _ := openStore(t, `{"hooks": {"tool.before": [{"command": ["mine"], "required": true}]}}`)
	s.SetInline(json.RawMessage(`{"hooks": {"tool.before": [{"command": ["theirs"]}], "tool.after": []}}`))
	if c := s.Settings(); len(c.Hooks[ToolBefore]) != 1 || !c.Held {
		t.Fatalf("held %v: %+v", c.Held, c.Hooks)
	}
	if err := s.AcceptInline(s.Settings().InlineHash); err != nil {
		t.Fatal(err)
	}
	c := s.Settings()
	if got := c.Hooks[ToolBefore]; len(got) != 2 || got[0].Name() != "mine" || !got[0].Required || got[1].Name() != "theirs" {
		t.Errorf("%+v", got)
	}
	if got := string(c.Values["hooks"]); !strings.Contains(got, "mine") || !strings.Contains(got, "theirs") {
		t.Errorf("shown as %s", got)
	}
}
