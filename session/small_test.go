package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
)

func TestWithoutTrailingCommas(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,}`: `{"a":1}`, "[1,\n ]": "[1]", `{"a":",]"}`: `{"a":",]"}`, `{"a":"\",}"}`: `{"a":"\",}"}`,
		`{"a":[1,],}`: `{"a":[1]}`, `{}`: `{}`, `{"a":1,,}`: `{"a":1,}`, ``: ``, `{"a":1,`: `{"a":1,`,
	} {
		if got := withoutTrailingCommas(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	n, big := 7, int64(9)
	for name, row := range map[string]struct {
		asked *Limits
		agent control.Agent
		child bool
		turns limit
		wall  limit
	}{
		"configured":          {nil, control.Agent{}, false, configured(200), configured(0)},
		"asked":               {&Limits{MaxTurns: &n, WallMs: &big}, control.Agent{}, false, given(7), given(9)},
		"the agent's":         {nil, control.Agent{MaxTurns: 5}, false, configured(5), configured(0)},
		"the agent's, larger": {nil, control.Agent{MaxTurns: 500}, false, configured(200), configured(0)},
		"asked for an agent":  {&Limits{MaxTurns: &n}, control.Agent{MaxTurns: 5}, false, given(7), configured(0)},
		"a sub-agent's":       {nil, control.Agent{MaxTurns: 30}, true, given(30), given(600_000)},
	} {
		of := s
		if row.child {
			of = s.childAt("1")
		}
		if l := of.limitsOf(row.asked, row.agent); l.turns != row.turns || l.wall != row.wall {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestPathLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPathLocks()
		ctx := context.Background()
		first, err := l.take(ctx, []string{"b", "a", "a"})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		for _, paths := range [][]string{{"a", "c"}, {"c", "b"}, {"c"}} { // in every order: no deadlock
			all.Go(func() {
				release, err := l.take(ctx, paths)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, strings.Join(paths, ""))
				mu.Unlock()
				release()
			})
		}
		synctest.Wait()
		mu.Lock()
		if len(order) > 1 || len(order) == 1 && order[0] != "c" {
			t.Errorf("taken while held: %v", order)
		}
		mu.Unlock()
		late, cancel := context.WithCancelCause(ctx)
		refused := make(chan error, 1)
		go func() { _, err := l.take(late, []string{"0", "a"}); refused <- err }()
		synctest.Wait()
		cancel(errors.New("enough"))
		if err := <-refused; err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		first()
		all.Wait()
		if len(l.held) != 0 {
			t.Errorf("left: %v", l.held)
		}
		if _, err := l.take(late, nil); err == nil {
			t.Error("a cancelled call takes locks")
		}
	})
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		var fired atomic.Int64
		c.start(10*time.Second, func() { fired.Add(1) })
		at := func(d time.Duration, want int64, when string) {
			t.Helper()
			<-time.After(d)
			synctest.Wait()
			if n := fired.Load(); n != want {
				t.Errorf("%s: fired %d times, want %d", when, n, want)
			}
		}
		at(9*time.Second, 0, "before its time")
		c.pause()
		c.pause()
		at(time.Hour, 0, "while it stands still")
		c.resume()
		at(time.Hour, 0, "while one still asks")
		c.resume()
		at(999*time.Millisecond, 0, "with a moment left")
		at(2*time.Millisecond, 1, "when its time is up")
		c.pause()
		c.resume()
		at(time.Hour, 1, "asked after it has fired")
		c.start(time.Second, func() { fired.Add(1) })
		c.stop()
		at(time.Hour, 1, "stopped")
		c.start(time.Second, func() { fired.Add(1) })
		at(time.Hour, 1, "started after its end")
	})
}
