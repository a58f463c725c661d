package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// hasChanged is a session whose call c1 has made a file.
func hasChanged(t *testing.T) (*house, *Session) {
	t.Helper()
	h := newHouse(t)
	audit, err := control.OpenAudit(h.disk, filepath.Join(t.TempDir(), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	h.deps.Audit = func(string) *control.Audit { return audit }
	s := h.session(t)
	if err := s.record("r1", history.FileChanged{CallID: "c1", Path: "a", Kind: "created", After: "1"}); err != nil {
		t.Fatal(err)
	}
	return h, s
}

// The place of the answer to an undo is taken when it has ended, and its events follow:
// a place that is taken with the first file keeps every other answer of the connection
// back until the last one. They are in the log at once, and told also where it fails.
func TestUndoTellsWhenItHasEnded(t *testing.T) {
	h, s := hasChanged(t)
	told := func() int {
		h.ears.mu.Lock()
		defer h.ears.mu.Unlock()
		return len(h.ears.events)
	}
	began, failed, placed := told(), errors.New("the end of the disk"), false
	h.deps.Undo = func(_ context.Context, _ []tool.Change, _, _ bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
		for _, path := range []string{"a", "b"} {
			before := s.Seq()
			if err := record(tool.Change{Path: path, Kind: "deleted"}); err != nil {
				return nil, nil, err
			}
			if page, err := s.Events(t.Context(), history.PageQuery{After: before}); err != nil || len(page.Events) != 1 {
				t.Errorf("the log behind %s: %v, %v", path, page.Events, err)
			}
		}
		title := "meanwhile"
		if _, err := s.Update(Update{Title: &title}); err != nil {
			t.Error(err)
		}
		if placed || told() != began {
			t.Errorf("while it is under way: the place of the answer is taken: %t, %d events are told", placed, told()-began)
		}
		return nil, nil, failed
	}
	_, err := s.Undo(t.Context(), UndoTo{CallID: "c1"}, false, false, func() {
		if placed = true; told() != began {
			t.Error("events were told before the answer")
		}
	})
	if !errors.Is(err, failed) || !placed || told() != began+3 {
		t.Errorf("%v; placed: %t, %d events are told", err, placed, told()-began)
	}
	for i, e := range h.ears.events[began:] {
		if e.Seq != int64(began+i+1) {
			t.Errorf("seq %d stands in the place of %d", e.Seq, began+i+1)
		}
	}
}

// The end of the process does not wait for an undo of thousands of files: it stops
// between two of them. What it has done by then is in the log.
func TestCloseStopsAnUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := hasChanged(t)
		h.deps.Undo = func(ctx context.Context, _ []tool.Change, _, _ bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
			<-ctx.Done()
			done := tool.Change{Path: "a", Kind: "deleted"}
			return []tool.Change{done}, nil, errors.Join(record(done), ctx.Err())
		}
		undone := make(chan error, 1)
		go func() {
			_, err := s.Undo(t.Context(), UndoTo{CallID: "c1"}, false, false, func() {})
			undone <- err
		}()
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil || time.Since(began) > 0 {
			t.Errorf("%v, after %v", err, time.Since(began))
		}
		if err := <-undone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if last := h.ears.events[len(h.ears.events)-1]; last.Type() != "file.changed" || last.Seq != s.Seq() {
			t.Errorf("the last event is %s %d of %d", last.Type(), last.Seq, s.Seq())
		}
	})
}

// A file comes back with all that moves tie it to, in whatever order they were made.
func TestPathsTiedByMoves(t *testing.T) {
	move := func(from, to string) tool.Change { return tool.Change{Kind: "moved", From: from, Path: to} }
	changes := []tool.Change{move("c", "d"), move("b", "c"), move("a", "b"), {Kind: "modified", Path: "e"}, move("e", "f"), move("d", "g")}
	for _, row := range []struct {
		paths []string
		want  int
	}{{[]string{"a"}, 4}, {[]string{"g"}, 4}, {[]string{"c"}, 4}, {[]string{"e"}, 2}, {[]string{"f", "b"}, 6}, {[]string{"x"}, -1}, {[]string{"a", ""}, -1}} {
		kept, _, err := UndoTo{Paths: row.paths}.only(slices.Clone(changes), nil)
		if (err != nil) != (row.want < 0) || err == nil && len(kept) != row.want {
			t.Errorf("%v: %v, %v", row.paths, kept, err)
		}
	}
}

// Planning an undo reads the logs of the session and of its sub-agents, which may be
// gigabytes: it ends with the request, and with the session.
func TestPlanningAnUndoEnds(t *testing.T) {
	h, s := hasChanged(t)
	h.deps.Undo = func(context.Context, []tool.Change, bool, bool, func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
		t.Error("it went on")
		return nil, nil, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Undo(ctx, UndoTo{CallID: "c1"}, false, false, func() {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, lastErr := s.LastRun(ctx)
	_, _, touchedErr := s.Touched(ctx, "")
	_, pageErr := s.Events(ctx, history.PageQuery{Types: []string{"plan.updated"}})
	for what, err := range map[string]error{"last run": lastErr, "touched": touchedErr, "events": pageErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
