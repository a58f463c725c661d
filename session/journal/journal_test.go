package journal

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// watcher is an owner that remembers what it was told.
type watcher struct {
	published []int64
	failed    []error
}

func (*watcher) Redacted(body history.Body) history.Body { return body }
func (*watcher) After() int64                            { return 0 }
func (w *watcher) Published(e history.Event)             { w.published = append(w.published, e.Seq) }
func (w *watcher) Failed(_ string, _ int64, err error)   { w.failed = append(w.failed, err) }

func opened(t *testing.T) (*Journal, *watcher, *durable.Disk) {
	t.Helper()
	w, disk := &watcher{}, &durable.Disk{}
	j := New("0001", w)
	if err := j.Create(disk, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		x := j.Begin()
		defer x.End()
		_ = x.Close()
	})
	if err := j.Append("", history.Opened{Version: history.Version}); err != nil {
		t.Fatal(err)
	}
	return j, w, disk
}

func notice(title string) history.Body { return history.Changed{Title: &title} }

// Where the log refuses a line, what was recorded stays in memory and is written and
// published, in order, as soon as the log takes lines again; what was only tried is not there.
func TestRefusedLines(t *testing.T) {
	j, w, disk := opened(t)
	no := errors.New("no space left on device")
	disk.Fail(func(op durable.Op, _ string) error {
		if op == durable.OpAppend {
			return no
		}
		return nil
	})
	if err := j.Append("", notice("kept")); !errors.Is(err, no) {
		t.Errorf("recorded: %v", err)
	}
	x := j.Begin()
	if err := x.TryAppend("", notice("tried")); !errors.Is(err, no) || x.State.Info.Title != "kept" || x.State.Seq != 2 {
		t.Errorf("tried: %v, memory %q at %d", err, x.State.Info.Title, x.State.Seq)
	}
	x.End()
	if !slices.Equal(w.published, []int64{1}) || len(w.failed) != 1 {
		t.Errorf("published %v, told of %v", w.published, w.failed)
	}
	disk.Fail(nil)
	if err := j.Append("", notice("next")); err != nil || !slices.Equal(w.published, []int64{1, 2, 3}) {
		t.Errorf("next: %v, published %v", err, w.published)
	}
}

// Between Hold and Release events are recorded, and nobody is told.
func TestHold(t *testing.T) {
	j, w, _ := opened(t)
	x := j.Begin()
	x.Hold()
	if err := x.Append("", notice("a")); err != nil || x.Published() != 1 || x.State.Seq != 2 {
		t.Errorf("%v, published up to %d of %d", err, x.Published(), x.State.Seq)
	}
	if !slices.Equal(w.published, []int64{1}) {
		t.Errorf("published %v while held", w.published)
	}
	x.Release()
	if x.End(); !slices.Equal(w.published, []int64{1, 2}) {
		t.Errorf("published %v", w.published)
	}
}

// A transaction that has ended cannot be used: what it did then would not be under the lock.
func TestEndedTransaction(t *testing.T) {
	j, _, _ := opened(t)
	x := j.Begin()
	x.End()
	defer func() {
		if recover() == nil {
			t.Error("an ended transaction took a line")
		}
	}()
	_ = x.Append("", notice("late"))
}

// Who waits for an event is let go by the next one, and by the end.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, _, _ := opened(t)
		came := make(chan bool)
		for _, step := range []struct {
			after int64
			do    func(*Txn)
			want  bool
		}{
			{1, func(x *Txn) { _ = x.Append("", notice("a")) }, true},
			{2, func(x *Txn) { _ = x.Close() }, false},
		} {
			go func() { came <- j.Await(t.Context(), step.after) }()
			synctest.Wait()
			x := j.Begin()
			step.do(x)
			x.End()
			if got := <-came; got != step.want {
				t.Errorf("after %d: %v", step.after, got)
			}
		}
	})
}
