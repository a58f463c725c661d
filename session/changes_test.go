package session

import (
	"errors"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A command that changed more than it was seen to leaves one line for the rest, which
// is no file.
func TestTouchedIsIncomplete(t *testing.T) {
	s := newHouse(t).session(t)
	for _, path := range []string{"a", moreChanged} {
		if err := s.journal.Append("", history.FileChanged{CallID: "c1", Path: path, Kind: "modified"}); err != nil {
			t.Fatal(err)
		}
	}
	files, incomplete, err := s.Touched(t.Context(), "")
	if err != nil || !incomplete || len(files) != 1 || files[0].Path != "a" {
		t.Errorf("%+v, incomplete %v, %v", files, incomplete, err)
	}
	if _, _, err := s.Touched(t.Context(), "r9"); !errors.As(err, new(*InvalidError)) {
		t.Error(err)
	}
	if _, _, _, err := s.Checkpoint(t.Context(), ""); !errors.Is(err, ErrNoCheckpoint) {
		t.Error(err)
	}
}

// What a command changed beyond what is named one by one is read from its list, in the
// place of the one change that stands for it. Without the list that one stays.
func TestListOfChangesIsRead(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	for _, f := range []history.FileChanged{
		{CallID: "c1", Path: "a", Kind: "modified"}, {CallID: "c1", Path: moreChanged, Kind: "modified", Checkpoint: "list"}, {CallID: "c2", Path: "c", Kind: "created"},
	} {
		if err := s.journal.Append("", f); err != nil {
			t.Fatal(err)
		}
	}
	var gone error
	h.around.moreChanges = func(checkpoint string) ([]tool.Change, error) {
		return []tool.Change{{Path: "b", Kind: "deleted", Checkpoint: checkpoint + " b"}, {Path: "d", Kind: "created", With: []string{"0001/c9"}}}, gone
	}
	for _, row := range []struct {
		gone       error
		paths      string
		incomplete bool
	}{{nil, "a b d c ", false}, {errors.New("swept"), "a c ", true}} {
		gone = row.gone
		files, incomplete, err := s.Touched(t.Context(), "")
		paths := ""
		for _, f := range files {
			paths += f.Path + " "
			if f.Path == "b" && (f.First.Checkpoint != "list b" || f.First.CallID != "c1") || f.Path == "d" && f.First.With[0] != "0001/c9" {
				t.Errorf("%+v", f)
			}
		}
		if err != nil || paths != row.paths || incomplete != row.incomplete {
			t.Errorf("%v: %s, incomplete %v, %v", row.gone, paths, incomplete, err)
		}
	}
}

// Bypass: a bundle, or the session that a fork comes from, names what another session has
// kept as the list of its changes.
func TestBypassListOfAnotherSession(t *testing.T) {
	list := &history.FileChanged{Path: moreChanged, Checkpoint: "list"}
	for own, want := range map[bool]bool{true: true, false: false} {
		if got := hasList(history.Deed{File: list, Own: own}); got != want {
			t.Errorf("its own %v: read %v", own, got)
		}
	}
}
