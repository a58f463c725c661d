package textedit

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	const text = "package a\n\n// add adds.\nfunc add(a, b int) int { return addAll(a, b) }\nvar x = pkg.add\n\tadd add\n"
	for name, want := range map[string]struct {
		symbol string
		line   int
		found  []int
	}{
		"every line once":         {"add", 0, []int{14, 29, 83, 88}},
		"one line":                {"add", 4, []int{29}},
		"not part of a word":      {"addA", 0, nil},
		"not on the line":         {"add", 1, nil},
		"no such line":            {"add", 99, nil},
		"qualified as written":    {"pkg.add", 0, []int{83}},
		"qualified, not written":  {"Thing::x", 5, []int{75}},
		"ends with a qualifier":   {"x.", 5, nil},
		"nothing":                 {"", 0, nil},
		"a name with a dollar":    {"$add", 0, nil},
		"only what qualifies":     {"::", 0, nil},
		"the end of the text":     {"add add", 6, []int{92}},
		"a name in another alpha": {"ад", 0, nil},
	} {
		if got := Names(text, want.symbol, want.line); !slices.Equal(got, want.found) {
			t.Errorf("%s: %v, and not %v", name, got, want.found)
		}
	}
}

func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{"add": true, "_x1": true, "Größe": true, "": false, "1x": false, "a.b": false, "a b": false, "f(": false, "$el": true} {
		if IsName(text) != want {
			t.Errorf("%q", text)
		}
	}
}
