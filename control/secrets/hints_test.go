package secrets

import "testing"

// Each step leads to the longest state that the text so far ends with, as looking for
// it among all of them says.
func TestStepsBetweenHints(t *testing.T) {
	for _, hints := range [][]string{shapeHints().hints, {"a", "ab", "bab", "bc", "bca", "c", "caa"}, {"aa", "aaa", "aab"}} {
		names, _ := hintStates(hints)
		next := hintSteps(names)
		known := map[string]bool{}
		for _, name := range names {
			known[name] = true
		}
		for state, name := range names {
			for b := range 256 {
				text := name + string([]byte{byte(b)})
				for !known[text] {
					text = text[1:]
				}
				if got := names[next[state<<8|b]]; got != text {
					t.Fatalf("%q and %q: %q, want %q", name, string([]byte{byte(b)}), got, text)
				}
			}
		}
	}
}

func BenchmarkNewHintMatcher(b *testing.B) {
	for b.Loop() {
		newHintMatcher()
	}
}
