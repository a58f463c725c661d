package hooks

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

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// asHook is the first argument of this binary where it plays a hook.
const asHook = "hook-for-test"

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

func hookThat(t *testing.T, words ...string) config.Hook {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return config.Hook{Command: append([]string{self, asHook}, words...), Timeout: 10 * time.Second}
}

func runnerIn(t *testing.T) *Runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("commands are not run on Windows yet")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Home: home, Env: func() []string { return []string{"A=1"} }}
}

func outputCall(text string) Call {
	return Call{Hook: config.ToolAfter, SessionID: "0001", RunID: "r", CallID: "c", Tool: "bash", Input: json.RawMessage(`{"command":"ls"}`), Output: &text}
}

// A hook is told exactly this.
func TestHookIsTold(t *testing.T) {
	out := runnerIn(t).Run(t.Context(), []config.Hook{hookThat(t, "told")}, outputCall("<a&b>"))
	want := `{"hook":"tool.after","sessionId":"0001","runId":"r","callId":"c","tool":"bash","input":{"command":"ls"},"output":"` + "\\u003ca\\u0026b\\u003e" + `"}`
	if *out.Call.Output != want {
		t.Errorf("told %s\nwant %s", *out.Call.Output, want)
	}
}

// Hooks run in order, and each sees what the one before made of the call.
func TestHooksInOrder(t *testing.T) {
	hooks := []config.Hook{hookThat(t, "append", "1"), hookThat(t, "fail"), hookThat(t, "append", "2"), {Command: hookThat(t, "append", "3").Command, Timeout: time.Second, Tools: []string{"read", "mcp__*"}}}
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
	broken := config.Hook{Broken: `"command" must be a list`}
	gone := config.Hook{Command: []string{"no-such-program-anywhere"}, Timeout: time.Second}
	relative := config.Hook{Command: []string{"./no-such-file"}, Timeout: time.Minute}
	for name, c := range map[string]struct {
		hook config.Hook
		why  string
	}{
		"ends with 3": {hookThat(t, "fail"), "it ended with 3"}, "too slow": {slow, "more than 100ms"}, "without end": {flood, "over 1 MiB"},
		"no JSON": {hookThat(t, "say", "done"), "not a JSON object"}, "a member that is not known": {hookThat(t, "say", `{"output": "new", "redact": true}`), `cannot say "redact"`}, "misconfigured": {broken, "must be a list"}, "not installed": {gone, "not found"}, "not there": {relative, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, required := range []bool{false, true} {
				h := c.hook
				h.Required = required
				out := runnerIn(t).Run(t.Context(), []config.Hook{h, hookThat(t, "append", "!")}, outputCall("old"))
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
	for n, ok := range map[int]bool{MaxBytes - 1: true, MaxBytes: true, MaxBytes + 1: false} {
		out := r.Run(t.Context(), []config.Hook{hookThat(t, "sized", strconv.Itoa(n))}, outputCall("old"))
		if out.Changed() != ok {
			t.Errorf("an answer of %d bytes: %+v", n, out.Acts)
		}
		empty, err := json.Marshal(outputCall(""))
		if err != nil {
			t.Fatal(err)
		}
		out = r.Run(t.Context(), []config.Hook{hookThat(t, "say", `{"output": "new"}`)}, outputCall(strings.Repeat("x", n-len(empty))))
		if out.Changed() != ok {
			t.Errorf("told %d bytes: %+v", n, out.Acts)
		}
	}
}

// What a hook leaves behind does not outlive it and is not waited for.
func TestHookLeavesNothingBehind(t *testing.T) {
	begun := time.Now()
	out := runnerIn(t).Run(t.Context(), []config.Hook{hookThat(t, "fork")}, outputCall("old"))
	if took := time.Since(begun); took > time.Minute {
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
	out := runnerIn(t).Run(ctx, []config.Hook{h}, outputCall("old"))
	if took := time.Since(begun); took > time.Minute || !strings.HasSuffix(out.Refused, "was cancelled") || len(out.Acts) != 0 {
		t.Errorf("took %s: %+v", took, out)
	}
	h.Required = false
	if out := runnerIn(t).Run(ctx, []config.Hook{h}, outputCall("old")); out.Refused != "" || len(out.Acts) != 0 {
		t.Errorf("not required: %+v", out)
	}
}

// Hooks start beside the configuration with the given environment and nothing
// else; a relative program lies there, never in a workspace.
func TestHookSurroundings(t *testing.T) {
	r := runnerIn(t)
	out := r.Run(t.Context(), []config.Hook{hookThat(t, "env")}, outputCall(""))
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
