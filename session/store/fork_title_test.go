package store

import "testing"

func TestForkTitle(t *testing.T) {
	for of, want := range map[string]string{
		"Parser":               "Parser (fork)",
		"Parser (fork)":        "Parser (fork 2)",
		"Parser (fork 9)":      "Parser (fork 10)",
		"Parser (fork 09)":     "Parser (fork 09) (fork)",
		"Parser (fork x)":      "Parser (fork x) (fork)",
		"A (fork) in the road": "A (fork) in the road (fork)",
	} {
		if got := forkTitle(of); got != want {
			t.Errorf("%q: %q, want %q", of, got, want)
		}
	}
}
