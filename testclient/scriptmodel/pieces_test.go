package scriptmodel

import (
	"slices"
	"strings"
	"testing"
)

// However long the path before a hash is, no piece ends inside of it.
func TestPiecesKeepAHashWhole(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	for n := range 200 {
		s := `{"path": "/` + strings.Repeat("ü", n) + "/" + hash + `", "pattern": "x"}`
		got := pieces(s, max(8, (len(s)+3)/4))
		if strings.Join(got, "") != s || len(got) < 2 || !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, hash) }) {
			t.Errorf("behind %d: %q", n, got)
		}
	}
}
