package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// binaryDir is where the program under test lies, "" before it was built.
// TestMain removes it.
var binaryDir string

// binary is the program under test, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agent-sidecar-test-*")
	if err != nil {
		return "", err
	}
	binaryDir = dir
	path := filepath.Join(dir, "agent-sidecar")
	// Built as the tests are, so that nothing is compiled a second time.
	cmd := exec.Command("go", "build", "-o", path, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{err, out}
	}
	return path, nil
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + string(e.out) }

// startBinary serves with the real binary, over real pipes.
func startBinary(t *testing.T) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		path, err := binary()
		if err != nil {
			return nil, err
		}
		if err := withCopies(t, e); err != nil {
			return nil, err
		}
		words := e.Args // the first is the subcommand
		if !e.ACP() {
			words = append([]string{"serve"}, e.Args...)
		}
		cmd := exec.Command(path, words...)
		cmd.Dir = e.Vault
		for name, value := range e.Env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		cmd.Env = append(cmd.Env, "AGENT_SIDECAR_BINARY="+path) // for runners, which start it again
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return &testclient.Process{
			Stdin: stdin, Stdout: stdout,
			Wait: func() int {
				_ = cmd.Wait() // the code says it
				return cmd.ProcessState.ExitCode()
			},
			Kill:   func() { _ = cmd.Process.Signal(syscall.SIGKILL) },
			Stderr: stderr.String,
		}, nil
	}
}
