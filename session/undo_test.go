package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// hasChanged is a session whose call c1 has made a file.
func hasChanged(t *testing.T) (*house, *Session) {
	t.Helper()
	h := newHouse(t)
	log, err := audit.Open(h.disk, filepath.Join(t.TempDir(), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	h.around.audit = log
	s := h.session(t)
	if err := s.journal.Append("r1", history.FileChanged{CallID: "c1", Path: "a", Kind: "created", After: "1"}); err != nil {
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
	h.around.undo = func(_ context.Context, _ []tool.Change, _, _ bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
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
		h.around.undo = func(ctx context.Context, _ []tool.Change, _, _ bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
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
	h.around.undo = func(context.Context, []tool.Change, bool, bool, func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
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

// After a kill only what can change files is named, and what is no tool any more.
func TestUndoNamesWhatAKillLost(t *testing.T) {
	h := newHouse(t)
	h.around.tools = func(ToolOwner, string) []tool.Tool {
		var all []tool.Tool
		for name, effect := range map[string]tool.Effect{"read": tool.Read, "web_fetch": tool.Net, "bash": tool.Exec, "edit": tool.Write, "mine": tool.Unknown} {
			all = append(all, tool.Define(tool.Spec{Name: name, Effect: effect}, func(struct{}) (*tool.Plan, error) { return nil, errors.New("none") }))
		}
		return all
	}
	s := h.session(t)
	for name, want := range map[string]bool{"read": false, "web_fetch": false, "mcp__x__y": false, "task": false, "bash": true, "edit": true, "mine": true, "gone": true} {
		lost := []history.Deed{{Call: "c1"}, {Call: "c1", Lost: name, Own: true}, {Call: "c2", Lost: name, Own: true}}
		_, conflicts, err := UndoTo{CallID: "c1"}.pick("s", lost, 1, s.mayChangeFiles)
		if err != nil || (len(conflicts) == 1) != want || len(conflicts) > 1 {
			t.Errorf("%s: %v, %v", name, conflicts, err)
		}
	}
}

// A command that merely ran beside another does not keep an undo of that one from
// bringing files back; one that has changed the same file does, and is named, unless
// the person names the file and nothing that came later would be lost.
func TestUndoBesideAnotherCommand(t *testing.T) {
	did := func(call, path string, with ...string) history.Deed {
		return history.Deed{Call: call, Own: true, File: &history.FileChanged{CallID: call, Path: path, With: with}}
	}
	deeds := []history.Deed{
		{Call: "job", Own: true}, did("job", "wrote"),
		{Call: "one", Own: true}, {Call: "two", Own: true},
		did("one", "idle", "s/job"), did("one", "wrote", "s/job", "s2/x"), did("one", "both", "s/two"), did("one", "own", "s/two"), did("two", "both"),
	}
	moved := did("two", "to", "s/job")
	moved.File.From = "wrote"
	deeds = append(deeds, moved)
	for _, row := range []struct {
		from, paths, held string
	}{
		{"job", "", ""},
		{"one", "", "wrote by s/job, to by s/job"},
		{"one", "wrote", ""},
		{"one", "to idle", ""},
		{"two", "", "wrote by s/job, both by s/one, own by s/one, to by s/job"},
		{"two", "both own to", "both by s/one, own by s/one"},
	} {
		to := UndoTo{CallID: row.from}
		if row.paths != "" {
			to.Paths = strings.Fields(row.paths)
		}
		changes, _, err := to.pick("s", deeds, 1, nil)
		var held []string
		for _, c := range changes {
			if c.Held != "" {
				held = append(held, c.Path+" by "+strings.Join(c.With, " "))
			} else if len(c.With) > 0 {
				t.Errorf("%s with %v", c.Path, c.With)
			}
		}
		if got := strings.Join(held, ", "); err != nil || got != row.held {
			t.Errorf("from %s, paths %q: %q, want %q: %v", row.from, row.paths, got, row.held, err)
		}
	}
	// Where what is undone begins within a call, an idle job is nobody to wait for.
	seq := int64(3)
	for i := range deeds {
		deeds[i].Seq = int64(i)
	}
	changes, _, err := UndoTo{Seq: &seq}.pick("s", deeds[:5], 9, nil)
	if err != nil || len(changes) != 1 || changes[0].Held != "" {
		t.Error(changes, err)
	}
}
