package history

import (
	"fmt"
	"strings"
	"testing"
)

func TestTouchedBy(t *testing.T) {
	change := func(call, kind, path, from string) Deed {
		return Deed{Call: call, Own: true, File: &FileChanged{CallID: call, Kind: kind, Path: path, From: from, Before: "before " + call}}
	}
	begin := func(run string) Deed { return Deed{Run: run, Own: true} }
	deeds := []Deed{
		{Call: "c0", File: &FileChanged{Kind: "modified", Path: "copied"}}, // a fork began with it
		begin("r1"),
		change("c1", "modified", "a", ""),
		change("c2", "created", "b", ""),
		change("c3", "moved", "d", "c"),
		change("c4", "modified", "a", ""),
		change("undo#1", "deleted", "b", ""),
		begin("r2"),
		change("c5", "modified", "d", ""),
		change("c6", "moved", "e", "a"),
		change("c7", "deleted", "x", ""),
		change("c8", "moved", "x", "y"),
		change("undo#2", "moved", "c", "d"),
	}
	for run, want := range map[string]string{
		"":   "a→e [c1 c4 c6] before c1; b [c2] made; c [c3 c5] before c3; x [c7] before c7; y [c8] before c8",
		"r1": "a→e [c1 c4] before c1; b [c2] made; c [c3] before c3",
		"r2": "d→c [c5] before c5; a→e [c6] before c6; x [c7] before c7; y [c8] before c8",
		"r3": "",
	} {
		var got []string
		for _, row := range TouchedBy(deeds, run) {
			line := row.Path
			if row.From != "" {
				line = row.From + "→" + row.Path
			}
			line += fmt.Sprintf(" %v ", row.Calls)
			if row.Made() {
				line += "made"
			} else {
				line += row.First.Before
			}
			got = append(got, line)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%q:\n got %s\nwant %s", run, s, want)
		}
	}
}
