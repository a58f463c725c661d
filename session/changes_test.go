package session

import (
	"errors"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A command that changed more than it was seen to leaves one line for the rest, which
// is no file.
func TestTouchedIsIncomplete(t *testing.T) {
	s := newHouse(t).session(t)
	for _, path := range []string{"a", moreChanged} {
		if err := s.record("", history.FileChanged{CallID: "c1", Path: path, Kind: "modified"}); err != nil {
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
