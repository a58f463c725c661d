package model

import (
	"strings"
	"testing"
)

// TestThoughts: what a text begins with in tags is thought, wherever the pieces of a stream
// end; anything else stays as it came.
func TestThoughts(t *testing.T) {
	for _, row := range []struct{ text, thought, said string }{
		{"Hello <think>no</think>", "", "Hello <think>no</think>"},
		{"<think>a</think>b", "a", "b"},
		{"\n <think>\na\n</think>\n\n b\n", "a", "b\n"},
		{"<thinking>a</thinking>b", "a", "b"},
		{"<think>a </thinking> b</think>c", "a </thinking> b", "c"},
		{"<think>\n\n</think>\n\nb", "", "b"},
		{"<think>a</think>\n<think>b</think>c", "ab", "c"},
		{"<think>a</think>", "a", ""},
		{"<think>a, and", "a, and", ""},
		{"<think>a</thin", "a</thin", ""},
		{"<think>a</think>  ", "a", ""},
		{"<thin", "", "<thin"},
		{"<thinner>", "", "<thinner>"},
		{"a</think>b", "", "a</think>b"},
		{"  a", "", "  a"},
		{" \n", "", " \n"},
		{"<think>1 < 2 </ 3</think>é", "1 < 2 </ 3", "é"},
	} {
		for size := 1; size <= len(row.text); size++ {
			var split thoughts
			thought, said := "", ""
			add := func(a, b string) { thought, said = thought+a, said+b }
			for rest := row.text; rest != ""; {
				n := min(size, len(rest))
				add(split.next(rest[:n]))
				rest = rest[n:]
			}
			add(split.rest())
			if thought != row.thought || said != row.said {
				t.Errorf("%q in pieces of %d: thought %q, said %q", row.text, size, thought, said)
			}
		}
	}
}

// A text of nothing but blanks does not wait for ever: each piece of it would cost as much
// as all before it.
func TestBlanksAreNotHeld(t *testing.T) {
	blank := strings.Repeat(" ", 1<<10)
	for _, begin := range []string{"", "<think>a"} {
		var split thoughts
		split.next(begin)
		for range 100 {
			split.next(blank)
			if len(split.held) > maxHeld {
				t.Fatalf("behind %q, %d bytes wait", begin, len(split.held))
			}
		}
	}
}
