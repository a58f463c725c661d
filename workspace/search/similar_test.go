package search

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

// The likest names come first, of equals by name, three at most; what may not be told
// makes room for the next.
func TestSimilar(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"server.go", "Server.ts", "serve.go", "observer.go", "main.go", "a1", "a2", "a3", "a4"} {
		files[name] = &fstest.MapFile{}
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		want, secret string
		names        []string
	}{
		{"SERVER.rs", "", []string{"Server.ts", "server.go", "serve.go"}},
		{"SERVER.rs", "server.go", []string{"Server.ts", "serve.go"}},
		{"a0", "a1", []string{"a2", "a3", "a4"}},
		{"nothing_like_it", "", nil},
	} {
		got := Similar(row.want, entries, func(e fs.DirEntry) bool { return e.Name() != row.secret })
		if !slices.Equal(got, row.names) {
			t.Errorf("%s: %q", row.want, got)
		}
	}
}
