package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// files are texts by their paths.
type files map[string]string

func (f files) open(path string) (io.ReadCloser, error) {
	text, ok := f[path]
	if !ok {
		return nil, errors.New("no such file")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

var tree = files{
	"server/http.go":             "package server\n\nfunc Serve(addr string) error {\n\treturn nil\n}\n",
	"Makefile":                   "all:\n\tgo build",
	"Gemfile":                    "gem x\n",
	"docs/a b.md":                "one\ntwo",
	"my notes file":              "x\n",
	"app/(shop)/[slug]/page.tsx": "export default 1\n",
	"src/größe/é.go":             "package x\n",
	"file:///ws/a.go":            "package a\n",
	"vault:/a.go":                "package a\n",
	"vault@two:/b.go":            "package b\n",
	`C:\src\a.go`:                "package a\n",
	"long.min.js":                strings.Repeat("x", 9000) + "needle" + strings.Repeat("y", 9000) + "\n",
	"empty.txt":                  "",
	"log.txt":                    "ok\nmain.go:3:5: undefined: x\n",
	".env.example":               "A=1\n",
	"v.go":                       "func f(xs ...int) {}\nfunc g() {\n\ta()\n\tb()\n\tc()\n}\n",
	"t.md":                       "| a | b |\n",
	".agent-output/0001/20260101T000000Z_bash_c1_12345678.txt": "FAIL x\n",
}

// What counts as a citation, what holds, and where the mark stands. want is "" for
// a text that stays as it is.
func TestCheck(t *testing.T) {
	for _, row := range []struct {
		text    string
		ok, bad int
		want    string
	}{
		// The place.
		{"see server/http.go:3", 1, 0, ""},
		{"server/http.go:5", 1, 0, ""},
		{"server/http.go:6", 0, 1, "server/http.go:6 [unverified]"},
		{"server/http.go:0", 0, 1, "server/http.go:0 [unverified]"},
		{"server/http.go:99999999999999999999 x", 0, 1, "server/http.go:99999999999999999999 [unverified] x"},
		{"server/http.go:12345678", 0, 1, "server/http.go:12345678 [unverified]"},
		{"server/http.go:3-5", 1, 0, ""},
		{"server/http.go:3–5", 1, 0, ""},
		{"server/http.go:3-6", 0, 1, "server/http.go:3-6 [unverified]"},
		{"server/http.go:5-3", 0, 1, "server/http.go:5-3 [unverified]"},
		{"server/http.go:3:5", 1, 0, ""},
		{"server/http.go:9:5 x", 0, 1, "server/http.go:9:5 [unverified] x"},
		{"server/http.go:1,3-5", 1, 0, ""},
		{"server/http.go:1,3-9 x", 0, 1, "server/http.go:1,3-9 [unverified] x"},
		{"server/http.go:1, 7 of them", 1, 0, ""},
		{"server/http.go#L3", 1, 0, ""},
		{"server/http.go#L3-L5", 1, 0, ""},
		{"server/http.go#L3C1-L9C2", 0, 1, "server/http.go#L3C1-L9C2 [unverified]"},
		{"server/http.go:L3", 1, 0, ""},
		{"empty.txt:1", 0, 1, "empty.txt:1 [unverified]"},
		{"Makefile:2", 1, 0, ""},
		{"Makefile:3", 0, 1, "Makefile:3 [unverified]"},
		{"Gemfile:1 and Gemfile:2", 1, 1, "Gemfile:1 and Gemfile:2 [unverified]"},
		{".env.example:1", 1, 0, ""},
		// The file.
		{"server/nope.go:1", 0, 1, "server/nope.go:1 [unverified]"},
		{"nope.go:1", 0, 1, "nope.go:1 [unverified]"},
		{"cmd/nope:1", 0, 1, "cmd/nope:1 [unverified]"},
		{"(server/http.go:1)", 1, 0, ""},
		{"(server/http.go:9)", 0, 1, "(server/http.go:9) [unverified]"},
		{"**server/http.go:9** x", 0, 1, "**server/http.go:9** [unverified] x"},
		{"**server/http.go**:3", 1, 0, ""},
		{"`server/http.go`:3 and `server/http.go`:9", 1, 1, "`server/http.go`:3 and `server/http.go`:9 [unverified]"},
		{"server/http.go:1 and server/http.go:99", 1, 1, "server/http.go:1 and server/http.go:99 [unverified]"},
		{"server/http.go:1,server/http.go:9;Makefile:1", 2, 1, "server/http.go:1,server/http.go:9 [unverified];Makefile:1"},
		{"app/(shop)/[slug]/page.tsx:1", 1, 0, ""},
		{"src/größe/é.go:1", 1, 0, ""},
		{"`docs/a b.md:2`", 1, 0, ""},
		{"it is in docs/a b.md:2", 1, 0, ""},
		{"it is in docs/a b.md:3", 0, 1, "it is in docs/a b.md:3 [unverified]"},
		{"`docs/a c.md:2` x", 0, 1, "`docs/a c.md:2` [unverified] x"},
		{"`my notes file:1`", 1, 0, ""},
		{"server\\http.go:3", 1, 0, ""},
		{`C:\src\a.go:1`, 1, 0, ""},
		{`C:\src\a.go:2`, 0, 1, `C:\src\a.go:2 [unverified]`},
		{`D:\src\b.go:2`, 0, 1, `D:\src\b.go:2 [unverified]`},
		{"file:///ws/a.go:1", 1, 0, ""},
		{"file:///ws/a.go#L2", 0, 1, "file:///ws/a.go#L2 [unverified]"},
		{"vault:/a.go:1 vault@two:/b.go:1", 2, 0, ""},
		{"vault:/a.go:7", 0, 1, "vault:/a.go:7 [unverified]"},
		{"<server/http.go:3>", 1, 0, ""},
		{"[the server](server/http.go:3)", 1, 0, ""},
		{"[the server](server/http.go#L9) x", 0, 1, "[the server](server/http.go#L9) [unverified] x"},
		{"[http.go:3](server/http.go#L3)", 1, 0, ""},
		{"[`http.go:3`](server/http.go#L3)", 1, 0, ""},
		{"[server/http.go:3](server/http.go)", 1, 0, ""},
		{"[server/http.go:9](server/http.go) x", 0, 1, "[server/http.go:9](server/http.go) [unverified] x"},
		{"[a](docs/a%20b.md:2)", 1, 0, ""},
		{".agent-output/0001/20260101T000000Z_bash_c1_12345678.txt:1 `FAIL x`", 1, 0, ""},
		// What is none.
		{"at http://localhost:8080/x and 12:30 and 12:30:15 and 1.2.3.4:80", 0, 0, ""},
		{"https://example.com/a.go:3 is an address", 0, 0, ""},
		{"localhost:8080, example.com:443, db.internal:5432, golang:1.22, redis:7", 0, 0, ""},
		{"step:3 note:4 std::vector:5 1:1", 0, 0, ""},
		{"server/http.go:3rd", 0, 0, ""},
		// The words.
		{"`server/http.go:3` `func Serve(addr string) error {`", 1, 0, ""},
		{"`server/http.go:3` `func Listen() error`", 0, 1, "`server/http.go:3` [unverified] `func Listen() error`"},
		{"server/http.go:3: \"func Serve\"", 1, 0, ""},
		{"server/http.go:3 — “func Serve”", 1, 0, ""},
		{"server/http.go:3 => ``func Serve``", 1, 0, ""},
		{"| server/http.go:3 | `func Serve` |", 1, 0, ""},
		{"| server/http.go:3 | `func Nope` |", 0, 1, "| server/http.go:3 [unverified] | `func Nope` |"},
		{"t.md:1 `\\| a \\| b \\|`", 1, 0, ""},
		{"server/http.go:3-5 `return nil }`", 1, 0, ""},
		{"server/http.go:4 `return nil }`", 0, 1, "server/http.go:4 [unverified] `return nil }`"},
		{"server/http.go:3 `3: func Serve`", 1, 0, ""},
		{"server/http.go:3 `func … error {`", 1, 0, ""},
		{"server/http.go:3 `func ... error {`", 1, 0, ""},
		{"server/http.go:3 `error … func`", 0, 1, "server/http.go:3 [unverified] `error … func`"},
		{"v.go:1 `func f(xs ...int)`", 1, 0, ""},
		{"server/http.go:3 `…`", 1, 0, ""},
		{"server/http.go:3 `}`", 0, 1, "server/http.go:3 [unverified] `}`"},
		{"server/http.go:3 `" + strings.Repeat("made up ", 200) + "`", 0, 1, "server/http.go:3 [unverified] `" + strings.Repeat("made up ", 200) + "`"},
		{"long.min.js:1 `needle`", 1, 0, ""},
		{"long.min.js:1 `" + strings.Repeat("x", mostQuoted-3) + "`", 1, 0, ""},
		{"long.min.js:1 `" + strings.Repeat("x", mostQuoted-2) + "`", 0, 1, "long.min.js:1 [unverified] `" + strings.Repeat("x", mostQuoted-2) + "`"},
		{"`server/http.go:3: func Serve`", 1, 0, ""},
		{"`server/http.go:3: func Nope` x", 0, 1, "`server/http.go:3 [unverified]: func Nope` x"},
		{"`server/http.go:3`, `Makefile:1`", 2, 0, ""},
		{"server/http.go:3 - `Makefile:9`", 1, 1, "server/http.go:3 - `Makefile:9` [unverified]"},
		{"server/http.go:3 defines `Anything`", 1, 0, ""},
		// What a quotation holds is not said by the explorer.
		{"log.txt:2 `main.go:3:5: undefined: x`", 1, 0, ""},
		{"log.txt:1 `main.go:3:5: undefined: x`", 0, 1, "log.txt:1 [unverified] `main.go:3:5: undefined: x`"},
		// Blocks of code.
		{"v.go:2:\n```go\nfunc g() {\n\ta()\n\tb()\n```\n", 1, 0, ""},
		{"v.go:2:\n```go\nfunc g() {\n\tz()\n```\n", 0, 1, "v.go:2 [unverified]:\n```go\nfunc g() {\n\tz()\n```\n"},
		{"v.go:2-6\n```go\nfunc g() {\n\t// ...\n\tc()\n```\nMakefile:1", 2, 0, ""},
		{"v.go:2\n```\n2: func g() {\n3: \ta()\n```\n", 1, 0, ""},
		{"log.txt:2\n```\nmain.go:3:5: undefined: x\n```\nand nope.go:1", 1, 1, "log.txt:2\n```\nmain.go:3:5: undefined: x\n```\nand nope.go:1 [unverified]"},
		{"v.go:1\n```mermaid\na --> b\n```\n", 1, 0, ""},
		{"```\nserver/http.go:3 Serve\nserver/http.go:9 Listen\n```", 1, 1, "```\nserver/http.go:3 Serve\nserver/http.go:9 [unverified] Listen\n```"},
		{"```\nserver/http.go:3: func Serve(\nserver/http.go:3: func Listen(\n```", 1, 1, "```\nserver/http.go:3: func Serve(\nserver/http.go:3 [unverified]: func Listen(\n```"},
		// Marks that are there already.
		{"server/http.go:99 [unverified]", 0, 1, ""},
		{"server/http.go:3 [unverified]", 1, 0, ""},
	} {
		want := row.want
		if want == "" {
			want = row.text
		}
		got, ok, bad := check(t.Context(), sources{open: tree.open}, row.text)
		if got != want || ok != row.ok || bad != row.bad {
			t.Errorf("%q: got %q %d/%d, want %q %d/%d", row.text, got, ok, bad, want, row.ok, row.bad)
		}
	}
}

// counted counts what is opened and read.
type counted struct {
	files
	opened, read int
}

func (c *counted) open(path string) (io.ReadCloser, error) {
	c.opened++
	f, err := c.files.open(path)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(reading{f, &c.read}), nil
}

type reading struct {
	io.Reader
	n *int
}

func (r reading) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	*r.n += n
	return n, err
}

// However often a file is cited, it is read once, and no further than it must be.
func TestCheckReadsEachFileOnce(t *testing.T) {
	big := &counted{files: files{"big.txt": strings.Repeat("a line of text\n", 1_000_000)}}
	var text strings.Builder
	for n := range mostCitations {
		fmt.Fprintf(&text, "big.txt:%d `line of`\n", 400*n+1)
	}
	_, ok, bad := check(t.Context(), sources{open: big.open}, text.String())
	if ok != mostCitations || bad != 0 || big.opened > 2 || big.read > 13_000_000 {
		t.Errorf("%d ok, %d bad, opened %d times, %d bytes read", ok, bad, big.opened, big.read)
	}
}

// What is beyond the bounds does not hold, and takes no time.
func TestCheckIsBounded(t *testing.T) {
	cited := func(n int) string { return strings.Repeat("server/http.go:3 `func`\n", n) }
	for n, want := range map[int]int{mostCitations - 1: mostCitations - 1, mostCitations: mostCitations, mostCitations + 1: mostCitations} {
		if _, ok, bad := check(t.Context(), sources{open: tree.open}, cited(n)); ok != want || ok+bad != n {
			t.Errorf("%d citations: %d ok, %d bad", n, ok, bad)
		}
	}
	var missing strings.Builder
	for n := range 50_000 {
		fmt.Fprintf(&missing, "some words before gone%d.go:1\n", n)
	}
	c := &counted{files: tree}
	if _, ok, bad := check(t.Context(), sources{open: c.open}, missing.String()); ok != 0 || bad != 50_000 || c.opened > mostOpened {
		t.Errorf("%d ok, %d bad, looked for %d files", ok, bad, c.opened)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, bad := check(ctx, sources{open: tree.open}, cited(3)); ok != 0 || bad != 3 {
		t.Errorf("after the end: %d ok, %d bad", ok, bad)
	}
}

// A line that is made to be hard costs no more than one that is not.
func TestCheckOfHardLines(t *testing.T) {
	for _, piece := range []string{"a.go:1 “", "a.go:1 \"", "a.go:1 `", "a.go:1 ``", "`a.go:1 x ", "[a.go:1](", "a b c d e.go:1 ", "(((a.go:1", ":1", "a.go:1,2,3,4", "`", "file:a:1", "a.go:1-", "```a.go:1"} {
		took := func(size, times int) time.Duration {
			line := strings.Repeat(piece, size/len(piece))
			broken := strings.ReplaceAll(line, " ", "\n")
			began := time.Now()
			for range times {
				check(t.Context(), sources{open: tree.open}, line)
				check(t.Context(), sources{open: tree.open}, broken)
			}
			return time.Since(began)
		}
		// One long line takes as long as sixteen short ones, or sixteen times as long
		// where a search starts anew at each place, on a machine of any speed. Others use
		// that machine, too: what counts is the best of some measurements.
		few, many := took(1<<12, 16), took(1<<16, 1)
		for tries := 0; many > 4*few && tries < 10; tries++ {
			few, many = min(few, took(1<<12, 16)), min(many, took(1<<16, 1))
		}
		if many > 4*few {
			t.Errorf("%q: %s for 64 KB in 4 KB each, %s in one", piece, few, many)
		}
	}
}

// endless is a file without an end, line after line, or one line.
type endless struct{ of byte }

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.of
	}
	return len(b), nil
}

// A file that never ends costs what the bound says, in time and in memory.
func TestCheckOfAnEndlessFile(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, of := range []byte{'\n', 'x'} {
		open := func(string) (io.ReadCloser, error) { return io.NopCloser(endless{of}), nil }
		if _, ok, bad := check(t.Context(), sources{open: open}, "dev/zero.txt:2000000000 `x`"); ok != 0 || bad != 1 {
			t.Errorf("%q: %d ok, %d bad", of, ok, bad)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("allocated %d bytes", grown)
	}
}

// Whatever a report says, nothing but marks is added to it.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"server/http.go:3 `func`", "[a](b.go:1)", "```\na.go:1\n```", "`a b:1", "x:1`", "a.go:1\n```go\nx", "C:\\a:1-", "é.go:1,2–3:4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok, bad := check(t.Context(), sources{open: tree.open}, text)
		if strings.ReplaceAll(got, unverified, "") != strings.ReplaceAll(text, unverified, "") {
			t.Errorf("%q became %q", text, got)
		}
		if again, ok2, bad2 := check(t.Context(), sources{open: tree.open}, text); again != got || ok2 != ok || bad2 != bad {
			t.Errorf("%q: not the same twice", text)
		}
	})
}

func TestThoroughness(t *testing.T) {
	for prompt, want := range map[string]thoroughness{
		"Where is Serve?":                                 unsaid,
		"quick: where is Serve?":                          quick,
		"Quick search for Serve.":                         quick,
		"**Medium.** How do the parts fit?":               medium,
		"Very thorough: every caller of Serve.":           veryThorough,
		"very thorough\nEvery caller.":                    veryThorough,
		"Find all. Thoroughness: very thorough":           veryThorough,
		"Find all.\n\nthoroughness level: `quick`":        quick,
		"Find it (thoroughness = very-thorough).":         veryThorough,
		"Quick question: is there a medium size of x?":    unsaid,
		"Find the quick sort.":                            unsaid,
		"quicksort: where?":                               unsaid,
		"Where is the thoroughness of the quick path set": unsaid,
		"": unsaid,
	} {
		if got := thoroughnessOf(prompt); got != want {
			t.Errorf("%q: got %d, want %d", prompt, got, want)
		}
	}
}
