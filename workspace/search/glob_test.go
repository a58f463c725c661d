package search

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"
)

func TestSplitGlob(t *testing.T) {
	for _, row := range []struct{ in, base, pattern string }{
		{"*.go", "", "*.go"},
		{"**/*.go", "", "**/*.go"},
		{"a/b/*.go", "a/b", "*.go"},
		{"a/b.go", "a", "b.go"},
		{"./a//*.go", "a", "*.go"},
		{"/abs/**/x", "/abs", "**/x"},
		{"../up/*", "../up", "*"},
		{"~/x/*", "~/x", "*"},
		{"**/**/**/*.go", "", "**/*.go"},
		{"{a,b}/x", "", "{a,b}/x"},
		{"a/", "", "a"},
	} {
		base, pattern, err := checkedSplit(row.in)
		if err != nil || base != row.base || pattern != row.pattern {
			t.Errorf("%s: %q %q %v", row.in, base, pattern, err)
		}
	}
	for in, want := range map[string]string{
		"": "empty", "a\x00": "NUL", "[a": "valid", "{a": "valid", strings.Repeat("{a,b}", 7): "brace groups", "*/../x": "..", strings.Repeat("a", 2000): "longer", "/": "names no file",
	} {
		if _, _, err := checkedSplit(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", in, err)
		}
	}
}

func checkedSplit(s string) (base, pattern string, err error) {
	if err := CheckGlob(s); err != nil {
		return "", "", err
	}
	return SplitGlob(s)
}

// The short ways of a glob are those of the matcher.
func TestNameGlob(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	parts := []string{"**", "*", "*.go", "a", "main.go", "*a*", "[ab]", "{a,b}", "?", `\*`, "*.t[sx]", ".*"}
	names := []string{"a", "b", "main.go", "x.go", ".go", "go", "a.ts", "*", "xmain.go"}
	short := 0
	for range 3000 {
		var pattern, rel []string
		for range 1 + rnd.IntN(3) {
			pattern = append(pattern, parts[rnd.IntN(len(parts))])
		}
		for range 1 + rnd.IntN(3) {
			rel = append(rel, names[rnd.IntN(len(names))])
		}
		_, checked, err := checkedSplit("**/" + strings.Join(pattern, "/"))
		if err != nil {
			t.Fatal(err)
		}
		g := NewNameGlob(checked)
		if g.kind != globAny {
			short++
		}
		if got, want := g.Match(path.Join(rel...)), (&NameGlob{pattern: checked}).Match(path.Join(rel...)); got != want {
			t.Fatalf("%s, %s: %v, the matcher says %v", checked, path.Join(rel...), got, want)
		}
	}
	if short < 100 {
		t.Errorf("only %d short ways", short)
	}
}
