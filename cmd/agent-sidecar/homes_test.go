//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// TestHomesThatCannotBeUsed starts the real program where its home cannot be
// written, made or read: it answers what it can, says why it cannot work, in words,
// and never ends or hangs. What can be mended is used as soon as it is.
func TestHomesThatCannotBeUsed(t *testing.T) {
	for _, row := range []struct {
		name   string
		lay    func(t *testing.T, home string) // as the home is when the program starts
		mend   func(t *testing.T, home string)
		reason string // of a prompt's refusal, "" where it works
	}{
		{name: "nothing may be written", reason: "permission denied",
			lay:  func(t *testing.T, home string) { must(t, os.Mkdir(home, 0o555)) },
			mend: func(t *testing.T, home string) { must(t, os.Chmod(home, 0o777)) }},
		{name: "it cannot be made", reason: "permission denied",
			lay:  func(t *testing.T, home string) { must(t, os.Chmod(filepath.Dir(home), 0o555)) },
			mend: func(t *testing.T, home string) { must(t, os.Chmod(filepath.Dir(home), 0o777)) }},
		{name: "it is a file", reason: "directory",
			lay:  func(t *testing.T, home string) { must(t, os.WriteFile(home, nil, 0o666)) },
			mend: func(t *testing.T, home string) { must(t, os.Remove(home)) }},
		{name: "its sessions are locked away", reason: "permission denied",
			lay: func(t *testing.T, home string) {
				must(t, os.Mkdir(home, 0o777), os.Mkdir(home+"/sessions", 0), os.Chmod(home, 0o777))
			},
			mend: func(t *testing.T, home string) { must(t, os.Chmod(home+"/sessions", 0o777)) }},
		{name: "its configuration is locked away", reason: "",
			lay: func(t *testing.T, home string) {
				must(t, os.Mkdir(home, 0o777), os.WriteFile(home+"/config.jsonc", []byte("{}"), 0), os.Chmod(home, 0o777))
			},
			mend: func(t *testing.T, home string) { must(t, os.Chmod(home+"/config.jsonc", 0o666)) }},
		{name: "its logs are locked away", reason: "",
			lay: func(t *testing.T, home string) {
				must(t, os.Mkdir(home, 0o777), os.Mkdir(home+"/logs", 0), os.Chmod(home, 0o777))
			},
			mend: func(t *testing.T, home string) { must(t, os.Chmod(home+"/logs", 0o777)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newHomeless(t)
			row.lay(t, h.home)
			c := h.start(t, h.command(t))
			h.serves(t, c)
			_, err := c.Call(h.ctx, "agent/run", map[string]any{"prompt": "One.", "await": true})
			if row.reason == "" && err != nil || row.reason != "" && (err == nil || !strings.Contains(err.Error(), row.reason)) {
				t.Errorf("a prompt: %v", err)
			}
			row.mend(t, h.home)
			raw, err := c.Call(h.ctx, "agent/run", map[string]any{"prompt": "Two.", "await": true})
			if err != nil || !strings.Contains(string(raw), "end_turn") {
				t.Errorf("once it is mended: %s, %v", raw, err)
			}
			h.ends(t, c)
		})
	}
}

// homeless is a place for a server whose home is nothing yet.
type homeless struct {
	ctx         context.Context
	home, vault string
	env         []string
	proc        *exec.Cmd
}

func newHomeless(t *testing.T) *homeless {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	h := &homeless{home: filepath.Join(root, "person", "home"), vault: filepath.Join(root, "workspace")}
	must(t, os.Chmod(filepath.Dir(root), 0o755), os.Chmod(root, 0o755), os.Mkdir(filepath.Dir(h.home), 0o777), os.Chmod(filepath.Dir(h.home), 0o777), os.Mkdir(h.vault, 0o777))
	t.Cleanup(func() { // what is locked away would stay
		_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			_ = os.Chmod(path, 0o777)
			return nil
		})
	})
	model, err := scriptmodel.New("repeat 99\nsay Done.")
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server, served := &http.Server{Handler: model}, make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	t.Cleanup(func() {
		server.Close()
		<-served
	})
	h.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(h.home), "AGENT_SIDECAR_HOME=" + h.home, "TMPDIR=" + root,
		"OPENAI_BASE_URL=http://" + l.Addr().String() + "/v1", "OPENAI_API_KEY=k", "OPENAI_MODEL=scripted"}
	return h
}

// command is the program as somebody whom permissions hold: root would be held by
// none.
func (h *homeless) command(t *testing.T) *exec.Cmd {
	t.Helper()
	path, err := binary()
	must(t, err, os.Chmod(filepath.Dir(path), 0o755))
	cmd := exec.Command(path, "serve")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return cmd
}

func (h *homeless) start(t *testing.T, cmd *exec.Cmd) *testclient.Client {
	t.Helper()
	cmd.Dir, cmd.Env = h.vault, h.env
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	h.proc = cmd
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// The clock starts with the program: building it, with nothing in the cache, takes minutes.
	var cancel context.CancelFunc
	h.ctx, cancel = context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return testclient.NewClient(stdin, stdout)
}

// serves: whatever the home is like, the greeting and the lists are answered.
func (h *homeless) serves(t *testing.T, c *testclient.Client) {
	t.Helper()
	_, err := c.Call(h.ctx, "initialize", json.RawMessage(fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}}`, h.vault)))
	must(t, err)
	c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	for _, method := range []string{"agent/status", "agent/describe", "agent/approvals"} {
		_, err := c.Call(h.ctx, method, map[string]any{})
		must(t, err)
	}
	if raw, err := c.Call(h.ctx, "agent/session/list", map[string]any{}); err != nil && !strings.Contains(err.Error(), "list sessions") {
		t.Errorf("a list: %s, %v", raw, err)
	}
}

func (h *homeless) ends(t *testing.T, c *testclient.Client) {
	t.Helper()
	_, err := c.Call(h.ctx, "shutdown", nil)
	must(t, err)
	c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"exit"}`))
	<-c.Done()
	c.CloseInput()
	must(t, h.proc.Wait(), c.Fault())
}

// TestAFullDiskForReal starts the real program in a home that is a file system of
// 256 KiB, fills it and makes room again, where this machine lets a test mount one.
func TestAFullDiskForReal(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not run: only root can mount a small disk")
	}
	h := newHomeless(t)
	must(t, os.Mkdir(h.home, 0o700))
	path, err := binary()
	must(t, err)
	cmd := exec.Command("sh", "-ec", `mount -t tmpfs -o size=256k tmpfs "$AGENT_SIDECAR_HOME"; exec "$0" serve`, path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	c := h.start(t, cmd)
	if _, err := c.Call(h.ctx, "initialize", json.RawMessage(fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}}}}}`, h.vault))); err != nil {
		t.Skipf("not run: nothing can be mounted here: %v", err)
	}
	c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	ask := func(prompt string) (string, error) {
		raw, err := c.Call(h.ctx, "agent/run", map[string]any{"sessionKey": "main", "prompt": prompt, "await": true})
		return string(raw), err
	}
	if raw, err := ask("One."); err != nil || !strings.Contains(raw, "end_turn") {
		t.Fatalf("with room: %s, %v", raw, err)
	}
	inside := fmt.Sprintf("/proc/%d/root%s", h.proc.Process.Pid, h.home)
	filler := filepath.Join(inside, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk takes more than it has")
	}
	before, err := testclient.ReadLogs(inside)
	must(t, err)
	long := strings.Repeat("many words ", 1000)
	if raw, err := ask(long); err == nil && !strings.Contains(raw, "no space left") || err != nil && !strings.Contains(err.Error(), "no space left") {
		t.Errorf("without room: %s, %v", raw, err)
	}
	must(t, os.Remove(filler))
	if raw, err := ask("Three."); err != nil || !strings.Contains(raw, "end_turn") {
		t.Errorf("with room again: %s, %v", raw, err)
	}
	after, err := testclient.ReadLogs(inside)
	must(t, err)
	for _, bad := range append(after.Broken(false), after.Grew(before)...) {
		t.Error(bad)
	}
	h.ends(t, c)
}
