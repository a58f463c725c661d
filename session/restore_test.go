package session

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A restore is done as a whole, or the undo that it began is undone. Where that cannot be
// done any more it is said, with the name that takes the rest back.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	noFork := errors.New("no room for a fork")
	conflict := []tool.Conflict{{Path: "b", Reason: tool.ChangedSince}}
	for name, row := range map[string]struct {
		refuse   bool // by whoever sees what would be done
		then     error
		conflict [4][]tool.Conflict // of the look, of the undo, of the undo of that, of one more
		undos    []string           // the names of what was really done
		err      error
		stranded bool
	}{
		"done":                           {undos: []string{"undo#1"}},
		"refused":                        {refuse: true},
		"a conflict that was known":      {conflict: [4][]tool.Conflict{conflict, conflict}, undos: []string{"undo#1"}},
		"a file changed behind the look": {conflict: [4][]tool.Conflict{nil, conflict}, undos: []string{"undo#1", "undo#2"}, err: errMoved},
		"the other half fails":           {then: noFork, undos: []string{"undo#1", "undo#2"}, err: noFork},
		"and what came back has changed": {then: noFork, conflict: [4][]tool.Conflict{nil, nil, conflict}, undos: []string{"undo#1", "undo#2"}, err: noFork, stranded: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := hasChanged(t)
			var undos []string
			var calls int
			h.around.undo = func(_ context.Context, changes []tool.Change, _, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
				left := row.conflict[calls]
				calls++
				did := tool.Change{Path: "a", Kind: "deleted", Before: "1"}
				if dryRun {
					return []tool.Change{did}, left, nil
				}
				undos = append(undos, s.undoing)
				return []tool.Change{did}, left, record(did)
			}
			var thens int
			seq := int64(1)
			_, done, err := s.Restore(t.Context(), Restoring{
				To:     UndoTo{Seq: &seq},
				Accept: func(Undone) bool { return !row.refuse },
				Then:   func() error { thens++; return row.then },
			}, func() {})
			_, stranded := errors.AsType[*StrandedError](err)
			if !errors.Is(err, row.err) || stranded != row.stranded || done != (err == nil && !row.refuse) || !slices.Equal(undos, row.undos) {
				t.Errorf("done %t, %v (stranded: %t), undone %v", done, err, stranded, undos)
			}
			if runs := !row.refuse && row.err != errMoved; runs != (thens == 1) {
				t.Errorf("the other half was done %d times", thens)
			}
			if _, err := s.Undo(t.Context(), UndoTo{CallID: "c1"}, false, true, func() {}); err != nil {
				t.Errorf("the session is still held: %v", err)
			}
		})
	}
}
