package mcp

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestServersThatDoNotStart(t *testing.T) {
	doesNotStart(t, "dies at start", "it ended with exit code 3; it said: no database at localhost")
	w := newWorld(t, "")
	w.start(Server{Name: "none", Command: []string{"no-such-program-here"}})
	if p := w.Problems(); len(p) != 1 || !strings.Contains(p[0].Message, `there is no program "no-such-program-here" in PATH`) {
		t.Errorf("%+v", p)
	}
}

func TestServersThatFlood(t *testing.T) {
	doesNotStart(t, "flood of noise", errFlood.Error())
	doesNotStart(t, "flood of one line", errGiant.Error())
	doesNotStart(t, "list of 100 MB", "at most 8 MiB are taken")
}

func doesNotStart(t *testing.T, mode, want string) {
	t.Helper()
	server, _ := badServerOf(t, mode)
	w := newWorld(t, "")
	if tools := w.start(server); len(tools) > 0 {
		t.Errorf("%s: %d tools", mode, len(tools))
	}
	w.until(mode, func() bool { return len(w.Problems()) > 0 })
	if p := w.Problems()[0]; !p.Down || !strings.Contains(p.Message, want) {
		t.Errorf("%s: %+v", mode, p)
	}
	w.Close()
}

// Floods that begin once the server runs: it is stopped, and a call to it fails.
func TestFloods(t *testing.T) {
	for _, mode := range []string{"flood of notifications", "flood of requests"} {
		server, _ := badServerOf(t, mode)
		w := newWorld(t, "")
		w.start(server)
		t.Log(mode)
		w.untilProblem(errFlood.Error())
		w.Close()
	}
}

// A server that never says a word costs a run its first wait once, and no more.
func TestMuteServer(t *testing.T) {
	server, _ := badServerOf(t, "mute")
	well, _ := badServerOf(t, "well")
	well.Name = "well"
	w := newWorld(t, "")
	w.start(well) // which may take longer than what is measured
	w.firstWait = 500 * time.Millisecond
	began := time.Now()
	if tools := w.start(server, well); len(tools) != 1 || time.Since(began) < w.firstWait || time.Since(began) > 100*w.firstWait {
		t.Errorf("%d tools after %v", len(tools), time.Since(began))
	}
	began = time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if tools := w.Tools(ctx, []Server{server, well}); len(tools) != 1 || time.Since(began) > 20*time.Second {
		t.Errorf("%d tools after %v although the run was cancelled", len(tools), time.Since(began))
	}
}

func TestHangsInACall(t *testing.T) {
	server, _ := badServerOf(t, "hangs")
	server.Timeout = 200 * time.Millisecond
	w := newWorld(t, "")
	echo := w.start(server)[0]
	for range 2 { // it answers pings, so it may stay
		if r := outputtest.Run(t, echo, `{}`); !r.Failed || !strings.Contains(r.Text, "did not answer in time") {
			t.Errorf("%+v", r)
		}
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

func TestHangsAndIsDead(t *testing.T) {
	server, _ := badServerOf(t, "hangs and is dead")
	server.Timeout = 200 * time.Millisecond
	w := newWorld(t, "")
	w.ping = 200 * time.Millisecond
	outputtest.Run(t, w.start(server)[0], `{}`)
	w.untilProblem("does not answer any more")
}

// The cancel of a run reaches the server and ends the call at once.
func TestCancel(t *testing.T) {
	_, echo, file := one(t, "hangs")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the run was cancelled")
	done := make(chan struct{})
	p := outputtest.Plan(t, echo, `{}`)
	go func() {
		defer close(done)
		began := time.Now()
		if r, err := outputtest.Allowed(ctx, p, &outputtest.Kept{}); !errors.Is(err, gone) || !r.Failed || time.Since(began) > 10*time.Second {
			t.Errorf("%+v %v", r, err)
		}
	}()
	waitForFile(t, file, "called")
	cancel(gone)
	<-done
	waitForFile(t, file, "cancelled")
}

// A server that dies in a call is started again, and the next call finds it.
func TestDiesInACall(t *testing.T) {
	w, echo, _ := one(t, "dies in a call")
	if r := outputtest.Run(t, echo, `{}`); !r.Failed || !strings.Contains(r.Text, "died before it answered") {
		t.Errorf("%+v", r)
	}
	w.until("death", func() bool { return len(w.Problems()) > 0 })
	if p := w.Problems()[0]; !strings.Contains(p.Message, "exit code 7; it said: out of luck") {
		t.Errorf("%+v", p)
	}
	if r := outputtest.Run(t, echo, `{}`); r.Failed || r.Text != "alive again" {
		t.Errorf("%+v", r)
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

// The configuration is followed between runs: what is gone is stopped, what is
// different is started anew, what is the same lives on.
func TestFollowsTheConfiguration(t *testing.T) {
	a, _ := badServerOf(t, "environment")
	a.Name = "a"
	b, _ := badServerOf(t, "well")
	b.Name = "b"
	w := newWorld(t, "")
	names := func(tools []tool.Tool) string { return strings.Join(tool.NewSet(tools...).Names(), " ") }
	if got := names(w.start(b, a)); got != "mcp__a__echo mcp__b__echo" {
		t.Fatal(got)
	}
	first := w.Ready()[0]
	link := w.all()[0].link
	if got := names(w.start(a)); got != "mcp__a__echo" || w.all()[0].link != link {
		t.Error(got)
	}
	a.Env = maps.Clone(a.Env)
	a.Env["X_NEW"] = "1"
	tools := w.start(a)
	if r := outputtest.Run(t, tools[0], `{}`); !strings.Contains(r.Text, "X_NEW=1") {
		t.Error(r.Text)
	}
	if r := outputtest.Run(t, first, `{}`); !r.Failed || !strings.Contains(r.Text, "the configuration has changed") {
		t.Errorf("%+v", r)
	}
	if got := names(w.start()); got != "" || len(w.all()) != 0 {
		t.Error(got)
	}
}
