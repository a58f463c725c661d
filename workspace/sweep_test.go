//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a command reads below a directory is all that is there, by whatever name.
func TestBelow(t *testing.T) {
	r := newRoom(t, map[string]string{
		".env": "", "src/a.go": "", "src/deep/.env": "", "src/node_modules/x/.env": "", ".git/config": "", ".git/objects/ab/x.env": "", "lib/b.go": "", "links/c.go": "", "dirs/c.go": "",
		"../outside/.env": "",
	})
	r.v.shields.Names = protectedNames
	for at, to := range map[string]string{"links/s.go": "../.env", "dirs/d": "../src", "here": "src"} {
		if err := os.Symlink(to, filepath.Join(r.root, at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(r.root, ".env"), filepath.Join(r.root, "lib/notes.go")); err != nil {
		t.Fatal(err)
	}
	asked := func(o string) bool { return strings.HasSuffix(o, ".env") }
	for _, c := range []struct {
		word     string
		links    bool
		ends     string
		want     string
		complete bool
	}{
		{"src", false, "", "vault:/src/deep/.env vault:/src/node_modules/x/.env", true},
		{"here", false, "", "vault:/src/deep/.env vault:/src/node_modules/x/.env", true},
		{"src/a.go", false, "", "", true},
		{"nothing", false, "", "", true},
		{".git", false, "", "", true},
		{"lib", false, "", "vault:/.env vault:/lib/notes.go", true},
		{"lib", false, ".go", "vault:/.env vault:/lib/notes.go", true},
		{"src", false, ".go", "", true},
		{"links", false, "", "", true},
		{"links", true, "", "vault:/.env vault:/links/s.go", true},
		{"dirs", false, "", "", true},
		{"dirs", true, "", "", false},
		{"a\x00b", false, "", "", false},
	} {
		var ends []string
		if c.ends != "" {
			ends = []string{c.ends}
		}
		got, complete := r.v.Below(r.root, c.word, c.links, ends, asked)
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || complete != c.complete {
			t.Errorf("%s, links %v, ends %q: %v %v", c.word, c.links, c.ends, got, complete)
		}
	}
	if got, complete := r.v.Below(r.root, "../outside", false, nil, asked); !complete || len(got) != 1 || !strings.HasPrefix(got[0], "fs:/") {
		t.Errorf("outside: %v %v", got, complete)
	}
}
