package textedit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// What a program writes down as the difference of two texts makes the one of the
// other, or is refused because it could be meant for several places; it never makes
// a third text of it. That holds with its line numbers, without them, with wrong
// ones, with wrong lengths and with other line ends.
func TestApplyMakesNoThirdText(t *testing.T) {
	const rounds = 4000
	made := map[string]int{}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		from, to := someText(r), ""
		to = changed(r, from)
		if from == to {
			continue
		}
		unified := textdiff.Unified(from, to, diff.Context(r.IntN(4)))
		for _, way := range []struct {
			name string
			make func(string) string
		}{
			{"as it is", func(s string) string { return s }},
			{"without numbers", func(s string) string { return ranges.ReplaceAllString(s, "@@") }},
			{"wrong numbers", func(s string) string {
				return ranges.ReplaceAllStringFunc(s, func(string) string {
					return fmt.Sprintf("@@ -%d,7 +%d,7 @@", 1+r.IntN(30), 1+r.IntN(30))
				})
			}},
			{"wrong lengths", func(s string) string { return ranges.ReplaceAllString(s, "@@ -$1,9 +$3,9 @@") }},
			{"CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		} {
			files, err := patch.Parse("--- a/f\n+++ b/f\n" + way.make(unified))
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, way.name, err, unified)
			}
			got, err := Apply(files[0], from)
			switch {
			case err == nil && got == to:
				made[way.name]++
			case err == nil:
				t.Fatalf("seed %d, %s:\n%q and\n%q\ngives %q", seed, way.name, from, way.make(unified), got)
			case !strings.Contains(err.Error(), " places, from line ") && !strings.Contains(err.Error(), "does not say where"):
				t.Fatalf("seed %d, %s: %v\n%s", seed, way.name, err, unified)
			}
		}
	}
	for _, way := range []string{"as it is", "without numbers", "wrong numbers", "wrong lengths", "CRLF"} {
		if made[way] < rounds/5 {
			t.Errorf("%s: only %d of %d were made", way, made[way], rounds)
		}
	}
	t.Log(made)
}

var ranges = regexp.MustCompile(`@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@`)

// someText has few different lines, so that places are alike.
func someText(r *rand.Rand) string {
	var b strings.Builder
	words := []string{"a", "}", "", "\tx", "  x", "func f() {", "x ", "y", "z", "w", "v", "u", "t"}
	few := 2 + r.IntN(len(words)-1)
	for range 1 + r.IntN(40) {
		b.WriteString(words[r.IntN(few)] + "\n")
	}
	s := b.String()
	if r.IntN(4) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func changed(r *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + r.IntN(3) {
		at := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines = slices.Insert(lines, at, "new\n")
		case 1:
			lines[at] = strings.Replace(lines[at], "x", "q", 1)
		default:
			if lines[at] != "" {
				lines = slices.Delete(lines, at, at+1)
			}
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "")
}

// No patch breaks the parser, and what it takes it takes whole.
func FuzzPatch(f *testing.F) {
	f.Add(three, fmt.Sprintf(env, "*** Update File: a\n*** Move to: b\n@@ func b() {\n-\treturn 1\n+\treturn 2\n*** End of File\n"))
	f.Add("a\r\nb", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\r\n-b\n\\ No newline at end of file\n+c\n")
	f.Add("", "--- /dev/null\n+++ \"b/\\303\\266\"\n@@ -0,0 +1 @@\n+a\n")
	f.Add("x", "diff --git a/x b/y\nrename from x\nrename to y\n")
	f.Add("a\n", fmt.Sprintf(env, "*** Add File: x\n+a\n*** Delete File: y\n"))
	f.Fuzz(func(t *testing.T, text, given string) {
		files, err := patch.Parse(given)
		if err != nil {
			return
		}
		if len(files) == 0 {
			t.Fatal("a patch of nothing")
		}
		for _, p := range files {
			if p.Path == "" || p.Op == patch.NoOp || p.Op == patch.Update && p.Hunks == nil && p.To == "" {
				t.Fatalf("%+v", p)
			}
			if p.Op != patch.Update {
				Removes(p, text)
				continue
			}
			got, err := Apply(p, text)
			if err != nil || got == text {
				continue
			}
			// Every line behind it was there, or is one that the patch adds.
			lines := append(strings.Split(unixEnds(text), "\n"), strings.Split(unescape(unixEnds(added(p))), "\n")...)
			lines = append(lines, strings.Split(unixEnds(added(p)), "\n")...)
			for line := range strings.SplitSeq(unixEnds(got), "\n") {
				if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) }) {
					t.Fatalf("%q is from nowhere: %q", line, got)
				}
			}
		}
	})
}
