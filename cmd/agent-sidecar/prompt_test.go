package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/explore"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// heard is a scripted model that keeps what it was sent.
type heard struct {
	http.Handler
	mu     sync.Mutex // guards bodies
	bodies [][]byte
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	if r.Method == http.MethodPost { // the list of models is asked for beside it
		h.bodies = append(h.bodies, body)
	}
	h.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.Handler.ServeHTTP(w, r)
}

// all are the bodies so far.
func (h *heard) all() [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.bodies)
}

// everyFile is what lies below a directory, with what it says.
func everyFile(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			all[path] = string(raw)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// What prompt --json prints is what run then sends, member by member. Looking
// writes nothing, asks nobody, and shows no key.
func TestPromptIsWhatIsSent(t *testing.T) {
	script, err := scriptmodel.New("say One.")
	if err != nil {
		t.Fatal(err)
	}
	model := &heard{Handler: script}
	server := httptest.NewServer(model)
	defer server.Close()
	s := newShell(t, `{
  "providers": {"mine": {"baseUrl": "`+server.URL+`/v1", "apiKeys": ["sk-a-secret-key-0123456789"], "headers": {"x-more": "another-secret"}}},
  "model": "mine/claude-x",
  "systemPrompt": {"mode": "custom", "params": {"temperature": 0}}
}`)
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "AGENTS.md"), "Mine.")
	s.write(t, filepath.Join(s.dir, "AGENTS.md"), "Theirs. \x1b[31m\u202e\n")
	before := everyFile(t, s.home, s.dir)
	code, shown, errs := s.run(t, "", "prompt", "--json", "--trust-client", "hello", "there")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	if diff := cmp.Diff(before, everyFile(t, s.home, s.dir)); diff != "" || len(model.all()) > 0 {
		t.Errorf("looking has left something, or asked the model %d times:\n%s", len(model.all()), diff)
	}
	if code, out, errs := s.run(t, "", "run", "--trust-client", "hello there"); code != 0 {
		t.Fatalf("exit %d, %s\n%s", code, errs, out)
	}
	var want, got any
	if json.Unmarshal(model.all()[0], &want) != nil || json.Unmarshal([]byte(shown), &got) != nil {
		t.Fatalf("not JSON:\n%s", shown)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sent and shown differ:\n%s", diff)
	}
	for _, secret := range []string{"sk-a-secret", "another-secret", "\x1b", "\u202e", "{{", "}}\n"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	// The session that is there now: the same, with what was said since.
	code, shown, errs = s.run(t, "", "prompt", "--json", "--trust-client", "--session", "0001", "and then?")
	next, _, err := scriptmodel.ReadRequest([]byte(shown))
	if code != 0 || err != nil || len(next.Messages) != 4 ||
		next.Messages[1].Text() != "hello there" || next.Messages[2].Text() != "One." || next.Messages[3].Text() != "and then?" {
		t.Errorf("exit %d %s: %v %s", code, errs, err, shown)
	}
}

// One row a call: what it exits with, and what stands in what it prints.
func TestPromptCommand(t *testing.T) {
	s := newShell(t, `{"model": "p/qwen3", "systemPrompt": {"mode": "default", "text": "Not me.", "params": {"temperature": 0.2}},
  "hooks": {"chat.system": [{"command": ["sh", "-c", "touch started"]}]}, "mcp": {"notes": {"command": ["sh", "-c", "touch started"]}}}`)
	s.write(t, filepath.Join(s.dir, "AGENTS.md"), "x\x1b[2J\u202e"+strings.Repeat("\nAGENTS  forged heading", 2000))
	for _, row := range []struct {
		args      []string
		code      int
		want, not []string
	}{
		{nil, 0, []string{"agent build, model p/qwen3 (", "parameters: none are sent", "not trusted: its AGENTS.md", "identity  default, for models of the family open  ",
			"    You are agent-sidecar", "environment  as of the start", "agent  build, built in", "(hooks of chat.system would still change this", "MCP server notes", "    compact "}, []string{"Not me.", "forged", "MESSAGES"}},
		{[]string{"--trust-client"}, 0, []string{"instructions  AGENTS.md  ", "(cut: ", "    x<U+001B>[2J<U+202E>", "\n    AGENTS  forged", "    [cut: these are the first "}, []string{"not trusted", "\nAGENTS"}},
		{[]string{"--agent", "plan"}, 0, []string{"agent plan,", "REMINDERS  sent in your message, with the next prompt: 1", "    You are in plan mode."}, []string{"MESSAGES"}},
		{[]string{"--agent", "plan", "fix", "it"}, 0, []string{"MESSAGES  1, ", "\nuser  ", "    fix it\n\n    <system-reminder>\n    You are in plan mode."}, nil},
		{[]string{"--agent", "explore"}, 0, []string{"agent explore,", "TOOLS  4, ", "You are the explore agent"}, []string{"    task"}},
		{[]string{"--model", "q/gpt-5"}, 0, []string{"model q/gpt-5 (", "family gpt"}, nil},
		{[]string{"--json"}, 0, []string{`"content": "You are agent-sidecar`, "agent-sidecar: this folder is not trusted"}, []string{"temperature"}},
		{[]string{"--agent", "nobody"}, 2, []string{`there is no agent "nobody"; available: build, plan, explore, compaction`}, nil},
		{[]string{"--session", "0007"}, 2, []string{"0007"}, nil},
		{[]string{"--session", "../../x"}, 2, []string{"../../x"}, nil},
	} {
		code, stdout, stderr := s.run(t, "", append([]string{"prompt"}, row.args...)...)
		out := stderr + stdout
		if code != row.code {
			t.Errorf("%q: exit %d\n%s", row.args, code, out)
		}
		for _, want := range row.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: no %q in\n%.6000s", row.args, want, out)
			}
		}
		for _, not := range append(row.not, "\x1b", "\u202e") {
			if strings.Contains(out, not) {
				t.Errorf("%q: %q in\n%.6000s", row.args, not, out)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "started")); err == nil {
		t.Error("a program was started")
	}
}

// A session whose process died in the middle is shown as it would go on, and stays
// as it is.
func TestPromptOfAnInterruptedSession(t *testing.T) {
	s := newShell(t, "")
	vault, err := workspace.Open([]workspace.Folder{{Path: s.dir}}, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer vault.Close()
	dir := filepath.Join(s.home, ".agent-sidecar", "sessions", vault.WorkspaceID(), "0001")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "events.jsonl")
	s.write(t, filepath.Join(dir, "environment.json"), `{"folders": ["`+s.dir+`"], "branch": "old", "os": "linux", "date": "2020-01-01"}`)
	const opened = `{"seq":1,"time":"2020-01-01T10:00:00.000Z","type":"session.opened","data":{"version":1,"key":"k","workspaceUri":"","agent":"build","mode":"agent","runtimeMode":"local"}}` + "\n"
	const rest = `{"seq":2,"time":"2020-01-01T10:00:00.000Z","runId":"r","type":"run.started","data":{"prompt":[{"type":"text","text":"Look."}],"agent":"build","model":"m","kind":"prompt"}}` + "\n" +
		`{"seq":3,"time":"2020-01-01T10:00:00.000Z","runId":"r","type":"message.assistant","data":{"messageId":"m","text":"","calls":[{"callId":"c1","tool":"ls","input":{}}],"model":"m"}}` + "\n" + `{"seq":4,"ti`
	s.write(t, log, opened+rest)
	before := everyFile(t, s.home, s.dir)
	code, out, errs := s.run(t, "", "prompt", "--session", "0001", "Go on.")
	for _, want := range []string{"a run of this session has not ended", "    Git branch: old\n", "    Date: 2020-01-01\n", "\nuser  ", "    → c1  ls {}\n", "tool  c1", "    [Tool execution was interrupted]\n",
		"    Go on.\n\n    <system-reminder>\n    The environment has changed since this conversation began: no git branch is checked out; today is "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s; no %q in\n%s", code, errs, want, out)
		}
	}
	if diff := cmp.Diff(before, everyFile(t, s.home, s.dir)); diff != "" {
		t.Errorf("looking has changed something:\n%s", diff)
	}
	s.write(t, log, opened+"nonsense\n")
	if code, _, errs := s.run(t, "", "prompt", "--session", "0001"); code != 1 || !strings.Contains(errs, "events.jsonl: line 2") {
		t.Errorf("a bad line: exit %d, %s", code, errs)
	}
}

// TestPromptsNameToolsThatExist: what a prompt puts into backquotes is a tool, an
// argument of one, or a word that is listed here.
func TestPromptsNameToolsThatExist(t *testing.T) {
	vault, err := workspace.Open(nil, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer vault.Close()
	tools := []string{"task", "compact", "tasks_update", "plan_ready", "bash" /* where there is none */, "references", "symbols" /* of language servers */}
	known := []string{"path:line", "AGENTS.md", "<system-reminder>", "mode: files"}
	for _, spec := range tool.NewSet(vault.Tools(workspace.Owner{Session: "x"})...).Specs() {
		tools = append(tools, spec.Name)
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(spec.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			known = append(known, name)
		}
	}
	texts := map[string]string{"explore": explore.Prompt(), "default": system.Default(), "build": system.AgentPrompt("build"), "plan": system.AgentPrompt("plan")}
	for name, text := range texts {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
			word := m[1]
			if strings.HasPrefix(word, "server/http.go") || strings.HasPrefix(word, "func Serve") {
				continue // an example of a citation
			}
			agents := name == "build" || name == "plan" // their lines go where a word is no tool that is offered
			if !slices.Contains(tools, word) && (agents && !strings.Contains(word, ":") || !slices.Contains(known, word)) {
				t.Errorf("%s: there is no `%s`", name, word)
			}
		}
	}
}
