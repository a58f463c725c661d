package textedit

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/near_misses.txt
var nearMisses string

// miss is one block of testdata/near_misses.txt.
type miss struct {
	name, text, old, new string
	gives, fails         *string
}

func readMisses(t testing.TB) (all []miss) {
	t.Helper()
	for n, line := range strings.Split(nearMisses, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			all = append(all, miss{name: line})
			continue
		}
		key, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		s, err := strconv.Unquote(strings.TrimSpace(quoted))
		if err != nil || len(all) == 0 {
			t.Fatalf("line %d: %v", n+1, err)
		}
		m := &all[len(all)-1]
		switch key {
		case "text":
			m.text = s
		case "old":
			m.old = s
		case "new":
			m.new = s
		case "gives":
			m.gives = &s
		case "fails":
			m.fails = &s
		default:
			t.Fatalf("line %d: %s", n+1, key)
		}
	}
	return all
}

func TestNearMisses(t *testing.T) {
	all := readMisses(t)
	classes := map[string]int{}
	for _, m := range all {
		class, _, _ := strings.Cut(m.name, ":")
		classes[class]++
		t.Run(m.name, func(t *testing.T) {
			got, err := Substitute(m.text, m.old, m.new, false)
			switch {
			case (m.gives == nil) == (m.fails == nil):
				t.Fatal("a block gives or fails")
			case m.fails != nil && (err == nil || !strings.Contains(err.Error(), *m.fails)):
				t.Fatalf("gives %q, %v; should fail with %q", got, err, *m.fails)
			case m.gives != nil && (err != nil || got != *m.gives):
				t.Fatalf("gives %q, %v; should give %q", got, err, *m.gives)
			}
			holds(t, m.text, m.old, m.new)
		})
	}
	if len(all) < 100 {
		t.Errorf("%d near misses, at least 100", len(all))
	}
	t.Log(len(all), classes)
}

// holds checks the laws of every edit that is made: there is one place on the first
// rung that has any, and all that is outside of it stays byte for byte, but for a
// final line end that is put back.
func holds(t *testing.T, text, old, new string) {
	t.Helper()
	got, err := Substitute(text, old, new, false)
	if err != nil {
		return
	}
	m, err := locate(text, old, new, false)
	if err != nil || len(m.spans) != 1 {
		t.Fatalf("%q, %q: %d places, %v", text, old, len(m.spans), err)
	}
	s := m.spans[0]
	if s.start < 0 || s.end > len(text) || s.start >= s.end {
		t.Fatalf("%q, %q: a place from %d to %d", text, old, s.start, s.end)
	}
	before, after := text[:s.start], text[s.end:]
	rest, ok := strings.CutPrefix(got, before)
	if !ok || !strings.HasSuffix(rest, after) {
		t.Fatalf("%q, %q → %q: %q, and %q stays before and %q behind", text, old, new, got, before, after)
	}
	// What stands in the place is old, in all that this rung does not forgive.
	place := text[s.start:s.end]
	if !sameButForgiven(m.strategy, place, m.old) {
		t.Fatalf("%q, %q: %q stands in the place", text, old, place)
	}
}

// sameButForgiven compares a place with the old text in another way than the ladder
// does: by what is left of both when all blanks at the rims and typography are gone.
func sameButForgiven(r strategy, place, old string) bool {
	if r.how == (normalization{}) {
		return place == old
	}
	bare := func(s string) string {
		var b strings.Builder
		for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n") {
			if r.how.blanks {
				line = strings.TrimRight(line, " \t")
			}
			if r.lines {
				line = strings.TrimLeft(line, " \t")
			}
			for _, c := range line {
				if mark, ok := marks[c]; ok && r.how.marks {
					b.WriteString(mark)
				} else {
					b.WriteRune(c)
				}
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	if a, b := bare(place), bare(old); a != b && strings.TrimRight(a, " \t\n") != strings.TrimRight(b, " \t\n") {
		return false
	}
	return true
}
