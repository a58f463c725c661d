package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// editors are the recorded editors and the position encoding that each must get:
// the first of its own that we know.
var editors = map[string]string{
	"emacs-28.2": "utf-16", "emacs-30.1": "utf-32", "helix-25.01.1": "utf-8", "helix-25.07.1": "utf-8",
	"nvim-v0.10.4": "utf-16", "nvim-v0.12.4": "utf-8", "vscode-1.100.3": "utf-16", "vscode-1.139.1": "utf-16",
}

// TestEditors sends what real editors have sent, message by message, and holds
// the answers against LSP: every request is answered once under its own id, what
// LSP knows with a result, what was another server's with an error, nothing of
// ours comes before initialized, and the end is clean. These are their own bytes to
// a small server that they were recorded with; the conversations editor_recorded_*
// do the main job with the same first message, editor_* show their habits.
// AGENT_EDITORS_WIRE names a folder of newer recordings.
func TestEditors(t *testing.T) {
	dir := os.Getenv("AGENT_EDITORS_WIRE")
	if dir == "" {
		dir = filepath.Join("..", "..", "testclient", "testdata", "editors")
	}
	for name, encoding := range editors {
		raw, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			synctest.Test(t, func(t *testing.T) { replay(t, root, raw, encoding) })
		})
	}
	t.Logf("%d recorded editors", len(editors))
}

func replay(t *testing.T, root string, recording []byte, encoding string) {
	e := testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace"), Env: map[string]string{}}
	for _, dir := range []string{e.Home, e.Vault} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p, err := startHere(t, nil)(e)
	if err != nil {
		t.Fatal(err)
	}
	c := testclient.NewClient(p.Stdin, p.Stdout)
	asked := map[string]string{} // raw id → method
	var order []string
	shutdown := false
	for line := range bytes.Lines(recording) {
		var r struct {
			Dir string          `json:"dir"`
			Msg json.RawMessage `json:"msg"`
		}
		if json.Unmarshal(line, &r) != nil || r.Dir != "in" {
			continue
		}
		msg := bytes.ReplaceAll(r.Msg, []byte("file:///PLACE"), []byte("file://"+e.Vault))
		msg = bytes.ReplaceAll(msg, []byte(`"/PLACE"`), []byte(`"`+e.Vault+`"`)) // Helix names its folder so and no other way
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(msg, &m); err != nil {
			t.Fatal(err)
		}
		if m.Method != "" && m.ID != nil {
			asked[string(m.ID)] = m.Method
			order = append(order, m.Method)
		}
		shutdown = shutdown || m.Method == "shutdown"
		c.Send(msg)
		synctest.Wait()
	}
	c.CloseInput() // some editors send no exit
	<-c.Done()
	if code := p.Wait(); (code == 0) != shutdown {
		t.Errorf("exit code %d with shutdown %v", code, shutdown)
	}
	if err := c.Fault(); err != nil {
		t.Error(err)
	}
	if !slices.Contains(order, "initialize") || !slices.Contains(order, "textDocument/codeAction") {
		t.Fatalf("the recording has only %v", order)
	}
	answers(t, c, asked, encoding)
}

// answers holds each answer against its request.
func answers(t *testing.T, c *testclient.Client, asked map[string]string, encoding string) {
	initialized := false
	for _, r := range c.Records() {
		if r.Sent {
			initialized = initialized || bytes.Contains(r.Frame, []byte(`"initialized"`))
			continue
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Code int `json:"code"`
			} `json:"error"`
		}
		if err := json.Unmarshal(r.Frame, &m); err != nil {
			t.Fatal(err)
		}
		if m.Method != "" {
			if !initialized {
				t.Errorf("before initialized: %s", r.Frame)
			}
			continue
		}
		method, known := asked[string(m.ID)]
		if !known {
			t.Errorf("answers nothing that is open: %s", r.Frame)
			continue
		}
		delete(asked, string(m.ID))
		code := 0
		if m.Error != nil {
			code = m.Error.Code
		}
		switch {
		case method == "initialize" && !strings.Contains(string(m.Result), `"positionEncoding":"`+encoding+`"`):
			t.Errorf("initialize: %s", r.Frame)
		case method == "shutdown" && string(m.Result) != "null":
			t.Errorf("shutdown: %s", r.Frame)
		case method == "textDocument/codeAction" && (!bytes.HasPrefix(m.Result, []byte("[")) || bytes.Contains(m.Result, []byte("agent.approve"))):
			t.Errorf("code actions with nothing to approve: %s", r.Frame)
		case method == "workspace/executeCommand" && code != -32602:
			t.Errorf("a command of another server: %s", r.Frame)
		case strings.HasPrefix(method, "agent/") && code != -32601:
			t.Errorf("a method of another server: %s", r.Frame)
		}
	}
	for id, method := range asked {
		t.Errorf("%s (id %s) was not answered", method, id)
	}
}
