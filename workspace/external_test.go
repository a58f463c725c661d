package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// readSpec stands for what parses a tool.jsonc; here it is plain JSON.
func readSpec(_ string, text []byte) (ExternalSpec, []ExternalProblem, bool) {
	var spec struct {
		ExternalSpec
		Schema json.RawMessage
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		return ExternalSpec{}, []ExternalProblem{{Line: 2, Column: 3, Message: "not JSON"}}, false
	}
	spec.ExternalSpec.Schema = spec.Schema
	return spec.ExternalSpec, nil, true
}

type externalWorld struct {
	*External
	t         *testing.T
	home, dir string
}

func newExternalWorld(t *testing.T) externalWorld {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no commands on Windows yet")
	}
	home, dir := t.TempDir(), t.TempDir()
	v, err := Open([]Folder{{Path: dir}}, Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return externalWorld{NewExternal(v, readSpec), t, home, v.Root()}
}

func (w externalWorld) write(name, text string) {
	w.t.Helper()
	dir := filepath.Join(w.home, "tools", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, externalFile), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// shell is a tool whose program is a line of sh.
func (w externalWorld) shell(name, line string, more string) {
	quoted, err := json.Marshal([]string{"/bin/sh", "-c", line})
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, fmt.Sprintf(`{"description": "d", "command": %s%s}`, quoted, more))
}

func (w externalWorld) only() tool.Tool {
	w.t.Helper()
	tools := w.Tools(true)
	if len(tools) != 1 {
		w.t.Fatalf("%d tools, %+v", len(tools), w.Problems())
	}
	return tools[0]
}

func TestExternalResults(t *testing.T) {
	t.Setenv("SOME_TOKEN", "geheim")
	for _, row := range []struct {
		name, line, args string
		text             string
		failed           bool
	}{
		{"arguments", "cat", `{"b": 1, "a": "x\u00e9"}`, `{"a":"xé","b":1}`, false},
		{"a large number", "cat", `{"a": 12345678901234567890}`, `{"a":12345678901234567890}`, false},
		{"input ends", "cat >/dev/null; cat; echo done", `{}`, "done\n", false},
		{"input not read", "echo ok", `{"x": "` + strings.Repeat("y", 4<<20) + `"}`, "ok\n", false},
		{"directory", `basename "$(pwd)"`, `{}`, "", false},
		{"environment", "echo $SOME_TOKEN-$CI", `{}`, "-1\n", false},
		{"both outputs", "echo one; echo two >&2", `{}`, "one\ntwo\n", false},
		{"exit code", "echo no; exit 3", `{}`, "no\n(exit code 3)", true},
		{"a signal", "kill -KILL $$", `{}`, "(ended by signal SIGKILL, exit code 137)", true},
		{"nothing", "true", `{}`, "(no output, exit code 0)", false},
		{"bad bytes", `printf 'a\377b\033[31mc\n'`, `{}`, "a\uFFFDbc\n", false},
	} {
		w := newExternalWorld(t)
		if row.name == "directory" {
			row.text = filepath.Base(w.dir) + "\n"
		}
		w.shell("x", row.line, "")
		p := outputtest.Plan(t, w.only(), row.args)
		r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
		if err != nil || r.Text != row.text || r.Failed != row.failed {
			t.Errorf("%s: %+v %v", row.name, r, err)
		}
	}
}

func TestExternalPlan(t *testing.T) {
	w := newExternalWorld(t)
	w.shell("hello", "cat", `, "target": {"domain": "web_fetch", "object": "url:tool/hello"}, "schema": `+personOf)
	of := w.only()
	p := outputtest.Plan(t, of, `{"name": "a"}`)
	want := []tool.Target{{Domain: "tool", Object: "tool:hello"}, {Domain: "web_fetch", Object: "url:tool/hello"}}
	if fmt.Sprint(p.Targets) != fmt.Sprint(want) || p.Effect != tool.Exec || p.Command != "" || !strings.HasPrefix(p.Title, `hello {"name":"a"}`) {
		t.Errorf("%+v", p)
	}
	shown, err := p.Preview(t.Context(), tool.Grant{})
	if err != nil || !strings.Contains(shown.Text, `"name": "a"`) || !strings.Contains(shown.Text, "program: /bin/sh -c cat") {
		t.Errorf("%+v %v", shown, err)
	}
	if _, err := of.Plan(json.RawMessage(`{"name": 1}`)); err == nil {
		t.Error("the schema does not hold")
	}
	if _, err := of.Plan(json.RawMessage(`{"name": "a", "name": "b"}`)); err == nil {
		t.Error("a member twice")
	}
	// The same arguments for another program are another question.
	w.shell("hello", "cat -n", `, "schema": `+personOf)
	if again := outputtest.Plan(t, w.only(), `{"name": "a"}`); again.Digest == p.Digest {
		t.Error("the digest does not know the program")
	}
}

const personOf = `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`

// A program of the tool's own directory, and one that is nowhere.
func TestExternalProgram(t *testing.T) {
	w := newExternalWorld(t)
	w.write("own", `{"description": "d", "command": ["./run.sh", "a b"]}`)
	script := filepath.Join(w.home, "tools", "own", "run.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"<$1>\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if r := outputtest.Run(t, w.only(), `{}`); r.Text != "<a b>\n" {
		t.Errorf("%+v", r)
	}
	w.write("own", `{"description": "d", "command": ["no-such-program-here"]}`)
	if r := outputtest.Run(t, w.only(), `{}`); !r.Failed || !strings.Contains(r.Text, `no program "no-such-program-here" in PATH`) {
		t.Errorf("%+v", r)
	}
}

func TestExternalTimeout(t *testing.T) {
	w := newExternalWorld(t)
	w.shell("slow", "echo begun; sleep 6000 & sleep 6000", `, "timeout": 1000000000`)
	if r := outputtest.Run(t, w.only(), `{}`); !r.Failed || r.Text != "begun\nthe tool timed out after 1000 ms and was stopped" {
		t.Errorf("%+v", r)
	}
}

func TestExternalCancel(t *testing.T) {
	w := newExternalWorld(t)
	w.shell("slow", "echo begun; sleep 600", "")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the run was cancelled")
	time.AfterFunc(100*time.Millisecond, func() { cancel(gone) })
	if r, err := outputtest.Allowed(ctx, outputtest.Plan(t, w.only(), `{}`), &outputtest.Kept{}); !errors.Is(err, gone) || !r.Failed {
		t.Errorf("%+v %v", r, err)
	}
}

func TestExternalFlood(t *testing.T) {
	w := newExternalWorld(t)
	w.shell("yes", "yes 0123456789 | head -c 20000000", "")
	k := &outputtest.Kept{Mute: true}
	r, err := outputtest.Allowed(t.Context(), outputtest.Plan(t, w.only(), `{}`), k)
	if err != nil || r.Spilled == nil || r.Spilled.Bytes != 20_000_000 || k.Files[0].Size != 20_000_000 {
		t.Errorf("%+v %v", r, err)
	}
}

// What is wrong with one tool does not touch the others.
func TestExternalProblems(t *testing.T) {
	w := newExternalWorld(t)
	if tools := w.Tools(true); len(tools) > 0 || len(w.Problems()) > 0 {
		t.Errorf("no directory: %v", w.Problems())
	}
	w.shell("good", "true", "")
	w.write("broken", "{\n  oops")
	w.write("huge", strings.Repeat(" ", externalBytes+1))
	w.shell("bash", "true", "")
	w.shell("Read", "true", "")
	w.shell("TASK", "true", "")
	w.shell("mcp__files__read", "true", "")
	w.shell("GOOD", "true", "")
	w.shell("pay\u202edeen ..", "true", "")
	if err := os.MkdirAll(filepath.Join(w.home, "tools", "dir", externalFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(w.home, "tools", "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	names := strings.Join(tool.NewSet(w.Tools(true)...).Names(), " ")
	if names != "GOOD pay-deen---_"+hashOf([]byte("pay\u202edeen .."))[:8] {
		t.Errorf("tools %q", names)
	}
	want := map[string]string{
		"bash": "belongs to a built-in tool", "Read": "belongs to a built-in tool", "TASK": "belongs to a built-in tool",
		"mcp__files__read": "belong to MCP servers", "good": "another tool is called good", "dir": "not a regular file", "huge": "larger than 256 KiB", "broken": "not JSON",
	}
	for _, p := range w.Problems() {
		dir := filepath.Base(filepath.Dir(p.File))
		if want[dir] == "" || !strings.Contains(p.Message, want[dir]) || p.Line < 1 {
			t.Errorf("%+v", p)
		}
		if dir == "broken" && (p.Line != 2 || p.Column != 3) {
			t.Errorf("%+v", p)
		}
		delete(want, dir)
	}
	if len(want) > 0 {
		t.Errorf("not reported: %v", want)
	}
	if tools := w.Tools(false); len(tools) > 0 || len(w.Problems()) > 0 {
		t.Error("the switch does not hold")
	}
}

// No tool of ours can be taken, also not one that is made later.
func TestExternalNamesOfOurs(t *testing.T) {
	room, _ := newLanguageRoom(t, nil) // else some are not offered
	names := room.tools.Names()
	if want := slices.Sorted(slices.Values(ToolNames)); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("the tools are %q, and ToolNames says %q", names, want)
	}
	for _, name := range names {
		if refused(strings.ToUpper(name), nil) == "" {
			t.Errorf("%s can be taken", name)
		}
	}
}

// The number of tools at its edge.
func TestExternalLimit(t *testing.T) {
	w := newExternalWorld(t)
	for i := range externalTools {
		w.shell(fmt.Sprintf("t%03d", i), "true", "")
	}
	if n := len(w.Tools(true)); n != externalTools || len(w.Problems()) > 0 {
		t.Errorf("%d tools, %v", n, w.Problems())
	}
	w.shell("t999", "true", "")
	if n := len(w.Tools(true)); n != externalTools || len(w.Problems()) != 1 {
		t.Errorf("%d tools, %v", n, w.Problems())
	}
}

// A file that changes is read again; who asked before keeps what it got.
func TestExternalReload(t *testing.T) {
	w := newExternalWorld(t)
	w.shell("x", "echo old", "")
	old := w.only()
	w.shell("x", "echo newer", "")
	if r := outputtest.Run(t, w.only(), `{}`); r.Text != "newer\n" {
		t.Errorf("%+v", r)
	}
	if r := outputtest.Run(t, old, `{}`); r.Text != "old\n" {
		t.Errorf("%+v", r)
	}
	if err := os.RemoveAll(filepath.Join(w.home, "tools", "x")); err != nil {
		t.Fatal(err)
	}
	if tools := w.Tools(true); len(tools) > 0 {
		t.Errorf("%d tools", len(tools))
	}
}
