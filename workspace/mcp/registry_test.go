package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// registryServer is a real server from the npm registry, installed with
// `make test-mcp` at the version that stands in testclient/mcp. Where it is not
// installed the test says so by name and is over.
func registryServer(t *testing.T, name string, args ...string) (Server, bool) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "testclient", "mcp", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Logf("not run: %s (there is no node)", name)
		return Server{}, false
	}
	if _, err := os.Stat(script); err != nil {
		t.Logf("not run: %s (make test-mcp installs it)", name)
		return Server{}, false
	}
	return Server{Name: strings.TrimPrefix(name, "server-"), Command: append([]string{node, script}, args...)}, true
}

func named(t *testing.T, tools []tool.Tool, name string) tool.Tool {
	t.Helper()
	i := slices.IndexFunc(tools, func(o tool.Tool) bool { return o.Spec().Name == name })
	if i < 0 {
		t.Fatalf("no %s in %v", name, tool.NewSet(tools...).Names())
	}
	return tools[i]
}

// The reference server shows every feature of the protocol: what it answers is
// what its documents say, and what it may not have it does not offer.
func TestRegistryEverything(t *testing.T) {
	t.Setenv("SOME_TOKEN", "geheim")
	server, here := registryServer(t, "server-everything", "stdio")
	if !here {
		return
	}
	server.Env = map[string]string{"GIVEN_TOKEN": "given"}
	w := newWorld(t, t.TempDir())
	tools := w.start(server)
	for _, row := range []struct{ tool, args, want string }{
		{"echo", `{"message": "häßlich 🙂"}`, "Echo: häßlich 🙂"},
		{"get-sum", `{"a": 2, "b": 3.5}`, "5.5"},
		{"get-env", `{}`, `"GIVEN_TOKEN": "given"`},
		{"get-structured-content", `{"location": "Chicago"}`, `"temperature"`},
		{"get-resource-links", `{"count": 1}`, "[resource "},
		{"get-resource-reference", `{"resourceId": 1}`, "[resource demo://resource/dynamic/text/1]\nResource 1: "},
		{"get-tiny-image", `{}`, "[image, image/png, "},
		{"get-annotated-message", `{"messageType": "error"}`, "Error: Operation failed"},
		{"trigger-long-running-operation", `{"duration": 0.2, "steps": 4}`, "Steps: 4."},
	} {
		r := outputtest.Run(t, named(t, tools, "mcp__everything__"+row.tool), row.args)
		if r.Failed || !strings.Contains(r.Text, row.want) || strings.Contains(r.Text, "geheim") || !r.Tainted {
			t.Errorf("%s: %+v", row.tool, r)
		}
		if images := len(r.Parts); images != strings.Count(row.tool, "tiny-image") {
			t.Errorf("%s: %d images", row.tool, images)
		}
	}
	for _, of := range tools { // it offers these to clients that take its questions
		if name := of.Spec().Name; strings.Contains(name, "sampling") {
			t.Errorf("%s is there", name)
		}
	}
	if _, err := named(t, tools, "mcp__everything__get-sum").Plan(json.RawMessage(`{"a": "2", "b": 3}`)); err == nil || !strings.Contains(err.Error(), "do not fit the schema") {
		t.Errorf("its schema does not hold: %v", err)
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

// person answers what is asked for a name, and nothing else.
type person struct{ outputtest.Kept }

func (p *person) Inquire(_ context.Context, _ string, all []tool.Inquiry) ([]tool.Reply, bool, error) {
	answers := make([]tool.Reply, len(all))
	for i, q := range all {
		if strings.Contains(q.Text, "legal name") {
			answers[i].Text = "Ann"
		}
	}
	return answers, true, nil
}

// What the reference server has beside tools, and what it says and asks while a call is at work.
func TestRegistryBesideTools(t *testing.T) {
	server, here := registryServer(t, "server-everything", "stdio")
	if !here {
		return
	}
	w := newWorldOf(t, Options{Roots: func() []Root { return []Root{{"file:///a", "a"}} }})
	tools := w.start(server)
	text, err := w.Prompt(t.Context(), []Server{server}, "everything", "args-prompt", []string{"Rome", "New", "York"})
	if err != nil || !strings.Contains(text, "Rome, New York") {
		t.Errorf("%q %v", text, err)
	}
	if _, err := w.Prompt(t.Context(), []Server{server}, "everything", "none", nil); !errors.Is(err, errNoPrompt) {
		t.Error(err)
	}
	if n := len(w.Prompts()); n < 4 {
		t.Errorf("%d prompts", n)
	}
	read := w.Reading(comeAndGo()).(tool.Router)
	routed, err := read.Route(json.RawMessage(`{"path": "mcp://everything/demo://resource/dynamic/text/1"}`))
	if err != nil || len(w.Resources()) == 0 {
		t.Fatalf("%v, %d resources", err, len(w.Resources()))
	}
	if r := outputtest.Run(t, routed.Tool, string(routed.Input)); r.Failed || !r.Tainted || !strings.Contains(r.Text, "Resource 1") {
		t.Errorf("%+v", r)
	}
	ask := outputtest.Plan(t, named(t, tools, "mcp__everything__trigger-elicitation-request"), `{}`)
	if r, err := outputtest.Allowed(t.Context(), ask, &person{}); err != nil || r.Failed || !strings.Contains(r.Text, "Ann") {
		t.Errorf("%+v %v", r, err)
	}
	if r := outputtest.Run(t, named(t, tools, "mcp__everything__get-roots-list"), `{}`); !strings.Contains(r.Text, "file:///a") {
		t.Errorf("%+v", r)
	}
	long := outputtest.Plan(t, named(t, tools, "mcp__everything__trigger-long-running-operation"), `{"duration": 600, "steps": 6000}`)
	h, gone := &heard{lines: make(chan string, 10_000)}, errors.New("the run was cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-h.lines // the first word of its progress
		cancel(gone)
	}()
	if r, err := outputtest.Allowed(ctx, long, h); !errors.Is(err, gone) || !r.Failed {
		t.Errorf("%+v %v", r, err)
	}
}

// comeAndGo is a tool that does nothing.
func comeAndGo() tool.Tool {
	return tool.Define(tool.Spec{Name: "read"}, func(struct{}) (*tool.Plan, error) { return &tool.Plan{}, nil })
}

// A server that people use every day, in a folder of its own.
func TestRegistryFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, here := registryServer(t, "server-filesystem", dir)
	if !here {
		return
	}
	w := newWorld(t, t.TempDir())
	tools := w.start(server)
	path, err := json.Marshal(filepath.Join(dir, "note.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if r := outputtest.Run(t, named(t, tools, "mcp__filesystem__write_file"), `{"path": `+string(path)+`, "content": "written\n"}`); r.Failed {
		t.Errorf("%+v", r)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(text) != "written\n" {
		t.Errorf("%q %v", text, err)
	}
	if r := outputtest.Run(t, named(t, tools, "mcp__filesystem__read_text_file"), `{"path": `+string(path)+`}`); r.Failed || !strings.Contains(r.Text, "written") {
		t.Errorf("%+v", r)
	}
	if r := outputtest.Run(t, named(t, tools, "mcp__filesystem__read_text_file"), `{"path": "/etc/passwd"}`); !r.Failed || !strings.Contains(r.Text, "denied") {
		t.Errorf("%+v", r)
	}
}
