package workspace

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// applied makes edits as an editor does: all places are those of the text before.
func applied(text string, edits []tool.TextEdit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start] + e.Text)
		at = e.End
	}
	return b.String() + text[at:]
}

func TestPieces(t *testing.T) {
	for _, row := range []struct{ from, to, want string }{
		{"", "a\n", `0-0 "a\n"`},
		{"a\n", "", `0-2 ""`},
		{"one two three\n", "one 2 three\n", `4-7 "2"`},
		{"a\nb\nc\n", "a\nB\nc\n", `2-3 "B"`},
		{"a\nb\nc\nd\n", "A\nb\nc\nD\n", `0-1 "A", 6-7 "D"`},
		{"a\nc\n", "a\nb\nc\n", `2-2 "b\n"`},
		{"a\nb\nc\n", "a\nc\n", `2-4 ""`},
		{"a", "a\n", `1-1 "\n"`},
		{"a\n", "a", `1-2 ""`},
		{"x😀y\n", "x😁y\n", `1-5 "😁"`},          // differ in the last of four bytes
		{"xäy\n", "xöy\n", `1-3 "ö"`},          // differ in the second of two
		{"é\n", "ä\n", `0-2 "ä"`},              // alike in the first
		{"a\r\nb\r\n", "a\nb\r\n", `1-3 "\n"`}, // never between \r and \n
		{"a\n", "a\r\n", `1-2 "\r\n"`},
		{"a\r\n", "a\r", `1-3 "\r"`},
		{"a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", `3-4 "B"`},
		{"aa\n", "aaa\n", `2-2 "a"`}, // alike at both ends: none counts twice
		{"aaa\n", "aa\n", `2-3 ""`},
		{"same\n", "same\n", ``},
	} {
		edits := pieces(row.from, row.to)
		var got []string
		for _, e := range edits {
			got = append(got, fmt.Sprintf("%d-%d %q", e.Start, e.End, e.Text))
		}
		if s := strings.Join(got, ", "); s != row.want {
			t.Errorf("%q → %q: %s, want %s", row.from, row.to, s, row.want)
		}
		if now := applied(row.from, edits); now != row.to {
			t.Errorf("%q → %q: made %q", row.from, row.to, now)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("a\nb\r\nc", "a\nc\r\nd😀")
	f.Add("\r\r\n\n", "\r\n\r")
	f.Fuzz(func(t *testing.T, from, to string) {
		edits := pieces(from, to)
		if now := applied(from, edits); now != to {
			t.Fatalf("%q → %q: made %q", from, to, now)
		}
		end := 0
		for _, e := range edits {
			if e.Start < end || e.End < e.Start || splits(from, e.Start) && utf8.ValidString(from) || splits(from, e.End) && utf8.ValidString(from) {
				t.Fatalf("%q → %q: %+v", from, to, edits)
			}
			end = e.End
		}
	})
}
