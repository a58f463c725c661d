package search

import "testing"

// A text that overlaps itself is found where it begins first, in any case and
// where s and k stand as other letters that are equal to them.
func TestNeedle(t *testing.T) {
	for _, row := range []struct {
		text       string
		fold       bool
		hay        string
		start, end int
	}{
		{"bab", false, "bbab", 1, 4},
		{"bab", true, "bbAB", 1, 4},
		{"bab", true, "BBbAb", 2, 5},
		{"aab", false, "aaaab", 2, 5},
		{"aab", true, "AaAaB", 2, 5},
		{"x", true, "yX", 1, 2},
		{"1a", true, "1b1A", 2, 4},
		{"task", true, "TA\u017F\u212A", 0, 7},
		{"skip", true, "\u017F\u212Aip", 0, 7},
		{"skip", true, "\u017F\u212Ai", 6, 6},
		{"ab", false, "", 0, 0},
	} {
		n, ok := newNeedle(row.text, row.fold)
		if !ok {
			t.Fatal(row.text)
		}
		p := place{-1, -1, -1, -1}
		if n.seek([]byte(row.hay), 0, &p); p.start != row.start || p.start < len(row.hay) && p.end != row.end {
			t.Errorf("%q in %q: %+v", row.text, row.hay, p)
		}
	}
	for text, ok := range map[string]bool{"kiss": true, "ks": false, "größe": true, "ß": false} {
		if _, got := newNeedle(text, true); got != ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}
