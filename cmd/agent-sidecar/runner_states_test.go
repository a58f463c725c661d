package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/schema"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// alone is a session that tools are made for.
type alone struct{}

func (alone) ID() string               { return "0001" }
func (alone) Reading() control.Reading { return control.ReadingOf(control.Facts{}) }

// quiet takes what a call says.
type quiet struct{}

func (quiet) Output(string, string)            {}
func (quiet) Spill(string) (tool.Spill, error) { return nil, errors.New("nothing is kept") }
func (quiet) CallID() string                   { return "c1" }
func (quiet) Line() string                     { return "0001" }

// What is measured is the way there and back: over one of 40 ms each question takes 80, and
// so does a call beside the work for it. Anyone who wants to know is told of each change.
func TestTheWayToARunner(t *testing.T) {
	far := &wiring{home: t.TempDir(), userHome: t.TempDir(), log: zerolog.Nop(), env: func(string) string { return "" }, disk: &durable.Disk{}, prober: sandbox.NewProber("")}
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		way, told := 40*time.Millisecond, atomic.Int64{}
		var cut io.Closer
		hands := runner.New(func(context.Context) (runner.Pipe, error) {
			if way == 0 {
				return runner.Pipe{}, errors.New("there is nobody")
			}
			pipe := along(pipeTo(far), way)
			cut = pipe.In
			return pipe, nil
		}, func() seam.Greeting {
			return seam.Greeting{Version: version, Schema: schema.Hash(), Folders: []seam.Folder{{Name: "w", Path: folder}}}
		}, func(uri string) string { return uri }, func() { told.Add(1) })
		defer hands.Close()
		is := func(want runner.State) {
			t.Helper()
			synctest.Wait()
			if got := hands.State(); got != want {
				t.Errorf("the runner is %+v, not %+v", got, want)
			}
			if told.Swap(0) == 0 {
				t.Error("nobody was told")
			}
		}
		if hands.State() != (runner.State{}) {
			t.Errorf("before anybody needs it: %+v", hands.State())
		}
		if err := hands.Reach(t.Context()); err != nil {
			t.Fatal(err)
		}
		is(runner.State{Reached: true, RoundTrip: 80 * time.Millisecond})

		var write tool.Tool
		for _, one := range hands.Tools(alone{}) {
			if one.Spec().Name == "write" {
				write = one
			}
		}
		plan, err := write.Plan(json.RawMessage(`{"path": "a.txt", "content": "x"}`))
		if err != nil {
			t.Fatal(err)
		}
		ran, err := plan.Run(t.Context(), tool.Grant{Origin: tool.Origin{Root: "0001"}}, quiet{})
		if err != nil || ran.Failed || ran.Way != 80*time.Millisecond {
			t.Errorf("a call: %v on the way; %v %s", ran.Way, err, ran.Text)
		}

		_ = cut.Close()
		synctest.Wait()
		if s := hands.State(); s.Reached || !strings.Contains(s.Why, "has ended") || told.Swap(0) == 0 {
			t.Errorf("the connection is cut: %+v", s)
		}
		way = 0
		if err := hands.Reach(t.Context()); err == nil {
			t.Error("nobody was reached")
		}
		is(runner.State{Why: "there is nobody"})
		given, giveUp := context.WithCancel(t.Context())
		giveUp()
		_ = hands.Reach(given)
		is(runner.State{})
	})
}

// The time that the work takes is told with what came of it, so that it is not taken for the way.
func TestTheWorkIsNotTheWay(t *testing.T) {
	far := &wiring{home: t.TempDir(), userHome: t.TempDir(), log: zerolog.Nop(), env: func(string) string { return "" }, environ: func() []string { return nil }, disk: &durable.Disk{}, prober: sandbox.NewProber("")}
	pipe := pipeTo(far)
	peer := seam.Connect(t.Context(), pipe.In, pipe.Out, seam.Silence, hears{})
	defer func() {
		peer.Close()
		if err := pipe.Close(); err != nil {
			t.Error(err)
		}
	}()
	hello := seam.Greeting{Version: version, Schema: schema.Hash(), Folders: []seam.Folder{{Name: "w", Path: t.TempDir()}}}
	if _, err := seam.Ask[seam.Machine](t.Context(), peer, seam.Hello, hello); err != nil {
		t.Fatal(err)
	}
	peer.Tell(seam.Session, seam.Owner{Session: "0001", Reading: control.ReadingOf(control.Facts{})})
	call := seam.ToPlan{Session: "0001", Tool: "bash", Input: `{"command": "sleep 0.05"}`}
	planned, err := seam.Ask[seam.Planned](t.Context(), peer, seam.Plan, call)
	if err != nil || planned.Error != "" {
		t.Fatal(err, planned.Error)
	}
	run := seam.ToRun{ToPlan: call, ID: planned.Plan.ID, Digest: planned.Plan.Plan.Digest, Key: "1", CallID: "c1", Line: "0001", Grant: tool.Grant{Origin: tool.Origin{Root: "0001"}}}
	ran, err := seam.Ask[seam.Ran](t.Context(), peer, seam.Run, run)
	if err != nil || ran.Result.Failed || ran.Took < 50*time.Millisecond {
		t.Errorf("it took %v: %v %s %s", ran.Took, err, ran.Error, ran.Result.Text)
	}
}

// hears takes what a worker tells.
type hears struct{}

func (hears) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, errors.New("it asks")
}
func (hears) Notification(string, json.RawMessage) {}

// A client is told what a person can read, and never a secret that a command prints.
func TestBypassTheReasonOfARunner(t *testing.T) {
	key := "sk-proj-" + strings.Repeat("a1B2c3D4", 6)
	shown := shownRunner("box", runner.State{Why: "it said: no\nroute \x1b[31m with " + key + strings.Repeat(" and so on", 100)})
	if strings.Contains(shown.Reason, key) || strings.ContainsAny(shown.Reason, "\n\x1b") || len([]rune(shown.Reason)) > mostReason || !strings.HasPrefix(shown.Reason, "it said: no") {
		t.Errorf("the reason is %q", shown.Reason)
	}
	if shown.State != rpc.RunnerNotReached || shown.RoundTripMs != nil {
		t.Errorf("%+v", shown)
	}
}
