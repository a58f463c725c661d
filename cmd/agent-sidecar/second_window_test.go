//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// window is an editor's window with a sidecar of its own, a real process.
type window struct {
	t    *testing.T
	proc *testclient.Process
	c    *testclient.Client
}

// followed is what the first window works on: a sub-agent, an output that is too
// large, and a command that waits for a person.
const followed = `
call c1 task {"agent": "explore", "prompt": "Look for hello."}
---
call c2 bash {"command": "seq 40000"}
---
call c3 bash {"command": "touch asked"}
---
optional
say Gone on.
--- for explore
say a.txt:1 says hello
`

// windowsOn starts windows on one folder, all with one home.
func windowsOn(t *testing.T, script string) (open func() *window, env testclient.Env) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := scriptmodel.New(script)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	env = testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace")}
	sidecar := filepath.Join(env.Home, ".agent-sidecar")
	env.Env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": env.Home, "AGENT_SIDECAR_HOME": sidecar,
		"OPENAI_BASE_URL": server.URL + "/v1", "OPENAI_API_KEY": "k", "OPENAI_MODEL": "scripted"}
	if err := errors.Join(os.MkdirAll(env.Vault, 0o700), testclient.AskingHome(sidecar)); err != nil {
		t.Fatal(err)
	}
	rules := `{"agents": {"runtime": {"permission": {"rules": [{"domain": "bash", "pattern": "seq *", "decision": "allow"}]}}}}`
	for path, text := range map[string]string{filepath.Join(sidecar, "config.jsonc"): rules, filepath.Join(env.Vault, "a.txt"): "hello\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func() *window { return openWindow(t, env) }, env
}

// openWindow starts a sidecar for a window.
func openWindow(t *testing.T, env testclient.Env) *window {
	t.Helper()
	proc, err := startBinary(t)(env)
	if err != nil {
		t.Fatal(err)
	}
	w := &window{t, proc, testclient.NewClient(proc.Stdin, proc.Stdout)}
	w.ask("initialize", `{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}}`, env.Vault)
	w.c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	return w
}

// answered is what the answers here have, whichever request it was.
type answered struct {
	Events      []followedEvent
	TailSeq     int64
	LockedBy    *struct{ PID int }
	Sessions    []listedSession
	Session     struct{ ID string }
	Interrupted struct{ CallIDs []string }
	Items       []struct{ ArtifactID, URI string }
	Data, RunID string
}

type listedSession struct {
	ID, State string
	LockedBy  *struct{ PID int }
}

type followedEvent struct {
	Seq, SubSeq  int64
	AgentPath    []string
	ParentCallID string
	Type         string
	Data         struct{ ApprovalID, StopReason string }
}

func (w *window) try(method, params string, args ...any) (answered, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	raw, err := w.c.Call(ctx, method, json.RawMessage(fmt.Sprintf(params, args...)))
	var s answered
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	return s, err
}

func (w *window) ask(method, params string, args ...any) answered {
	w.t.Helper()
	s, err := w.try(method, params, args...)
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", method, err, w.proc.Stderr())
	}
	return s
}

// follow reads the events of session 0001 from behind seq, waiting for each, up to
// the first one of a type.
func (w *window) follow(after int64, upTo string) (events []followedEvent) {
	w.t.Helper()
	for {
		page := w.ask("agent/events", `{"sessionId": "0001", "after": %d, "waitMs": 30000}`, after)
		for _, e := range page.Events {
			if e.Seq != after+1 {
				w.t.Fatalf("seq %d follows %d", e.Seq, after)
			}
			after = e.Seq
			if events = append(events, e); e.Type == upTo {
				return events
			}
		}
	}
}

// A window on the same folder follows what another one runs, with everything that
// belongs to it, and takes nothing. When the other process is killed in the middle
// of a question, the wait ends, and the session goes on here.
func TestSecondWindow(t *testing.T) {
	open, env := windowsOn(t, followed)
	first, second := open(), open()
	first.ask("agent/run", `{"prompt": "go"}`)
	events := second.follow(0, "approval.requested")
	tail := events[len(events)-1].Seq

	raw, err := os.ReadFile(filepath.Join(globOne(t, env.Home, ".agent-sidecar/sessions/*/0001"), "owner"))
	if err != nil {
		t.Fatal(err)
	}
	if list := second.ask("agent/session/list", `{"includeChildren": true}`).Sessions; len(list) != 2 || list[0].LockedBy == nil || list[1].LockedBy == nil ||
		!strings.Contains(string(raw), fmt.Sprintf(`"pid":%d,`, list[0].LockedBy.PID)) || !slices.ContainsFunc(list, func(s listedSession) bool { return s.ID == "0001" && s.State == "waiting_approval" }) {
		t.Errorf("the list: %+v, the owner: %s", list, raw)
	}
	if list := first.ask("agent/session/list", `{}`).Sessions; len(list) != 1 || list[0].LockedBy != nil {
		t.Errorf("the list of the first window: %+v", list)
	}

	sub := second.ask("agent/events", `{"sessionId": "0001", "agentPath": ["explore#1"]}`).Events
	if len(sub) < 4 || sub[0].SubSeq != 1 || sub[0].ParentCallID != "c1" || sub[len(sub)-1].Type != "run.ended" {
		t.Errorf("the sub-agent: %+v", sub)
	}
	kept := second.ask("agent/artifact/list", `{"sessionId": "0001"}`).Items
	if len(kept) != 1 {
		t.Fatalf("artifacts: %+v", kept)
	}
	if whole := second.ask("agent/artifact", `{"uri": %q, "view": "tail", "length": 6}`, kept[0].URI).Data; whole != "40000\n" {
		t.Errorf("the end of the output: %q", whole)
	}
	for _, method := range []string{"agent/session/resume", "agent/session/delete", "agent/session/compact"} {
		if _, err := second.try(method, `{"sessionId": "0001"}`); err == nil || !strings.Contains(err.Error(), "session_locked") {
			t.Errorf("%s: %v", method, err)
		}
	}
	if fork := second.ask("agent/session/fork", `{"sessionId": "0001"}`).Session.ID; fork != "0002" {
		t.Errorf("the fork: %q", fork)
	}

	second.c.Send(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w","method":"agent/events","params":{"sessionId":"0001","after":%d,"waitMs":30000}}`, tail)))
	second.ask("agent/status", `{}`) // so it waits already
	first.proc.Kill()
	first.proc.Wait()
	got, _, err := second.c.Await(t.Context(), 0, func(m testclient.Message) bool { return string(m.ID) == `"w"` })
	var page answered
	if err == nil {
		err = json.Unmarshal(got.Result, &page)
	}
	if err != nil || len(page.Events) > 0 || page.LockedBy != nil || page.TailSeq != tail {
		t.Errorf("when the first window was killed: %s %s %v", got.Result, got.Error, err)
	}
	resumed := second.ask("agent/session/resume", `{"sessionId": "0001", "continuePendingWork": true}`)
	if !slices.Equal(resumed.Interrupted.CallIDs, []string{"c3"}) || resumed.RunID == "" {
		t.Errorf("resumed: %+v", resumed)
	}
	second.follow(tail, "run.ended")
	if list := second.ask("agent/session/list", `{}`).Sessions; slices.ContainsFunc(list, func(s listedSession) bool { return s.LockedBy != nil }) {
		t.Errorf("the list at the end: %+v", list)
	}
	second.c.CloseInput()
	second.proc.Wait()
}

// globOne is the one place that fits.
func globOne(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}
