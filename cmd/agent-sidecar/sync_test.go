//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// persons are the machines of one: each has the repository somewhere else.
type persons struct {
	t     *testing.T
	model string
	url   string
	key   string
}

func newPersons(t *testing.T, script, url string) *persons {
	t.Helper()
	m, err := scriptmodel.New(script)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return &persons{t: t, model: server.URL + "/v1", url: url}
}

// on makes a machine, and gives what opens the repository there.
func (p *persons) on(name string) (open func() *window, env testclient.Env) {
	t := p.t
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env = testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, name, "work")}
	sidecar := filepath.Join(env.Home, ".agent-sidecar")
	env.Env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": env.Home, "AGENT_SIDECAR_HOME": sidecar, "OPENAI_BASE_URL": p.model, "OPENAI_API_KEY": "k", "OPENAI_MODEL": "scripted"}
	if err := errors.Join(os.MkdirAll(filepath.Join(env.Vault, ".git"), 0o700), testclient.AskingHome(sidecar)); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(sidecar, "config.jsonc"):    fmt.Sprintf(`{"sync": {"url": %q, "credentials": "me.txt"}}`, p.url),
		filepath.Join(sidecar, "me.txt"):          "me:pw\n",
		filepath.Join(env.Vault, ".git/config"):   "[remote \"origin\"]\n\turl = git@example.org:a/" + "b.git\n",
		filepath.Join(env.Vault, ".git/HEAD"):     "ref: refs/heads/main\n",
		filepath.Join(env.Vault, "which-machine"): name,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sh := &shell{dir: env.Vault, home: env.Home}
	for k, v := range env.Env {
		sh.env = append(sh.env, k+"="+v)
	}
	op, input := "key", ""
	if p.key != "" {
		op, input = "join", p.key
	}
	code, out, errs := sh.run(t, input, "sync", op)
	if code != 0 {
		t.Fatalf("sync %s: %d %s%s", op, code, out, errs)
	}
	if op == "key" {
		p.key = out
	}
	return func() *window { return openWindow(t, env) }, env
}

// end closes the window as an editor does.
func (w *window) end() {
	w.t.Helper()
	w.ask("shutdown", `null`)
	w.c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"exit"}`))
	<-w.c.Done()
	w.proc.Wait()
}

// into is ask for an answer of another form.
func (w *window) into(out any, method, params string) {
	w.t.Helper()
	raw, err := w.c.Call(w.t.Context(), method, json.RawMessage(params))
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", method, err, w.proc.Stderr())
	}
}

// run gives a prompt, waits for the end, and says in which session that was.
func (w *window) run(session, prompt string) string {
	w.t.Helper()
	var ran struct{ SessionID, StopReason string }
	params, err := json.Marshal(map[string]any{"prompt": prompt, "await": true, "sessionId": session})
	if session == "" {
		params, err = json.Marshal(map[string]any{"prompt": prompt, "await": true})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.into(&ran, "agent/run", string(params))
	if ran.StopReason != "end_turn" {
		w.t.Fatalf("the run ended with %s\n%s", ran.StopReason, w.proc.Stderr())
	}
	return ran.SessionID
}

// waitFor waits for an event of a type with a text in it.
func (w *window) waitFor(kind, text string) {
	w.t.Helper()
	_, _, err := w.c.Await(w.t.Context(), 0, func(m testclient.Message) bool {
		return m.Method == "agent/event" && strings.Contains(string(m.Params), `"type":"`+kind+`"`) && strings.Contains(string(m.Params), text)
	})
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", kind, text, err, w.proc.Stderr())
	}
}

// A session goes on at another machine of the person: it is listed there, cannot be continued
// while it is open here, and the model is sent what was said here.
func TestSessionGoesOnElsewhere(t *testing.T) {
	p := newPersons(t, "say I see the first.\n---\nwhen go on there\nsay And I remember it.\n", copiesServer(t))
	openA, a := p.on("laptop")
	openB, b := p.on("tower")
	first := openA()
	id := first.run("", "look at this here")
	var status struct{ Sync struct{ Reached bool } }
	first.into(&status, "agent/status", `{}`)
	if !status.Sync.Reached {
		t.Error("the server is not reached")
	}
	first.waitFor("session.sync", `"synced"`)

	second := openB()
	var listed struct {
		Sessions []struct {
			ID, SyncState, Title string
			LockedBy             struct{ Machine string }
		}
	}
	second.into(&listed, "agent/session/list", `{}`)
	if len(listed.Sessions) != 1 || listed.Sessions[0].ID != id || listed.Sessions[0].SyncState != "synced" || listed.Sessions[0].LockedBy.Machine == "" {
		t.Fatalf("%+v", listed.Sessions)
	}
	if _, err := second.try("agent/run", `{"sessionId": %q, "prompt": "too early"}`, id); err == nil || !strings.Contains(err.Error(), "is open on") {
		t.Errorf("while it is open: %v", err)
	}
	first.end()
	second.run(id, "go on there")
	second.end()
	there := sessionLog(t, b, id)
	if !strings.HasPrefix(there, sessionLog(t, a, id)) || !strings.Contains(there, "And I remember it.") || !strings.Contains(there, `"moved":true`) {
		t.Errorf("%s", there)
	}
	third := openA()
	third.into(&listed, "agent/session/list", `{}`)
	third.ask("agent/session/resume", `{"sessionId": %q}`, id)
	third.end()
	if back := sessionLog(t, a, id); !strings.HasPrefix(back, there) {
		t.Errorf("%s", back)
	}
}

func sessionLog(t *testing.T, env testclient.Env, id string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(env.Home, ".agent-sidecar/sessions/*", id, "events.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Without its server a session works as ever, and says that it is not copied.
func TestSyncServerAway(t *testing.T) {
	p := newPersons(t, "say Done.\n", "nats://127.0.0.1:1")
	open, _ := p.on("laptop")
	w := open()
	id := w.run("", "hello")
	var listed struct {
		Sessions []struct{ ID, SyncState string }
	}
	w.into(&listed, "agent/session/list", `{}`)
	if len(listed.Sessions) != 1 || listed.Sessions[0].ID != id || listed.Sessions[0].SyncState != "syncing" {
		t.Errorf("%+v", listed.Sessions)
	}
	w.end()
}

// The key is made once, read by nobody else, and taken only whole; what is missing is said.
func TestSyncCommand(t *testing.T) {
	a, b := newShell(t, ""), newShell(t, `{"sync": {"url": "nats://127.0.0.1:1"}}`)
	code, key, errs := a.run(t, "", "sync", "key")
	if code != 0 || !strings.HasPrefix(key, "agent-sidecar-sync-") || !strings.Contains(errs, "can read your sessions") {
		t.Fatalf("%d %s %s", code, key, errs)
	}
	file := filepath.Join(a.home, ".agent-sidecar", "sync.key")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, again, _ := a.run(t, "", "sync", "key"); again != key {
		t.Error("it is another one now")
	}
	for _, step := range []struct {
		shell       *shell
		input, word string
		code        int
		want        string
	}{
		{a, "", "", 0, "Sessions stay on this machine"},
		{a, "", "nothing", 2, "sync takes nothing, or: key, join"},
		{b, "", "", 0, "there is no key on this machine"},
		{b, key[:30], "join", 1, "a part of it is missing"},
		{b, key, "join", 0, "has the key now"},
		{b, key, "join", 0, "has that key already"},
		{b, "", "", 0, "this folder is in no repository with an origin"},
		{newShell(t, ""), "", "join", 1, "no key"},
	} {
		var words []string
		if step.word != "" {
			words = []string{step.word}
		}
		code, out, errs := step.shell.run(t, step.input, append([]string{"sync"}, words...)...)
		if code != step.code || !strings.Contains(out+errs, step.want) {
			t.Errorf("sync %s: %d %s%s", step.word, code, out, errs)
		}
	}
	c := newShell(t, "")
	if _, other, _ := c.run(t, "", "sync", "key"); other == key {
		t.Error("two machines made the same key")
	}
	if code, _, errs := c.run(t, key, "sync", "join"); code != 1 || !strings.Contains(errs, "has another key") {
		t.Errorf("%d %s", code, errs)
	}
}

// A workspace has one name on all machines, by the person's word or its repository.
func TestSyncName(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	origin := "[remote \"origin\"]\n\turl = https://me:pw@example.org/a/b.git\n"
	put("repo/.git/config", origin)
	put("repo/sub/x", "")
	put("repo/.git/worktrees/w/commondir", "../..\n")
	put("tree/.git", "gitdir: "+filepath.Join(root, "repo/.git/worktrees/w")+"\n")
	put("local/.git/config", "[core]\n")
	put("plain/x", "")
	put("repo/inner/.git/config", "[core]\n")
	named := &config.Sync{Workspaces: map[string]string{filepath.Join(root, "plain"): "notes", filepath.Join(root, "repo/sub"): ""}}
	for folder, want := range map[string]string{
		"repo": "example.org/a/b", "repo/.": "example.org/a/b", "tree": "example.org/a/b", "local": "", "plain": "notes", "repo/sub": "", "repo/inner": "",
	} {
		if got := syncName(named, filepath.Join(root, folder)); got != want {
			t.Errorf("%s: %q", folder, got)
		}
	}
	if got := syncName(&config.Sync{}, filepath.Join(root, "repo/sub")); got != "example.org/a/b//sub" {
		t.Errorf("%q", got)
	}
	if got := syncName(&config.Sync{}, ""); got != "" {
		t.Errorf("no folder: %q", got)
	}
}
