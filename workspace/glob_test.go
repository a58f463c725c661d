package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What names a folder in front of a pattern is part of the directory, and checked with
// the pattern.
func TestSplitGlob(t *testing.T) {
	for _, row := range []struct{ in, base, pattern string }{
		{"a/b/*.go", "a/b", "*.go"},
		{"vault@n:/d/*", "vault@n:/d", "*"},
	} {
		base, pattern, err := splitGlob(row.in)
		if err != nil || base != row.base || pattern != row.pattern {
			t.Errorf("%s: %q %q %v", row.in, base, pattern, err)
		}
	}
	for in, want := range map[string]string{"fs:": "names no file", "fs:[a": "valid", "fs:/*/../x": ".."} {
		if _, _, err := splitGlob(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestGlob(t *testing.T) {
	r := newRoom(t, map[string]string{
		"a.go": "", "d/b.go": "", "d/e/c.go": "", "d/x.ts": "", ".gitignore": "gen/\n", "gen/g.go": "", ".git/z.go": "", ".env": "", "loop": "-> .", "../o/p.go": "",
	})
	r.sensitive(func(o string) bool { return strings.HasSuffix(o, ".env") })
	at := time.Unix(1_700_000_000, 0)
	for i, n := range []string{"d/b.go", "a.go", "d/e/c.go"} {
		os.Chtimes(filepath.Join(r.root, n), at, at.Add(time.Duration(i)*time.Hour))
	}
	for _, row := range []struct {
		pattern, path, want string
	}{
		{"**/*.go", "", "d/e/c.go\na.go\nd/b.go\n(3 files)"},
		{"**/**/*.go", "", "d/e/c.go\na.go\nd/b.go\n(3 files)"},
		{"*.go", "d", "d/b.go\n(1 file)"},
		{"./d/*.go", "", "d/b.go\n(1 file)"},
		{"*.rs", "", "(no file matches in this directory itself; for any depth use **/*.rs)"},
		{"**/*.{ts,rs}", "", "d/x.ts\n(1 file)"},
		{"gen/*.go", "", "gen/g.go\n(1 file)"}, // named on purpose
		{"**/.env", "", "(no file matches; 1 sensitive file skipped)"},
		{"../o/*", "", filepath.Join(filepath.Dir(r.root), "o/p.go") + "\n(1 file)"},
		{filepath.Join(r.root, "d") + "/*.ts", "", "d/x.ts\n(1 file)"},
	} {
		if res := r.run("glob", "pattern", row.pattern, "path", row.path); res.Text != row.want || res.Failed {
			t.Errorf("%s in %q:\n%s", row.pattern, row.path, res.Text)
		}
	}
	p, err := r.plan("glob", "pattern", "/etc/**/*.conf")
	if err != nil || objectsOf(p) != "read fs:/etc" {
		t.Error(objectsOf(p), err)
	}
	r.want(r.run("glob", "pattern", "*", "path", "a.go"), true, "not a directory")
	r.want(r.run("glob", "pattern", "*", "path", "none"), true, "does not exist")
	for i := range 150 {
		r.put(map[string]string{fmt.Sprintf("many/%d", i): ""})
	}
	res := r.run("glob", "pattern", "many/*")
	r.want(res, false, "(the newest 100 of 150 files; narrow the pattern)")
	if strings.Count(res.Text, "\n") != 100 {
		t.Error(res.Text)
	}
}
