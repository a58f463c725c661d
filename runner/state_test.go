package runner

import (
	"testing"
	"time"
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
