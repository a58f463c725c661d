package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// shellIn is the bash tool of a Vault with one folder.
func shellIn(t *testing.T) (sh tool.Tool, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no commands on Windows yet")
	}
	dir = t.TempDir()
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return newBash(v, "0001"), v.Root()
}

func bashPlan(t testing.TB, sh tool.Tool, args map[string]any) *tool.Plan {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sh.Plan(raw)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func bashRun(t *testing.T, sh tool.Tool, command string) tool.Result {
	t.Helper()
	r, err := outputtest.Allowed(t.Context(), bashPlan(t, sh, map[string]any{"command": command}), &outputtest.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBashResults(t *testing.T) {
	sh, dir := shellIn(t)
	for _, row := range []struct {
		command, want string
		code          int
	}{
		{"echo out; echo err >&2; echo out", "out\nerr\nout\n", 0},
		{"true", "(no output, exit code 0)", 0},
		{"echo no; exit 3", "no\n(exit code 3)", 3},
		{"printf no; exit 3", "no\n(exit code 3)", 3},
		{"kill -9 $$", "(ended by signal SIGKILL, exit code 137)", 137},
		{"pwd; echo $PWD", dir + "\n" + dir + "\n", 0},
		{"cat; echo eof", "eof\n", 0},
		{"(exec </dev/tty) 2>/dev/null && echo terminal || echo none", "none\n", 0},
		{"test -t 0 || test -t 1 || echo none", "none\n", 0},
		{`printf '\033[31mred\033[0m\r\n50%%\r100%%\n\377\n'`, "red\n100%\n\uFFFD\n", 0},
		{"echo $EDITOR $PAGER $TERM $CI $GIT_TERMINAL_PROMPT", "true cat dumb 1 0\n", 0},
		{"test -n \"$AGENT_SIDECAR_RUN\" && echo marked", "marked\n", 0},
		{"shopt -q login_shell || echo not a login shell", "not a login shell\n", 0},
		{"-c 2>/dev/null", "(exit code 127)", 127}, // a command, never an option of bash
		{"cat <(echo from a process)", "from a process\n", 0},
		{"no_such_command_here 2>/dev/null", "(exit code 127)", 127},
	} {
		r := bashRun(t, sh, row.command)
		if r.Text != row.want || r.ExitCode == nil || *r.ExitCode != row.code || r.Failed != (row.code != 0) {
			t.Errorf("%s: %+v", row.command, r)
		}
	}
}

func TestBashPlan(t *testing.T) {
	sh, dir := shellIn(t)
	sub := filepath.Join(dir, "sub")
	outside := t.TempDir()
	os.Mkdir(sub, 0o700)
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	os.Symlink(outside, filepath.Join(dir, "way-out"))
	if resolved, err := filepath.EvalSymlinks(outside); err == nil {
		outside = resolved
	}

	p := bashPlan(t, sh, map[string]any{"command": "go test ./...", "workdir": "sub"})
	if p.Dir != sub || p.Command != "go test ./..." || p.Effect != tool.Exec || p.Title != "bash: go test ./..." || p.Digest == "" {
		t.Errorf("%+v", p)
	}
	if got := fmt.Sprint(p.Targets); got != "[{bash shell:go test ./...}]" {
		t.Error(got)
	}
	for _, workdir := range []string{outside, "way-out"} {
		p := bashPlan(t, sh, map[string]any{"command": "ls", "workdir": workdir})
		if got := fmt.Sprint(p.Targets); p.Dir != outside || !strings.Contains(got, "{read fs:"+outside+"}") {
			t.Errorf("%s: %s %s", workdir, p.Dir, got)
		}
	}
	for args, want := range map[string]string{
		`{}`:                                                   `"command" is missing`,
		`{"command":" \n"}`:                                    `"command" is empty`,
		`{"command":"a\u0000b"}`:                               `NUL`,
		`{"command":"a","timeoutMs":-1}`:                       `"timeoutMs" must be from 1 to 600000`,
		`{"command":"a","timeoutMs":600001}`:                   `"timeoutMs" must be from 1 to 600000`,
		`{"command":"a","workdir":"none"}`:                     `workdir: none does not exist`,
		`{"command":"a","workdir":"file"}`:                     `workdir: file is not a directory`,
		`{"command":"a","needs":"network"}`:                    `"reason" is missing`,
		`{"command":"a","background":"yes"}`:                   `"background"`,
		`{"command":"a","background":true,"timeoutMs":700000}`: `"timeoutMs" must be from 1 to 600000`,
		`{"command":"` + strings.Repeat("a", 130_000) + `"}`:   `too long`,
	} {
		if _, err := sh.Plan(json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", args, err)
		}
	}
}

func TestBashShowsTheWholeCommand(t *testing.T) {
	sh, dir := shellIn(t)
	command := "echo one\necho \u202e\x1b[2Jtwo\t" + strings.Repeat("x", 300)
	p := bashPlan(t, sh, map[string]any{"command": command, "needs": "network", "reason": "to\nfetch"})
	if want := `bash: echo one ⏎ echo \u202e\u001b[2Jtwo xxx`; !strings.HasPrefix(p.Title, want) || !strings.Contains(p.Title, "more characters)") || strings.Contains(p.Title, "\n") {
		t.Errorf("title %q", p.Title)
	}
	preview, err := p.Preview(t.Context(), tool.Grant{})
	if err != nil || preview.Kind != "command" || !p.Needs.Has(tool.NeedNetwork) {
		t.Fatal(err, preview.Kind)
	}
	for _, want := range []string{"$ echo one\n> echo \\u202e\\u001b[2Jtwo\txxx", strings.Repeat("x", 300), "directory: " + dir, "invisible characters", "needs: network, because: to ⏎ fetch"} {
		if !strings.Contains(preview.Text, want) {
			t.Errorf("preview lacks %q:\n%s", want, preview.Text)
		}
	}
}

func TestBashDirectoryThatChanged(t *testing.T) {
	sh, dir := shellIn(t)
	sub := filepath.Join(dir, "sub")
	os.Mkdir(sub, 0o700)
	p := bashPlan(t, sh, map[string]any{"command": "touch here", "workdir": "sub"})
	elsewhere := t.TempDir()
	os.Remove(sub)
	os.Symlink(elsewhere, sub)
	r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
	if err != nil || !r.Failed || !strings.Contains(r.Text, "path changed since it was approved") {
		t.Errorf("%+v %v", r, err)
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) != 0 {
		t.Error("it ran elsewhere")
	}
}

func TestBashTimeout(t *testing.T) {
	sh, _ := shellIn(t)
	p := bashPlan(t, sh, map[string]any{"command": "echo so far; trap '' TERM; sleep 1000; sleep 1000", "timeoutMs": 1000})
	r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{}) // its sleeps take longer than go test waits
	if err != nil || !r.Failed || r.Text != "so far\ncommand timed out after 1000 ms and was stopped" || r.ExitCode != nil {
		t.Errorf("%+v %v", r, err)
	}
}

// trigger is a sink that acts when the command says something.
type trigger struct {
	outputtest.Kept
	once sync.Once
	act  func()
}

func (tr *trigger) Output(_, _ string) { tr.once.Do(tr.act) }

// A cancel ends a command, also one that has ended and left something behind that
// holds its output. Nothing else would end these while go test waits.
func TestBashCancel(t *testing.T) {
	sh, _ := shellIn(t)
	for _, command := range []string{"trap '' TERM; echo ready; while :; do sleep 1000; done", "(sleep 0.3; echo ready; exec sleep 1000) &"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		because := errors.New("the user said so")
		sink := &trigger{act: func() { cancel(because) }}
		r, err := outputtest.Allowed(ctx, bashPlan(t, sh, map[string]any{"command": command, "timeoutMs": bashMaxTimeout}), sink)
		if !errors.Is(err, because) || !r.Failed || !strings.HasPrefix(r.Text, "ready\n") {
			t.Errorf("%s: %+v %v", command, r, err)
		}
	}
}

func TestBashBackgroundChildThatHoldsTheOutput(t *testing.T) {
	sh, _ := shellIn(t)
	for _, command := range []string{"sleep 1000 & echo done", "sleep 1000 >/dev/null 2>&1 & echo done"} {
		if r := bashRun(t, sh, command); r.Failed || r.Text != "done\n(processes left running in the background were stopped: 1)" {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

func TestBashTwoAtOnce(t *testing.T) {
	sh, _ := shellIn(t)
	if r := bashRun(t, sh, "mkfifo fifo"); r.Failed {
		t.Fatal(r.Text)
	}
	var wg sync.WaitGroup
	for command, want := range map[string]string{"echo hello > fifo": "(no output, exit code 0)", "cat fifo": "hello\n"} {
		wg.Go(func() {
			r, err := outputtest.Allowed(t.Context(), bashPlan(t, sh, map[string]any{"command": command}), &outputtest.Kept{})
			if err != nil || r.Text != want {
				t.Errorf("%s: %+v %v", command, r, err)
			}
		})
	}
	wg.Wait()
}

func TestBashInsideABubble(t *testing.T) {
	sh, _ := shellIn(t)
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		k := &outputtest.Kept{}
		r, err := outputtest.Allowed(t.Context(), bashPlan(t, sh, map[string]any{"command": "echo a; echo b; exit 2"}), k)
		if err != nil || r.Text != "a\nb\n(exit code 2)" || time.Since(begun) != 0 || len(k.Live) != 0 {
			t.Errorf("%+v %v after %v, live %q", r, err, time.Since(begun), k.Live)
		}
	})
}

// peak is the largest resident size of this process so far, in bytes.
func peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc")
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// BenchmarkBash puts the tool beside the same command writing to a file.
func BenchmarkBash200MB(b *testing.B) {
	dir := b.TempDir()
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	sh := newBash(v, "0001")
	command := "yes 'a line of some output that is neither long nor short' | head -c 200000000"
	for name, text := range map[string]string{"tool": command, "file": command + " > out"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				raw, _ := json.Marshal(map[string]string{"command": text})
				p, err := sh.Plan(raw)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := outputtest.Allowed(b.Context(), p, &fileSink{dir: dir}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fileSink spills to a real file.
type fileSink struct {
	outputtest.Kept
	dir string
}

func (s *fileSink) Spill(string) (tool.Spill, error) {
	f, err := os.Create(filepath.Join(s.dir, "artifact"))
	return fileSpill{f}, err
}

type fileSpill struct{ f *os.File }

func (s fileSpill) Write(p []byte) (int, error) { return s.f.Write(p) }

func (s fileSpill) Close() (tool.ArtifactRef, string, error) {
	return tool.ArtifactRef{}, s.f.Name(), s.f.Close()
}
