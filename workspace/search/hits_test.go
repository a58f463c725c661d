package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever the order in which files come, the answer has the first by directory and
// name, up to the limit, and counts all.
func TestHits(t *testing.T) {
	files := map[string]string{"b": "hit\nx\nhit\n", "a/z": "x\nhit\x00\n", "a/b": "hit\n", "none": "x\n"}
	for _, row := range []struct {
		mode           Mode
		context, limit int
		want           string
	}{
		{Content, 0, 9, "<w/b>\n  1: hit\n  3: hit\n<w/a/b>\n  1: hit\n<w/a/z>\n  2: hit␀\n(4 matching lines in 3 files; note)"},
		{Content, 1, 9, "<w/b>\n  1: hit\n  2- x\n  3: hit\n<w/a/b>\n  1: hit\n<w/a/z>\n  1- x\n  2: hit␀\n(4 matching lines in 3 files; note)"},
		{Content, 0, 3, "<w/b>\n  1: hit\n  3: hit\n<w/a/b>\n  1: hit\n(the first 3 of 4 matching lines in 3 files; note)"},
		{Files, 0, 2, "<w/b>\n<w/a/b>\n(the first 2 of 3 files; note)"},
		{Count, 0, 9, "<w/b>: 2\n<w/a/b>: 1\n<w/a/z>: 1\n(4 matching lines in 3 files; note)"},
	} {
		m, err := NewMatcher("hit", false, false)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"a/b", "a/z", "b", "none"}
		for range len(names) {
			names = append(names[1:], names[0])
			h := NewHits(Query{Matcher: m, Mode: row.mode, Context: row.context, Limit: row.limit}, func(rel string) string { return "w/" + rel }, nil)
			for _, name := range names {
				h.Search(context.Background(), name, []byte(files[name]))
			}
			if got, _ := h.Text(func(name string) string { return "<" + name + ">" }, []string{"note"}); got != row.want {
				t.Errorf("%s, %d, %d, from %v:\n%s", row.mode, row.context, row.limit, names, got)
			}
		}
	}
}

// The newest are kept, of equals the first by name, and all are counted.
func TestNewest(t *testing.T) {
	n := KeepNewest(3)
	for i := range 100 {
		n.Add(fmt.Sprintf("f%02d", (i*37)%100), time.Unix(int64((i*37)%100/2), 0))
	}
	if files, all := n.Files(); all != 100 || !slices.Equal(files, strings.Fields("f98 f99 f96")) {
		t.Error(files, all)
	}
}
