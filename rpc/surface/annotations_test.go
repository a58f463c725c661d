package surface

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// One question is in at most 20 places, and only in files.
func TestPlacesOfAnEdit(t *testing.T) {
	for _, row := range []struct{ places, want int }{{0, 0}, {1, 1}, {19, 19}, {20, 20}, {21, 20}} {
		preview := &history.ApprovalPreview{Kind: "diff", Places: []history.Place{{URI: "untitled:x"}}}
		for i := range row.places {
			preview.Places = append(preview.Places, history.Place{URI: "file:///w/a.txt", Start: i, End: i + 1})
		}
		s, q := asked(t, history.Approval{Preview: preview})
		if got := len(s.annotations.placesOf(q)); got != row.want {
			t.Errorf("%d places: %d", row.places, got)
		}
	}
}

// What was asked before anybody knew where the person is gets a place as soon as it
// is known, and keeps it.
func TestPlaceIsKnownLater(t *testing.T) {
	s, q := asked(t, history.Approval{})
	s.annotations.add(q)
	if at := s.annotations.anchors[q.ApprovalID]; len(at) != 0 {
		t.Fatalf("it stands at %v", at)
	}
	s.annotations.lensesFor("file:///w/a.txt")
	s.annotations.seen("file:///w/b.txt", 7)
	if at := s.annotations.anchors[q.ApprovalID]; len(at) != 1 || at[0].uri != "file:///w/a.txt" || at[0].start != 0 {
		t.Errorf("it stands at %v", at)
	}
}

// Where the person is: the last position that they named, by request or by
// typing. A request for lenses names none, and counts only where there is no other.
func TestWhereThePersonIs(t *testing.T) {
	s, _ := asked(t, history.Approval{})
	is := func(uri string, line int) {
		t.Helper()
		if c := s.annotations.cursor; c.uri != uri || c.start != line {
			t.Errorf("at %s:%d, want %s:%d", c.uri, c.start, uri, line)
		}
	}
	s.annotations.lensesFor("file:///w/a.txt")
	is("file:///w/a.txt", 0)
	s.annotations.seen("file:///w/b.txt", 7)
	is("file:///w/b.txt", 7)
	s.annotations.lensesFor("file:///w/a.txt")
	is("file:///w/b.txt", 7)
	s.annotations.seen("file:///w/b.txt", -1) // the whole document was replaced
	is("file:///w/b.txt", 7)
	s.annotations.seen("file:///w/c.txt", -1)
	is("file:///w/c.txt", 0)
	s.annotations.seen("output:1", 3)
	is("file:///w/c.txt", 0)
}
