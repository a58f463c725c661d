package output

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// Whoever asks piece by piece for what comes next gets all of it once, in order,
// except what is said to lie in the file.
func TestSinceIsTheWholeInPieces(t *testing.T) {
	short := strings.Repeat("0123456789 é\n", 100)
	long := strings.Repeat("0123456789 é line of text\n", 20_000)
	wide := strings.Repeat("é", 200_000)
	for _, row := range []struct {
		name, in string
		most     int
	}{
		{"nothing", "", 100}, {"short", short, 100}, {"in one piece", short, 1 << 20}, {"less than a line", short, 5}, {"a little more than a result", long[:shownBytes+100], 1000},
		{"head and tail meet", long[:HeadBytes+TailBytes], 1000}, {"long", long, 32 << 10}, {"one line", wide, 999},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := feed(&outputtest.Kept{}, 10_007, row.in)
			o.Finish("")
			var got strings.Builder
			lost := 0
			for next := int64(0); ; {
				p := o.Since(next, row.most)
				if len(p.Text) > row.most || p.From < next || p.Next != p.From+int64(len(p.Text)) || p.End != int64(len(row.in)) || p.Line != "" {
					t.Fatalf("after %d: %+v", next, p)
				}
				if p.From > next {
					lost++
					got.WriteString(row.in[next:p.From])
				}
				got.WriteString(p.Text)
				if next = p.Next; next == p.End {
					break
				}
				if p.Text == "" {
					t.Fatalf("stuck at %d", next)
				}
			}
			if got.String() != row.in {
				t.Error("it is not the whole")
			}
			if gap := len(row.in) > HeadBytes+2*TailBytes; lost > 1 || gap != (lost == 1) {
				t.Errorf("%d gaps", lost)
			}
		})
	}
}

func TestSinceOfOddOffsets(t *testing.T) {
	o := feed(&outputtest.Kept{}, 3, "aé\nb")
	for _, row := range []struct {
		offset     int64
		most       int
		text       string
		from, next int64
		line       string
	}{
		{-5, 100, "aé\n", 0, 4, "b"}, {2, 100, "\n", 3, 4, "b"}, {4, 100, "", 4, 4, "b"}, {99, 100, "", 4, 4, "b"},
		{0, 0, "", 0, 0, ""}, {0, 2, "a", 0, 1, ""}, {0, 3, "aé", 0, 3, ""},
	} {
		p := o.Since(row.offset, row.most)
		if p.Text != row.text || p.From != row.from || p.Next != row.next || p.Line != row.line || p.End != 4 {
			t.Errorf("%d, %d: %+v, want %+v", row.offset, row.most, p, row)
		}
	}
}

func TestPathOfTheWhole(t *testing.T) {
	for in, want := range map[string]string{"short": "", strings.Repeat("x\n", shownLines+1): "/artifacts/a1.txt"} {
		o := feed(&outputtest.Kept{}, 1000, in)
		if got := o.Path(); got != want {
			t.Errorf("%.10q: %q while it is written", in, got)
		}
		o.Finish("")
		if got := o.Path(); got != want {
			t.Errorf("%.10q: %q", in, got)
		}
	}
	o := feed(&outputtest.Kept{Limit: 60_000}, 1000, strings.Repeat("x\n", 100_000))
	if got := o.Path(); got != "" {
		t.Errorf("%q of a file that is not whole", got)
	}
}

// A piece says on which sides it was cut inside a line, also beside what is not in
// memory any more.
func TestSinceSaysWhereItIsCut(t *testing.T) {
	small := feed(&outputtest.Kept{}, 3, "ab\ncd\nef\n")
	line := strings.Repeat("x", 99) + "\n"
	big := feed(&outputtest.Kept{}, 1000, strings.Repeat(line, (HeadBytes+3*TailBytes)/100))
	for _, row := range []struct {
		o             *Output
		offset        int64
		most          int
		before, after bool
	}{
		{small, 0, 9, false, false}, {small, 1, 9, true, false}, {small, 2, 9, true, false}, {small, 3, 9, false, false},
		{small, 3, 1, false, true}, {small, 4, 1, true, true}, {small, 3, 3, false, false}, {small, 8, 1, true, false}, {small, 9, 1, false, false},
		{big, 100, 100, false, false}, {big, 101, 1000, true, false}, {big, 100, 50, false, true}, {big, HeadBytes + 1000, 1000, false, false},
		{big, big.bytes - 100, 100, false, false}, {big, big.bytes - 99, 100, true, false},
	} {
		if p := row.o.Since(row.offset, row.most); p.CutBefore != row.before || p.CutAfter != row.after {
			t.Errorf("%d, %d: %v %v of %q", row.offset, row.most, p.CutBefore, p.CutAfter, p.Text)
		}
	}
}
