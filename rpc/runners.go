package rpc

import (
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Runners are the machines beside this one that sessions can work on.
type Runners interface {
	// All are those that are configured, in their order, as they are now.
	All() []Runner
	// Changed is closed when one of them is other than it was.
	Changed() <-chan struct{}
}

// Runner is a machine beside this one, and how the way to it is now.
type Runner struct {
	Name  string      `json:"name"`
	State RunnerState `json:"state"`
	// Reason is why nobody is reached: the last words of the last try. "" where nobody has
	// tried, or needs it any more.
	Reason string `json:"reason,omitempty"`
	// RoundTripMs is how long one question takes beside the work for it; nil unless it is
	// reached.
	RoundTripMs *int64 `json:"roundTripMs,omitempty"`
}

// RunnerState says whether a runner is reached.
type RunnerState string

// The states of a runner.
const (
	RunnerReached    RunnerState = "reached"
	RunnerReaching   RunnerState = "reaching"
	RunnerNotReached RunnerState = "not_reached"
)

const runnerChangedType = "runner.changed"

// runnerWatch tells the client how runners are when that changes.
type runnerWatch struct {
	*link
	all   Runners
	known []Runner // as the client was told last
}

// follow tells of every change from changed on, until the client is about to leave.
func (s *runnerWatch) follow(changed <-chan struct{}) func() {
	return func() {
		for {
			select {
			case <-s.leaving.Done():
				return
			case <-changed:
				changed = s.all.Changed()
				s.tell()
			}
		}
	}
}

func (s *runnerWatch) tell() {
	now := s.all.All()
	for i, r := range now {
		if !s.isNews(r) {
			now[i] = s.before(r)
			continue
		}
		raw, err := wire.EncodeJSON(r)
		if err == nil {
			raw, err = wire.EncodeJSON(history.WireEvent{Time: history.Stamp(time.Now()), Type: runnerChangedType, Data: raw})
		}
		if err != nil {
			s.Report("tell of a runner", err)
			continue
		}
		s.Latest("", "runner "+r.Name, wire.EventMethod, raw)
	}
	s.known = now
}

// before is a runner as the client was told of it, which one that nobody has reached for
// need not be.
func (s *runnerWatch) before(r Runner) Runner {
	if i := slices.IndexFunc(s.known, func(k Runner) bool { return k.Name == r.Name }); i >= 0 {
		return s.known[i]
	}
	return Runner{Name: r.Name, State: RunnerNotReached}
}

// isNews says that a runner is worth a word: its state is another one, or the way there
// has become longer or shorter than what noise makes of it.
func (s *runnerWatch) isNews(r Runner) bool {
	was := s.before(r)
	if r.State != was.State || r.Reason != was.Reason {
		return true
	}
	if r.RoundTripMs == nil || was.RoundTripMs == nil {
		return r.RoundTripMs != was.RoundTripMs
	}
	moved := max(*r.RoundTripMs-*was.RoundTripMs, *was.RoundTripMs-*r.RoundTripMs)
	return moved >= 5 && 4*moved >= *was.RoundTripMs
}
