package textedit

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
)

// big is three megabytes of text like a program.
func big() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < 3<<20; i++ {
		fmt.Fprintf(&b, "%sline %d of %d\n", strings.Repeat("\t", r.IntN(5)), i, r.IntN(1000))
	}
	return b.String()
}

// No text makes an edit or a patch take long, or much memory: not a large one, and
// not one that repeats itself so that every place is nearly the right one. No clock judges:
// where a text repeats itself, comparing each line or byte of one with each of the other
// makes 10¹² steps, and does not end before go test loses its patience.
func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("large texts")
	}
	text := big()
	lines := strings.SplitAfter(text, "\n")
	middle := strings.Join(lines[len(lines)/2:len(lines)/2+30], "")
	edit := func(text, old string) func() error {
		return func() error { _, err := Substitute(text, old, "new\n", false); return err }
	}
	patch := func(text string, hunks ...string) func() error {
		return func() error {
			files, err := patch.Parse("*** Begin Patch\n*** Update File: f\n" + strings.Join(hunks, "") + "*** End Patch\n")
			if err == nil {
				_, err = Apply(files[0], text)
			}
			return err
		}
	}
	hunk := func(old string) string {
		return "@@\n-" + strings.ReplaceAll(strings.TrimSuffix(old, "\n"), "\n", "\n-") + "\n+new\n"
	}
	var many, missing []string
	for i := range 10 {
		at := len(lines) / 20 * (2*i + 1)
		many = append(many, hunk("  "+strings.TrimLeft(lines[at], "\t")))
		missing = append(missing, hunk(fmt.Sprintf("no line %d\n", i)))
	}
	same := strings.Repeat("x\n", 2<<20)
	for _, row := range []struct {
		name string
		fits bool
		run  func() error
	}{
		{"exact", true, edit(text, middle)},
		{"line ends", true, edit(strings.ReplaceAll(text, "\n", "\r\n"), middle)},
		{"trailing blanks", true, edit(strings.ReplaceAll(text, "\n", " \n"), middle)},
		{"indentation", true, edit(strings.ReplaceAll(text, "\n", "\n "), middle)},
		{"units of indentation", true, edit(text, strings.ReplaceAll(middle, "\t", "    "))},
		{"punctuation", true, edit(strings.ReplaceAll(text, "of", "“of”"), strings.ReplaceAll(middle, "of", `"of"`))},
		{"nowhere", false, edit(text, "there is no such line\n")},
		{"nowhere, a long one", false, edit(text, strings.Repeat(middle+"x\n", 100))},
		{"many hunks", true, patch(text, many...)},
		{"many hunks that do not fit", false, patch(text, missing...)},
		// n lines times m lines
		{"the same line over and over", false, edit(same, strings.Repeat("x\n", 1<<19)+"y\n")},
		{"the same line over and over, indented", false, edit(same, strings.Repeat("  x\n", 1<<19)+"  y\n")},
		{"the same line over and over, in other units", false, edit(strings.ReplaceAll(same, "x\nx\n", "x\n\tx\n"), strings.Repeat("x\n  x\n", 1<<18)+"  y\n")},
		{"the same line over and over, in a patch", false, patch(same, hunk(strings.Repeat("x\n", 1<<18)+"y\n"))},
		{"the same line in many places", false, edit(same, "x\nx\n")},
		{"one long line", false, edit(strings.Repeat("a", 10<<20), strings.Repeat("a", 1<<20)+"b")},
		{"one long line, cut", false, edit(strings.Repeat("a", 10<<20)+"b", strings.Repeat("a", 1<<20)+" ")},
		{"one long line of marks", false, edit(strings.Repeat("…", 3<<20), strings.Repeat(".", 1<<20)+"b")},
		{"more hunks than can be looked for", false, patch(text, strings.Repeat(hunk("line\n"), 800))},
		{"headers everywhere", false, patch(same, "@@ x\n@@ x\n-x\n+y\n")},
	} {
		t.Run(row.name, func(t *testing.T) {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := row.run()
			runtime.ReadMemStats(&after)
			taken := (after.TotalAlloc - before.TotalAlloc) >> 20
			if (err == nil) != row.fits {
				t.Errorf("%v", err)
			}
			if taken > 2<<10 {
				t.Errorf("it took %d MB", taken)
			}
		})
	}
}
