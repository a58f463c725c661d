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

func TestTaskDescription(t *testing.T) {
	got := TaskDescription([]Agent{{Name: "explore", Description: "a scout", Use: "finding things"}, {Name: "x", Description: "d"}})
	if got != "task(agent=\"explore\", prompt=\"…\"): a scout; use for finding things\ntask(agent=\"x\", prompt=\"…\"): d" {
		t.Error(got)
	}
	if got = UnknownAgent("y", []Agent{{Name: "a"}, {Name: "b"}}); got != `unknown agent "y"; available: a, b` {
		t.Error(got)
	}
	for _, a := range BuiltInAgents() {
		if a.Name == "build" && a.Tools != nil || a.Name == "compaction" && (a.Tools == nil || len(a.Tools) > 0) {
			t.Errorf("%+v", a)
		}
	}
}
