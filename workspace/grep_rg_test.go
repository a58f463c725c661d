package workspace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// rg runs ripgrep over dir so that it looks where our tools look. Exit 1 is "no
// match".
func rg(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("rg", append([]string{"--no-config", "--no-require-git", "--hidden", "--no-ignore-dot", "--no-ignore-global", "--max-filesize", "10M", "-g", "!.git"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("rg %q: %v", args, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "./")
	}
	slices.Sort(lines)
	return lines
}

// grep and glob find the very files and lines that ripgrep finds, on random
// trees with nested ignore files.
func TestSearchAgainstRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("rg is not installed")
	}
	rnd := rand.New(rand.NewPCG(3, 9))
	words := strings.Fields("func handler Handler return ctx Error error Deadline deprecated Quux := 555-1234 Kelvin session sesſion \u212Aelvin größe GRÖSSE _ { } . aaaa aab ab ssss kk http.Get foo_bar")
	names := strings.Fields("a.go b.go c.ts d.md main.go x.log .hidden run.tmp y.snap Makefile")
	dirs := strings.Fields("src lib node_modules .github dist pkg deep")
	var first []string
	for round := range 3 {
		root := t.TempDir()
		places := []string{root}
		for range 25 {
			at := filepath.Join(places[rnd.IntN(len(places))], dirs[rnd.IntN(len(dirs))])
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			places = append(places, at)
		}
		for _, at := range places {
			for range 6 {
				var b strings.Builder
				for range rnd.IntN(60) {
					for range rnd.IntN(9) {
						b.WriteString(words[rnd.IntN(len(words))] + []string{" ", "", "("}[rnd.IntN(3)])
					}
					b.WriteString([]string{"\n", "\n", "\n\n", "\t\n"}[rnd.IntN(4)])
				}
				if err := os.WriteFile(filepath.Join(at, names[rnd.IntN(len(names))]), []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if rnd.IntN(4) == 0 {
				lines := []string{"*.log", "node_modules/", "/dist", "!x.log", "*.s?ap", "deep/**", "**/run.tmp"}
				rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				if err := os.WriteFile(filepath.Join(at, ".gitignore"), []byte(strings.Join(lines[:3], "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		v, err := Open([]Folder{{Path: root}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := newToolset(v, Owner{Session: "s"})
		p, err := v.Path(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			pattern      string
			ignore, text bool
			include      string
		}{
			{pattern: "handler"}, {pattern: "handler", ignore: true}, {pattern: "session", ignore: true}, {pattern: "kelvin", ignore: true}, {pattern: "ss", ignore: true}, {pattern: "kk", ignore: true},
			{pattern: "größe", ignore: true}, {pattern: "Deadline|deprecated|Quux"}, {pattern: "quux|session|kelvin", ignore: true}, {pattern: `func \w+andler\(`}, {pattern: "[0-9]{3}-[0-9]{4}"}, {pattern: ":="},
			{pattern: `\berror\b`}, {pattern: `\bssss`, ignore: true}, {pattern: ".*ctx.*"}, {pattern: "^func"}, {pattern: "ctx $"}, {pattern: "^$"}, {pattern: "aab"}, {pattern: "aaaa"}, {pattern: "aaab"}, {pattern: "[a-z]+_[a-z]+"}, {pattern: "[A-Z][a-z]+"},
			{pattern: "http.Get", text: true}, {pattern: ".", text: true}, {pattern: "(", text: true}, {pattern: "return", include: "*.go"}, {pattern: "return", include: "*.{ts,md}"}, {pattern: "return", include: "Makefile"},
			{pattern: "(?i)ERROR|ctx"}, {pattern: "(foo|)_bar"}, {pattern: "x*"}, {pattern: "K(elvin)?"}, {pattern: "(?i:k)elvin"},
		} {
			q, err := newQuery(grepArgs{Pattern: row.pattern, IgnoreCase: row.ignore, Literal: row.text, Include: row.include})
			if err != nil {
				t.Fatal(err)
			}
			q.Limit = 1 << 20
			res, err := d.grep(context.Background(), p, q)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"-n", "--no-heading"}
			if row.ignore {
				args = append(args, "-i")
			}
			if row.text {
				args = append(args, "-F")
			}
			if row.include != "" {
				args = append(args, "-g", row.include)
			}
			theirs := strings.ReplaceAll(row.pattern, `\b`, `(?-u:\b)`) // ours goes by ASCII, as RE2 says
			want := rg(t, root, append(args, "-e", theirs, ".")...)
			got := hitLines(res.Text)
			if !slices.Equal(got, want) {
				t.Errorf("%+v: only ours %.5q, only ripgrep %.5q", row, minus(got, want), minus(want, got))
			}
			if round == 0 {
				first = append(first, fmt.Sprint(len(want)))
			}
		}
		for _, pattern := range []string{"**/*", "**/*.go", "**/main.go", "**/*.{ts,md}", "**/s*/**/*.go", "**/.*"} {
			w := d.newWalk(p)
			w.Wants = search.NewNameGlob(pattern).Match
			args := []string{"--files", "-g", pattern}
			if pattern == "**/*" {
				args = args[:1] // theirs would bring back what is ignored
			}
			if got, want := walked(t, w), rg(t, root, args...); !slices.Equal(got, want) {
				t.Errorf("%s: only ours %q, only ripgrep %q", pattern, minus(got, want), minus(want, got))
			}
		}
		v.Close()
	}
	t.Log("lines found, by pattern:", strings.Join(first, " "))
}

// hitLines are the lines of an answer of grep as ripgrep writes them.
func hitLines(text string) []string {
	var out []string
	file := ""
	for l := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(l, "("):
		case strings.HasPrefix(l, "  "):
			no, line, _ := strings.Cut(l[2:], ": ")
			out = append(out, file+":"+no+":"+line)
		default:
			file = l
		}
	}
	slices.Sort(out)
	return out
}

// walked are the files that w comes to, sorted.
func walked(t *testing.T, w *search.Walk) []string {
	t.Helper()
	var mu sync.Mutex
	var out []string
	err := w.Run(context.Background(), func(f search.Found) error {
		mu.Lock()
		defer mu.Unlock()
		out = append(out, f.Rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
