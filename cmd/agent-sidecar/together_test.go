//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// together is how many sessions work at once.
const together = 20

// meeting lets nobody go on before everybody is there.
type meeting struct {
	mu   sync.Mutex // guards came
	came int
	all  chan struct{}
}

func (m *meeting) join(ctx context.Context) {
	m.mu.Lock()
	if m.came++; m.came == together {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
	case <-ctx.Done():
	}
}

// Twenty sessions of one process: no request to the model is answered before all
// twenty are there, and no command ends before all twenty run. If one session
// waited for another, nothing of this would ever end.
func TestTwentySessionsAtOnce(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	asked := &meeting{all: make(chan struct{})}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"role":"tool"`) {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		asked.join(r.Context())
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\": \"echo > here; read x < gate\"}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	config := fmt.Sprintf(`{"model": "x/m", "providers": {"x": {"baseUrl": %q, "models": {"m": {}}}}, "agents": {"runtime": {"permission": {"rules": [{"domain": "bash", "pattern": "*", "decision": "allow"}]}}}}`, model.URL)
	if err := errors.Join(testclient.AskingHome(home), os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	server, err := startBinary(t)(testclient.Env{Vault: dir, Args: []string{"--home", home, "--trust-client"}, Env: map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	// Their minute starts behind the build of the program, which may take longer.
	here, gate := pipeAt(t, filepath.Join(dir, "here")), pipeAt(t, filepath.Join(dir, "gate"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := testclient.NewClient(server.Stdin, server.Stdout)
	if _, err := c.Call(ctx, "initialize", json.RawMessage(fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}, "initializationOptions": {"agentSidecar": {"trusted": true}}}`, dir))); err != nil {
		t.Fatal(err)
	}
	c.Send(json.RawMessage(`{"jsonrpc": "2.0", "method": "initialized", "params": {}}`))
	ended := make(chan error, together)
	for n := range together {
		go func() {
			result, err := c.Call(ctx, "agent/run", map[string]any{"prompt": fmt.Sprint("go ", n), "await": true})
			if err == nil && !strings.Contains(string(result), `"stopReason":"end_turn"`) {
				err = fmt.Errorf("%s", result)
			}
			ended <- err
		}()
	}
	lines := bufio.NewReader(here)
	for n := range together { // every command has begun, and none has ended
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatalf("command %d: %v\n%s", n, err, server.Stderr())
		}
	}
	if _, err := gate.WriteString(strings.Repeat("\n", together)); err != nil {
		t.Fatal(err)
	}
	for range together {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	c.CloseInput()
	server.Wait()
}

// pipeAt is a named pipe that both sides of may be opened at any time.
func pipeAt(t *testing.T, path string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	_ = f.SetDeadline(time.Now().Add(time.Minute)) // a pipe has deadlines; without one the test's own ends it
	return f
}
