package session

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// full refuses lines of session logs while it is set.
func full(h *house) *atomic.Bool {
	on := &atomic.Bool{}
	h.disk.Fail(func(op durable.Op, path string) error {
		if on.Load() && op == durable.OpAppend && strings.HasSuffix(path, "events.jsonl") {
			return syscall.ENOSPC
		}
		return nil
	})
	return on
}

// A disk that fills up during a run: the run stops readably, the notice says so
// once, memory keeps what happened, and nothing is shown that is not on disk.
// When there is room again, what waited is written first and in order.
func TestDiskFullDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, model.Done{Text: "never kept", Model: "m"}, model.Done{Text: "kept", Model: "m"})
		s := h.session(t)
		on := full(h)
		h.model.wait = make(chan struct{})
		done := make(chan Ended, 1)
		go func() {
			e, err := s.Run(context.Background(), Prompt{Request: history.Request{Prompt: history.Text("go")}})
			if err != nil {
				t.Error(err)
			}
			done <- e
		}()
		synctest.Wait()
		on.Store(true)
		close(h.model.wait)
		e := <-done
		if e.StopReason != "error" || e.Error == nil || !strings.Contains(e.Error.Message.String(), "no space left") {
			t.Errorf("%+v %+v", e, e.Error)
		}
		if s.LiveRun() != "" || stateOf(s).Unanswered() {
			t.Errorf("live %q, memory %+v", s.LiveRun(), stateOf(s).Items)
		}
		shown := h.ears.events[len(h.ears.events)-1]
		if _, started := shown.Body.(history.RunStarted); !started {
			t.Errorf("%s was shown and is not on disk", shown.Type())
		}
		notices := 0
		for _, n := range h.ears.shown {
			if v, ok := n.Data.(Notice); ok && v.Severity == "error" {
				notices++
			}
		}
		if notices != 1 {
			t.Errorf("%d notices", notices)
		}
		seq := s.Seq()
		if _, err := s.Prompt(Prompt{Request: history.Request{Prompt: history.Text("again")}}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a prompt that cannot be kept: %v", err)
		}
		title := "x"
		if _, err := s.Update(Update{Title: &title}); err == nil || s.Seq() != seq {
			t.Errorf("a change that cannot be kept: %v", err)
		}
		on.Store(false)
		if e, err := s.Run(context.Background(), Prompt{Request: history.Request{Prompt: history.Text("again")}}); err != nil || e.Text != "kept" {
			t.Errorf("%+v, %v", e, err)
		}
		live := stateOf(s)
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		again, err := h.open("0001")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(stateOf(again), live) {
			t.Errorf("the log says\n%+v\nmemory said\n%+v", stateOf(again), live)
		}
		for i, ev := range h.ears.events {
			if ev.Seq != int64(i+1) {
				t.Errorf("event %d was shown as number %d", ev.Seq, i+1)
			}
		}
		again.Close(context.Background())
	})
}

// Every boundary of a run at which the disk may refuse or the process may die
// leaves a log that opens again, with one end for the run.
func TestEveryWriteMayBeTheLast(t *testing.T) {
	for n := 1; ; n++ {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, model.Done{Calls: []model.Call{{ID: "a", Name: "compact", Arguments: "{}"}, {ID: "b", Name: "nothing", Arguments: "{}"}}, Model: "m"}, model.Done{Text: "ok", Model: "m"})
			s := h.session(t)
			left := n
			h.disk.Fail(func(op durable.Op, path string) error {
				if op != durable.OpAppend || !strings.HasSuffix(path, "events.jsonl") {
					return nil
				}
				if left--; left == 0 {
					return durable.Torn{Bytes: 17, Crash: true}
				}
				return nil
			})
			_, err := s.Run(context.Background(), Prompt{Request: history.Request{Prompt: history.Text("go")}})
			if err != nil {
				t.Fatal(err)
			}
			if left > 0 { // the run has fewer writes than that
				n = -1
				s.Close(context.Background())
				return
			}
			deps := *h.deps
			deps.Disk = &durable.Disk{}
			again, err := Open(&deps, "0001", s.dir)
			if err != nil {
				t.Fatalf("write %d: %v", n, err)
			}
			ends := 0
			again.Each(func(e history.Event) {
				if _, ok := e.Body.(history.RunEnded); ok {
					ends++
				}
			})
			started := stateOf(again).Turns
			if ends != started || stateOf(again).Run != nil || len(stateOf(again).OpenCalls) > 0 {
				t.Errorf("write %d: %d starts, %d ends, open %v", n, started, ends, stateOf(again).OpenCalls)
			}
			again.Close(context.Background())
		})
		if n < 0 {
			return
		}
	}
}

// A line that the disk refuses once, at any boundary of a run, goes in before the
// next one: the log and what is shown are in order and without a hole.
func TestARefusedLineGoesInFirst(t *testing.T) {
	for n, all := 1, false; !all; n++ {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, model.Done{Calls: []model.Call{{ID: "a", Name: "nothing", Arguments: "{}"}}, Model: "m"}, model.Done{Text: "ok", Model: "m"})
			s := h.session(t)
			writes := 0
			h.disk.Fail(func(op durable.Op, path string) error {
				if op == durable.OpAppend && strings.HasSuffix(path, "events.jsonl") {
					if writes++; writes == n {
						return syscall.ENOSPC
					}
				}
				return nil
			})
			if _, err := s.Run(context.Background(), Prompt{Request: history.Request{Prompt: history.Text("go")}}); err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
			all = writes < n
			live := stateOf(s)
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
			again, err := h.open("0001")
			if err != nil {
				t.Fatalf("write %d: %v", n, err)
			}
			if !reflect.DeepEqual(stateOf(again), live) {
				t.Errorf("write %d: the log says\n%+v\nmemory said\n%+v", n, stateOf(again), live)
			}
			for i, ev := range h.ears.events {
				if ev.Seq != int64(i+1) {
					t.Errorf("write %d: event %d was shown as number %d", n, ev.Seq, i+1)
				}
			}
			again.Close(context.Background())
		})
	}
}
