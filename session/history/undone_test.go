package history

import (
	"strings"
	"testing"
)

// The model is told of what undos have changed since its last answer, and of nothing
// that is what it knows: who takes an undo back has undone nothing.
func TestUndone(t *testing.T) {
	modified := func(path, before, after string) FileChanged {
		return FileChanged{Path: path, Kind: "modified", Before: before, After: after}
	}
	created := func(path, after string) FileChanged { return FileChanged{Path: path, Kind: "created", After: after} }
	deleted := func(path, before string) FileChanged { return FileChanged{Path: path, Kind: "deleted", Before: before} }
	moved := func(from, path, hash string) FileChanged {
		return FileChanged{Path: path, From: from, Kind: "moved", Before: hash, After: hash}
	}
	for name, row := range map[string]struct {
		undos []FileChanged
		want  string
	}{
		"undone":                    {[]FileChanged{modified("a", "2", "1"), deleted("b", "3")}, "a b"},
		"taken back":                {[]FileChanged{modified("a", "2", "1"), deleted("b", "3"), modified("a", "1", "2"), created("b", "3")}, ""},
		"half taken back":           {[]FileChanged{modified("a", "2", "1"), deleted("b", "3"), modified("a", "1", "2")}, "b"},
		"further back":              {[]FileChanged{modified("a", "3", "2"), modified("a", "2", "1")}, "a"},
		"further back and half way": {[]FileChanged{modified("a", "3", "1"), modified("a", "1", "2")}, "a"},
		"and undone again":          {[]FileChanged{modified("a", "2", "1"), modified("a", "1", "2"), modified("a", "2", "1")}, "a"},
		"moved":                     {[]FileChanged{moved("b", "a", "1")}, "a"},
		"moved, taken back":         {[]FileChanged{moved("b", "a", "1"), moved("a", "b", "1")}, ""},
		"moved, another made":       {[]FileChanged{moved("b", "a", "1"), created("b", "2")}, "a b"},
		"a directory":               {[]FileChanged{created("d", ""), created("d/f", "1")}, "d d/f"},
		"a directory, taken back":   {[]FileChanged{created("d", ""), created("d/f", "1"), deleted("d/f", "1"), deleted("d", "")}, ""},
		"a mode":                    {[]FileChanged{modified("a", "1", "1")}, "a"},
		"a mode, perhaps back":      {[]FileChanged{modified("a", "1", "1"), modified("a", "1", "1")}, "a"},
		"a mode and a text":         {[]FileChanged{modified("a", "2", "1"), modified("a", "1", "1"), modified("a", "1", "2")}, "a"},
	} {
		tr := NewTranscript()
		for i, c := range row.undos {
			c.CallID = UndoName + "1"
			if err := tr.Apply(Event{Seq: int64(i + 1), Body: c}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(tr.Undone, " "); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		if err := tr.Apply(Event{Seq: tr.Seq + 1, Run: "r", Body: AssistantMessage{}}); err != nil || len(tr.Undone) > 0 {
			t.Errorf("%s: told again: %v %v", name, tr.Undone, err)
		}
	}
	// What the model has seen of an undo is what it knows from then on.
	tr := NewTranscript()
	for i, b := range []Body{modified("a", "2", "1"), AssistantMessage{}, modified("a", "1", "2")} {
		e := Event{Seq: int64(i + 1), Body: b}
		if c, ok := b.(FileChanged); ok {
			c.CallID = UndoName + "1"
			e.Body = c
		} else {
			e.Run = "r"
		}
		if err := tr.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(tr.Undone, " "); got != "a" {
		t.Errorf("taken back after the model was told: %q", got)
	}
}
