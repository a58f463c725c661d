package mcp

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// world is a client of servers, with what wakes who waits for them.
type world struct {
	*Servers
	t       *testing.T
	changed chan struct{}
}

// newWorld is a client that is closed, and shown to have left no goroutine, at
// the end.
func newWorld(t *testing.T, home string) world {
	t.Helper()
	return newWorldOf(t, Options{Home: home})
}

func newWorldOf(t *testing.T, opts Options) world {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	changed := make(chan struct{}, 100)
	opts.Dir, opts.Changed = t.TempDir(), func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	m := New(opts)
	t.Cleanup(func() {
		m.Close()
		goleak.VerifyNone(t, leaks)
	})
	return world{m, t, changed}
}

func (w world) start(config ...Server) []tool.Tool {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	return w.Tools(ctx, config)
}

// until waits for something to become true when the problems change.
func (w world) until(what string, is func() bool) {
	w.t.Helper()
	late := time.After(20 * time.Second)
	for !is() {
		select {
		case <-w.changed:
		case <-late:
			w.t.Fatalf("%s: %+v", what, w.Problems())
		}
	}
}

// untilProblem waits until the first problem says this.
func (w world) untilProblem(said string) {
	w.t.Helper()
	w.until(said, func() bool {
		p := w.Problems()
		return len(p) > 0 && strings.Contains(p[0].Message, said)
	})
}

// awaitTools waits until the servers have so many tools.
func (w world) awaitTools(n int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	s := w.all()[0]
	s.await(ctx, func() bool { return len(s.listed) == n })
	if got := len(w.Ready()); got != n {
		w.t.Fatalf("%d tools", got)
	}
}

// one starts a server that has one tool.
func one(t *testing.T, mode string) (world, tool.Tool, string) {
	t.Helper()
	server, file := badServerOf(t, mode)
	w := newWorld(t, "")
	tools := w.start(server)
	if len(tools) != 1 {
		t.Fatalf("%d tools, %+v", len(tools), w.Problems())
	}
	return w, tools[0], file
}

// waitForFile waits until another process has written a word.
func waitForFile(t *testing.T, path, word string) {
	t.Helper()
	late := time.After(10 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), word) {
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s never said %s", path, word)
		}
	}
}
