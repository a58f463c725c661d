package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// A server is given nothing that looks like a secret but what its entry names,
// and does not start in the workspace: a package runner there would run what the
// project brought along.
func TestEnvironment(t *testing.T) {
	t.Setenv("SOME_TOKEN", "geheim")
	server, _ := badServerOf(t, "environment")
	server.Env["OTHER_TOKEN"] = "given"
	server.Env["TERM"] = "own"
	w := newWorld(t, "")
	r := outputtest.Run(t, w.start(server)[0], `{}`)
	if strings.Contains(r.Text, "geheim") || !strings.Contains(r.Text, "OTHER_TOKEN=given") || !strings.Contains(r.Text, "TERM=own") || strings.Contains(r.Text, "TERM=dumb") {
		t.Error(r.Text)
	}
	if !strings.HasPrefix(r.Text, filepath.Base(w.opts.Dir)+" ") {
		t.Error(r.Text)
	}
}

// A server that does not read holds nobody, not even where the question is larger
// than its pipe.
func TestStopsReading(t *testing.T) {
	server, _ := badServerOf(t, "stops reading")
	server.Timeout = 300 * time.Millisecond
	w := newWorld(t, "")
	echo := w.start(server)[0]
	outputtest.Run(t, echo, `{}`)
	huge := outputtest.Plan(t, echo, `{"x": "`+strings.Repeat("y", 2<<20)+`"}`)
	began := time.Now()
	if r, err := outputtest.Allowed(t.Context(), huge, &outputtest.Kept{}); err != nil || !r.Failed || time.Since(began) > time.Minute {
		t.Errorf("%+v %v after %v", r, err, time.Since(began))
	}
}

// Nothing of a server is left when it is stopped, also not what it has started in
// a session of its own.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds what fled")
	}
	w, echo, _ := one(t, "leaves a child")
	child, err := strconv.Atoi(outputtest.Run(t, echo, `{}`).Text)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := os.Stat(fmt.Sprint("/proc/", child)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("process %d: %v", child, err)
	}
}

// A server is told that it is over by the end of its input, and has time for its
// last words.
func TestGoodbye(t *testing.T) {
	w, _, file := one(t, "says goodbye")
	w.Close()
	if said, err := os.ReadFile(file); err != nil || string(said) != "goodbye\n" {
		t.Errorf("%q %v", said, err)
	}
}
