package compaction

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func TestGains(t *testing.T) {
	for _, row := range []struct {
		before, after int64
		want          bool
	}{{1000, 901, false}, {1000, 900, true}, {1000, 899, true}, {1000, 1000, false}, {1000, 2000, false}, {0, 0, false}, {9, 9, false}, {9, 8, true}} {
		if got := Gains(row.before, row.after); got != row.want {
			t.Errorf("%d to %d: %v", row.before, row.after, got)
		}
	}
}

func TestChurns(t *testing.T) {
	for _, row := range []struct {
		at   []int
		want bool
	}{{nil, false}, {[]int{1, 2}, false}, {[]int{1, 2, 3}, true}, {[]int{1, 2, 5}, true}, {[]int{1, 2, 6}, false}, {[]int{1, 9, 10, 11}, true}, {[]int{1, 2, 3, 9}, false}} {
		if got := Churns(row.at); got != row.want {
			t.Errorf("%v: %v", row.at, got)
		}
	}
}

func TestRepeats(t *testing.T) {
	code := strings.Repeat("\t}\n\n\treturn nil\n", 40)
	var list strings.Builder
	for i := range 400 {
		list.WriteString("- the file number " + strings.Repeat("i", i%37) + " was read and looked at\n")
	}
	for name, row := range map[string]struct {
		text string
		want bool
	}{
		"nothing":                        {"", false},
		"one sentence":                   {"The user wants a parser.", false},
		"a list that is alike":           {list.String(), false},
		"short, over and over":           {strings.Repeat("again and again. ", 60), false},
		"the same words for ever":        {strings.Repeat("again and again. ", 130), true},
		"begins well and then circles":   {list.String() + strings.Repeat("The next step is to look at it. ", 80), true},
		"one letter":                     {strings.Repeat("a", 3000), true},
		"five times a long piece":        {strings.Repeat(strings.Repeat("x", 400)+"y", 5), false},
		"six times as long as it may be": {strings.Repeat(strings.Repeat("x", 340)+"y", 7), true},
		"code whose lines are alike":     {"Summary of what was done.\n" + code[:600], false},
		"a long line, ten times":         {strings.Repeat("I will now read the file once more to see it.\nOther "+"\n", 10), true},
		"a long line, nine times":        {strings.Repeat("I will now read the file once more to see it.\n", 9), false},
	} {
		if got := Repeats(row.text); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Plain.": "Plain.",
		"【会话摘要】\n[conversation compacted; transcript: /x]\n\nWords.\n": "Words.",
		"【会话摘要】\nWords 【会话摘要】":                                         "Words 【会话摘要】",
		"【会话摘要】": "",
		"":       "",
	} {
		if got := Words(text, "【会话摘要】"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestMostWords(t *testing.T) {
	for free, want := range map[int64]int64{-5: 100, 0: 100, 1334: 100, 1335: 200, 98_000: 3200, 1 << 40: 3200} {
		if got := MostWords(free); got != want {
			t.Errorf("%d: %d words", free, got)
		}
	}
}

// The appendix stays within its bytes: what is older goes first, and a word of the
// user that is longer than half of it is cut and says so.
func TestAppendix(t *testing.T) {
	f := history.Facts{Read: []string{"a.go", "b.go"}, Changed: []string{"modified c.go"}, Artifacts: []string{".out/1.txt"}, Constraints: []string{"Never touch d.go."}, Last: "Do it."}
	plan := []history.PlanItem{{ID: "1", Text: "parse", Status: "in_progress"}, {ID: "2", Text: "done", Status: "completed"}, {ID: "3", Text: "test", Status: "pending"}, {ID: "4", Text: "no", Status: "cancelled"}}
	want := `
Open plan items:
- 1 (in_progress): parse
- 3 (pending): test

What the user demanded, word for word:
- Never touch d.go.

Files changed:
- modified c.go

Files read:
- a.go
- b.go

Artifacts with whole outputs:
- .out/1.txt

The last message of the user before this point, word for word:
Do it.
`
	if got := Appendix(f, plan, 4000); got != want {
		t.Error(got)
	}
	if got := Appendix(history.Facts{}, nil, 4000); got != "" {
		t.Errorf("%q", got)
	}
	for range 200 {
		f.Read = append(f.Read, strings.Repeat("x", 50))
	}
	f.Read = append(f.Read, "newest.go")
	f.Last = strings.Repeat("é", 4000)
	for _, most := range []int{0, 1, 100, 700, 2001} {
		got := Appendix(f, plan, most)
		if len(got) > most+200 || most > 700 && (!strings.Contains(got, "newest.go") || strings.Contains(got, "a.go") || !strings.Contains(got, "é … (all of it is in the transcript)")) {
			t.Errorf("%d: %d bytes\n%s", most, len(got), got)
		}
	}
}
