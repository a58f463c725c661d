package control

import "testing"

func TestTitle(t *testing.T) {
	for _, row := range []struct {
		in   string
		max  int
		want string
	}{
		{"plain", 0, "plain"},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "abcd…"},
		{"a\nb\tc", 0, "a⏎b⇥c"},
		{"x\u202egpj.exe", 0, "x<U+202E>gpj.exe"},
		{"\x1b[31mred\r", 0, "<U+001B>[31mred<U+000D>"},
		{"a\u200bb\ufeff", 0, "a<U+200B>b<U+FEFF>"},
		{"a\u00adb\u034fc\u17b4d\u180be\u2065f\u2800g\ufff0h\U000e0100", 0, "a<U+00AD>b<U+034F>c<U+17B4>d<U+180B>e<U+2065>f<U+2800>g<U+FFF0>h<U+E0100>"},
		{"\u115f\u1160\u3164\uffa0\ufe0f\u2028\u2029\U000e0041\x7f\u0085", 0, "<U+115F><U+1160><U+3164><U+FFA0><U+FE0F><U+2028><U+2029><U+E0041><U+007F><U+0085>"},
		{"\xff", 0, "<FF>"},
		{"日本語", 2, "日…"},
		{"", 3, ""},
		{"ab\u202e", 3, "ab…"},
	} {
		if got := Title(row.in, row.max); got != row.want {
			t.Errorf("%q: %q, want %q", row.in, got, row.want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"", ""},
		{"a\tb\nc\n", "a\tb\nc\n"},
		{"a\r\nb", "a<U+000D>\nb"},
		{"+x = \"\u202e\u2066\"\n", "+x = \"<U+202E><U+2066>\"\n"},
		{"\x1b[2J\xff\n", "<U+001B>[2J<FF>\n"},
		{"日本\n", "日本\n"},
		{"\ufffd", "\ufffd"},
	} {
		if got := Lines(row.in); got != row.want {
			t.Errorf("%q: %q, want %q", row.in, got, row.want)
		}
	}
}
