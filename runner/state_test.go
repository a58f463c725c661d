package runner

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// How long the way is follows the newest answers, but not one of them alone, and nothing
// follows from an answer that comes when the connection has ended.
func TestTheWayIsAMeanThatMoves(t *testing.T) {
	var told int
	c := condition{changed: func() { told++ }}
	c.answered(time.Second)
	if told != 0 || c.State() != (State{}) {
		t.Errorf("without a connection: %+v, told %d times", c.State(), told)
	}
	c.become(State{Reached: true, RoundTrip: 80 * time.Millisecond})
	for _, want := range []time.Duration{100, 115} {
		c.answered(160 * time.Millisecond)
		if got := c.State().RoundTrip; got != want*time.Millisecond {
			t.Errorf("%v, not %v ms", got, want)
		}
	}
	c.answered(115 * time.Millisecond)
	if told != 3 {
		t.Errorf("told %d times", told)
	}
}

// slowWorker is the far side of a connection whose every run takes a second of work.
type slowWorker struct{}

func (slowWorker) Request(_ context.Context, method string, _ json.RawMessage) (any, error) {
	switch method {
	case seam.Hello:
		return seam.Machine{Tools: []tool.Spec{{Name: "bash"}}}, nil
	case seam.Plan:
		return seam.Planned{Plan: &seam.PlanData{ID: 1, Plan: seam.Call{Tool: "bash", Digest: "d"}}}, nil
	}
	if method == seam.JobEnd {
		<-time.After(time.Minute)
		return true, nil
	}
	<-time.After(time.Second)
	return seam.Ran{Took: time.Second}, nil
}

func (slowWorker) Notification(string, json.RawMessage) {}

type owner struct{}

func (owner) ID() string               { return "0001" }
func (owner) Reading() control.Reading { return control.ReadingOf(control.Facts{}) }

type sink struct{}

func (sink) Output(string, string)            {}
func (sink) Spill(string) (tool.Spill, error) { return nil, nil }
func (sink) CallID() string                   { return "c1" }
func (sink) Line() string                     { return "0001" }

// slow is a worker that is slow.
func slow(t *testing.T) *Hands {
	hands := New(func(context.Context) (Pipe, error) {
		in, farOut := io.Pipe()
		farIn, out := io.Pipe()
		far := seam.Connect(context.Background(), farIn, farOut, seam.Silence, slowWorker{})
		return Pipe{In: in, Out: out, Close: func() error {
			far.Close()
			return nil
		}}, nil
	}, func() seam.Greeting { return seam.Greeting{} }, func(uri string) string { return uri }, nil)
	if err := hands.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	return hands
}

// Leaving a machine does not wait for one that does not answer.
func TestEndJobsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hands := slow(t)
		defer hands.Close()
		began := time.Now()
		if hands.EndJobs("0001"); time.Since(began) != endWait {
			t.Errorf("took %v", time.Since(began))
		}
	})
}

// What the worker has worked is no part of the way.
func TestTheWayIsWithoutTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hands := slow(t)
		defer hands.Close()
		plan, err := hands.Tools(owner{})[0].Plan(json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ran, err := plan.Run(t.Context(), tool.Grant{}, sink{})
		if err != nil || ran.Way != 0 || time.Since(began) != time.Second {
			t.Errorf("%v on the way of %v: %v", ran.Way, time.Since(began), err)
		}
	})
}
