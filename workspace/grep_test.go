package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestGrep(t *testing.T) {
	r := newRoom(t, map[string]string{
		"a.go": "one\ntwo Needle\nthree\nfour\nfive needle\nsix\n", "d/b.ts": "needle\r\nx\r\n", ".gitignore": "gen/\n", "gen/g": "needle\n", ".git/h": "needle\n",
		"bin": "needle\x00", ".env": "needle\n", "l": "-> a.go", "u16": "\xFF\xFEn\x00e\x00e\x00d\x00l\x00e\x00\n\x00", "long": strings.Repeat("x", 3000) + "needle" + strings.Repeat("y", 3000) + "\n",
		"meta": "a.b*c\naxbbc\n",
	})
	r.sensitive(func(o string) bool { return strings.HasSuffix(o, ".env") })
	big := strings.Repeat("0123456789abcde\n", 10<<20/16) + "needle in the hay\n"
	r.put(map[string]string{"big": big})
	tail := "1 sensitive file skipped; 1 binary file skipped; 1 file over 10 MB skipped)"
	long := "long\n  1: …" + strings.Repeat("x", 247) + "needle" + strings.Repeat("y", 247) + "…\n"
	for _, row := range []struct {
		args []any
		fail bool
		want string
	}{
		{[]any{"pattern", "needle"}, false, "a.go\n  5: five needle\n" + long + "u16\n  1: needle\nd/b.ts\n  1: needle\n(4 matching lines in 4 files; " + tail},
		{[]any{"pattern", "needle", "include", "*.go"}, false, "a.go\n  5: five needle\n(1 matching line in 1 file)"},
		{[]any{"pattern", "needle", "include", "d/*"}, false, "d/b.ts\n  1: needle\n(1 matching line in 1 file)"},
		{[]any{"pattern", "NEEDLE", "ignoreCase", true, "path", "a.go"}, false, "a.go\n  2: two Needle\n  5: five needle\n(2 matching lines in 1 file)"},
		{[]any{"pattern", "needle", "mode", "files", "include", "*.{go,ts}"}, false, "a.go\nd/b.ts\n(2 files)"},
		{[]any{"pattern", "e", "mode", "count", "include", "*.{go,ts}"}, false, "a.go: 4\nd/b.ts: 1\n(5 matching lines in 2 files)"},
		{[]any{"pattern", "two|five", "context", 1, "path", "a.go"}, false, "a.go\n  1- one\n  2: two Needle\n  3- three\n  4- four\n  5: five needle\n  6- six\n(2 matching lines in 1 file)"},
		{[]any{"pattern", "one|six", "context", 1, "path", "a.go"}, false, "a.go\n  1: one\n  2- two Needle\n  --\n  5- five needle\n  6: six\n(2 matching lines in 1 file)"},
		{[]any{"pattern", "a.b*c", "path", "meta"}, false, "meta\n  2: axbbc\n(1 matching line in 1 file)"},
		{[]any{"pattern", "a.b*c", "literal", true, "path", "meta"}, false, "meta\n  1: a.b*c\n(1 matching line in 1 file)"},
		{[]any{"pattern", "^x$", "path", "d"}, false, "d/b.ts\n  2: x\n(1 matching line in 1 file)"},
		{[]any{"pattern", "e", "limit", 2, "path", "a.go"}, false, "a.go\n  1: one\n  2: two Needle\n(the first 2 of 4 matching lines in 1 file)"},
		{[]any{"pattern", "zzz", "path", "d"}, false, "(no match)"},
		{[]any{"pattern", "needle", "path", "gen"}, false, "gen/g\n  1: needle\n(1 matching line in 1 file)"},
		{[]any{"pattern", "hay", "path", "big"}, false, "big\n  655361: needle in the hay\n(1 matching line in 1 file)"},
		{[]any{"pattern", "needle", "path", "bin"}, false, "bin: binary file, 7 bytes; not searched"},
		{[]any{"pattern", "needle", "path", "l"}, false, "a.go\n  5: five needle\n(1 matching line in 1 file)"},
		{[]any{"pattern", "(", "path", "d"}, true, "not a valid regular expression"},
		{[]any{"pattern", ""}, true, "is empty"},
		{[]any{"pattern", `one\ntwo`}, true, "contains a line end, and matches are within one line"},
		{[]any{"pattern", "one\ntwo", "literal", true}, true, "contains a line end"},
		{[]any{"pattern", `(a\n|b[\n])+`}, true, "contains a line end"},
		{[]any{"pattern", `two(\n|zz)?|(?s)x.y`, "path", "a.go"}, false, "a.go\n  2: two Needle\n(1 matching line in 1 file)"},
		{[]any{"pattern", "x", "mode", "lines"}, true, `argument "mode" must be`},
		{[]any{"pattern", "x", "context", 6}, true, `argument "context" must be`},
		{[]any{"pattern", "x", "limit", 501}, true, `argument "limit" must be`},
		{[]any{"pattern", "x", "include", "[a"}, true, `argument "include"`},
		{[]any{"pattern", "x", "path", "none"}, true, "does not exist"},
	} {
		res := r.run("grep", row.args...)
		if res.Failed != row.fail || !row.fail && res.Text != row.want || !strings.Contains(res.Text, row.want) {
			t.Errorf("%v:\n%.2000s", row.args, res.Text)
		}
	}
}

// The answer is the same every time, and shows the first files by path.
func TestGrepLimitIsDeterministic(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%02d/f%03d", i%7, i)] = strings.Repeat("hit\n", 5)
	}
	r := newRoom(t, files)
	first := r.run("grep", "pattern", "hit", "limit", 12).Text
	if !strings.HasPrefix(first, "d00/f000\n") || !strings.HasSuffix(first, "(the first 12 of more than 1000 matching lines)") || strings.Count(first, ": hit") != 12 {
		t.Fatal(first)
	}
	for range 5 {
		if again := r.run("grep", "pattern", "hit", "limit", 12).Text; again != first {
			t.Fatal(again)
		}
	}
}

func TestGrepEndsWithItsContext(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, _ := r.plan("grep", "pattern", "x")
	if _, err := p.Run(ctx, tool.Grant{}, nil); err == nil {
		t.Error("went on")
	}
}

func BenchmarkGrep(b *testing.B) {
	root := os.Getenv("BENCH_TREE")
	if root == "" {
		root = filepath.Join(os.Getenv("GOROOT"), "src")
	}
	v, err := Open([]Folder{{Path: root}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, pattern := range []string{"ErrUnexpectedEOF", `(?i)errunexpectedeof`, `\b[A-Z]\w+Error\b`} {
		b.Run(pattern, func(b *testing.B) {
			d := newToolset(v, Owner{Session: "s"})
			q, _ := newQuery(grepArgs{Pattern: pattern})
			p, _ := v.Path(".")
			for b.Loop() {
				if _, err := d.grep(context.Background(), p, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Lines are counted as read counts them: behind the part that is looked at for how
// lines end, the other way to end them is none.
func TestGrepCountsLinesAsRead(t *testing.T) {
	r := newRoom(t, map[string]string{"cr": strings.Repeat("a\r", sniffBytes) + "b\nc\rneedle\r"})
	r.want(r.run("grep", "pattern", "needle"), false, fmt.Sprintf("cr\n  %d: needle\n", sniffBytes+2))
	r.want(r.run("read", "path", "cr", "offset", sniffBytes+2), false, fmt.Sprintf("%d: needle\n", sniffBytes+2))
}
