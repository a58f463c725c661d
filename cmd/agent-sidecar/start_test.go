package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// The first answer waits for no platter, in a home that is bare as in one that was
// used: a person looks at an editor that starts. What was found of the sandbox is
// there for the next start all the same.
func TestTheFirstAnswerSyncsNothing(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace"), Env: map[string]string{"OPENAI_API_KEY": "k"}}
	sidecar := filepath.Join(env.Home, ".agent-sidecar")
	for _, dir := range []string{env.Home, env.Vault} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, life := range []string{"in a bare home", "in one that was used", "after a kill"} {
		var answered atomic.Bool
		var steps atomic.Int64 // of the whole life
		disk := &durable.Disk{}
		disk.Fail(func(op durable.Op, path string) error {
			if sync := op == durable.OpSync || op == durable.OpSyncTemp || op == durable.OpSyncDir; sync && !answered.Load() {
				t.Errorf("%s: %s %s before the first answer", life, op, path)
			}
			return nil
		})
		disk.Watch(func(durable.Op, string) { steps.Add(1) })
		proc, _, err := serveHere(t, sandbox.NewProber(sidecar), disk, env)
		if err != nil {
			t.Fatal(err)
		}
		client := testclient.NewClient(proc.Stdin, proc.Stdout)
		call := func(method, params string) {
			t.Helper()
			if _, err := client.Call(t.Context(), method, json.RawMessage(params)); err != nil {
				t.Fatal(err)
			}
		}
		call("initialize", fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1]}}}}`, env.Vault))
		answered.Store(true)
		client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
		call("agent/session/new", `{"title": "One"}`)
		if life == "in one that was used" {
			proc.Kill()
			proc.Wait()
			continue
		}
		call("shutdown", `null`)
		client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"exit"}`))
		if code := proc.Wait(); code != 0 {
			t.Errorf("%s: exit code %d", life, code)
		}
		if steps.Load() == 0 {
			t.Errorf("%s: nothing was seen of the disk", life)
		}
	}
	level := sandbox.NewProber("").Report(sandbox.Settings{}).Level
	if _, err := os.Stat(filepath.Join(sidecar, "sandbox.json")); err != nil && level != "none" {
		t.Error("what was found of the sandbox is not remembered:", err)
	}
}
