package main

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// mostReason bounds why a runner is not reached, in characters.
const mostReason = 400

// All implements rpc.Runners.
func (e *runners) All() []rpc.Runner {
	all := []rpc.Runner{}
	for _, r := range e.config.Settings().Runners {
		all = append(all, shownRunner(r.Name, e.stateOf(r)))
	}
	return all
}

// stateOf is how the way to a runner is: of a pool, to that of its machines that is nearest
// to being reached.
func (e *runners) stateOf(r config.Runner) (best runner.State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, at := range e.places {
		if !reflect.DeepEqual(at.Runner, r) { // another one, or configured otherwise then
			continue
		}
		if s := at.hands.State(); near(s) > near(best) || near(s) == near(best) && (s.RoundTrip < best.RoundTrip || s.Why < best.Why) {
			best = s
		}
	}
	return best
}

func near(s runner.State) int {
	switch {
	case s.Reached:
		return 3
	case s.Reaching:
		return 2
	case s.Why != "":
		return 1
	}
	return 0
}

// shownRunner is a runner as clients are told of it. What its command said is of others.
func shownRunner(name string, s runner.State) rpc.Runner {
	out := rpc.Runner{Name: name, State: rpc.RunnerNotReached, Reason: control.Title(secrets.Redact(s.Why), mostReason)}
	switch {
	case s.Reached:
		ms := s.RoundTrip.Round(1e6).Milliseconds()
		out.State, out.RoundTripMs = rpc.RunnerReached, &ms
	case s.Reaching:
		out.State = rpc.RunnerReaching
	}
	return out
}

// Changed implements rpc.Runners.
func (e *runners) Changed() <-chan struct{} { return e.news.rung() }

// bell tells any number of goroutines that something is other than it was. The zero one
// has not rung.
type bell struct {
	mu   sync.Mutex    // guards what follows; a leaf
	next chan struct{} // closed by the next ring; nil: nobody waits for it
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// rung is closed when the bell has rung again.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// tryWait bounds one try to reach a runner, whose command `up` may have to start a machine.
const tryWait = 2 * time.Minute

// tried is what there is behind a runner.
type tried struct {
	runner.State
	machine seam.Machine
	box     sandbox.Report
}

// try reaches a runner that is no pool, and asks how it is there.
func (e *runners) try(ctx context.Context, name string) (found tried, err error) {
	at, err := e.at(name, "")
	if err != nil {
		return found, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryWait)
	defer cancel()
	if err := at.hands.Reach(ctx); err != nil {
		return found, err
	}
	now := sandboxSettings(e.config)()
	return tried{at.hands.State(), at.hands.Machine(), at.hands.Look(seam.ToSee{Sandbox: &now}).Sandbox}, nil
}
