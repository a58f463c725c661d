package rpc

import "testing"

// A runner is worth a word when its state is another one, or the way to it really is.
func TestNewsOfARunner(t *testing.T) {
	at := func(ms int64) Runner { return Runner{Name: "box", State: RunnerReached, RoundTripMs: &ms} }
	gone := Runner{Name: "box", State: RunnerNotReached, Reason: "it said: no"}
	for _, row := range []struct {
		known []Runner
		now   Runner
		news  bool
	}{
		{nil, Runner{Name: "box", State: RunnerNotReached}, false},
		{nil, at(80), true},
		{[]Runner{at(80)}, at(80), false},
		{[]Runner{at(80)}, at(95), false},
		{[]Runner{at(80)}, at(100), true},
		{[]Runner{at(80)}, at(60), true},
		{[]Runner{at(0)}, at(4), false},
		{[]Runner{at(80)}, gone, true},
		{[]Runner{gone}, gone, false},
		{[]Runner{gone}, Runner{Name: "box", State: RunnerNotReached}, true},
	} {
		w := &runnerWatch{known: row.known}
		if got := w.isNews(row.now); got != row.news {
			t.Errorf("%+v after %+v: news %v", row.now, row.known, got)
		}
	}
}
