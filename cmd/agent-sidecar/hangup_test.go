package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// TestServeSignalled: editors that run in a terminal, Helix for one, have the
// sidecar in their own group, so closing the terminal says so to it as well. It
// leaves as by any other signal: what runs is stopped and has its end in the log.
// A hang-up killed it on the spot, and the run was one that had crashed.
func TestServeSignalled(t *testing.T) {
	// Under nohup a hang-up is ignored, and a child would inherit that: one that is
	// caught here has its default there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, sent := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sent.String(), func(t *testing.T) {
			asked := make(chan struct{}, 1)
			model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // the end of the client is noticed only after it
				asked <- struct{}{}
				<-r.Context().Done()
			}))
			defer model.Close()
			s := newShell(t, "", "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=k", "OPENAI_MODEL=m")
			cmd, c := s.serving(t)
			for _, m := range []struct{ method, params string }{{"initialize", `{"processId": null, "rootUri": "file://` + s.dir + `", "capabilities": {}}`}, {"agent/run", `{"prompt": "wait"}`}} {
				if _, err := c.Call(t.Context(), m.method, json.RawMessage(m.params)); err != nil {
					t.Fatal(err)
				}
				c.Send(json.RawMessage(`{"jsonrpc": "2.0", "method": "initialized", "params": {}}`))
			}
			<-asked
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // the code says it
			<-c.Done()
			stuck.Stop()
			_ = cmd.Wait() // the code says it
			if code := cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("exit %d", code)
			}
			logs, _ := filepath.Glob(filepath.Join(s.home, ".agent-sidecar", "sessions", "*", "*", "events.jsonl"))
			if len(logs) != 1 {
				t.Fatalf("%d sessions", len(logs))
			}
			log, err := os.ReadFile(logs[0])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(log), `"type":"run.ended"`) || !strings.Contains(string(log), `"stopReason":"cancelled"`) {
				t.Errorf("the run has no end:\n%s", log)
			}
		})
	}
}

// TestRunOutlivesABrokenPipe: the signal of a pipe that nobody reads comes for hooks,
// commands and connections too, and cancels nothing: only a run's own output does.
func TestRunOutlivesABrokenPipe(t *testing.T) {
	model, err := scriptmodel.New("call c1 bash {\"command\": \"cat a.txt\"}\n---\nsay \"It is done.\"")
	if err != nil {
		t.Fatal(err)
	}
	running := make(chan *os.Process, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		run := <-running
		if err := run.Signal(syscall.SIGPIPE); err != nil {
			t.Error(err)
		}
		running <- run
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	s := newShell(t, "", "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=k-0123456789", "OPENAI_MODEL=m")
	cmd := s.command(t, "run", "--yes", "Go")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running <- cmd.Process
	_ = cmd.Wait() // the code says it
	if code := cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(out.String(), "It is done.") {
		t.Errorf("exit %d\n%s", code, &out)
	}
}
