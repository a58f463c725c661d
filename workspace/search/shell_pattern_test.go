package search

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bashGlobs is what the bash of this machine makes of each pattern in dir.
func bashGlobs(t *testing.T, dir, locale string, patterns []string) [][]string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("not run: there is no bash here")
	}
	var script strings.Builder
	script.WriteString("shopt -s nullglob\nIFS=\n")
	for _, p := range patterns {
		script.WriteString("p='" + strings.ReplaceAll(p, "'", `'\''`) + "'\nfor f in $p; do printf '%s\\0' \"$f\"; done\nprintf '\\1\\0'\n")
	}
	cmd := exec.Command(bash, "--noprofile", "--norc")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"LC_ALL=" + locale, "PATH=/usr/bin:/bin"}, strings.NewReader(script.String())
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	out, now := [][]string{}, []string{}
	for part := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		if part == "\x01" {
			out, now = append(out, now), nil
		} else if _, err := os.Lstat(filepath.Join(dir, part)); err == nil { // a word that bash takes for no pattern stays
			now = append(now, filepath.Join(dir, part))
		}
	}
	if len(out) != len(patterns) {
		t.Fatalf("%d answers to %d patterns", len(out), len(patterns))
	}
	return out
}

var globFiles = []string{
	"a", "b", "c.txt", "Z", ".env", ".envrc", "x.env", "[x].env", "[[x].env", "a-b", "a]b", "]", "-", "!", "^a", "!a", "1.env", "é.env", "É", "_", "a b", "{a,b}", "(a)",
	"d/.env", "d/a.key", "[d]/.env", "[d/x", ".h/k.env", "@(a)", "+", "~x", "ab", "aB", "[a-b].env", "[:alpha:]", "[", "a*b",
}

func globFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range globFiles {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skipf("not run: no file may be called %s here", name)
		}
	}
	return dir
}

// Patterns without ranges and classes mean the same everywhere.
func TestPatternsAsBashReadsThem(t *testing.T) {
	dir := globFolder(t)
	patterns := []string{
		"*", ".*", "?", "[ab]", "[!a]", "[^a]", "[]]", "[!]]", "[]a]*", "[[]x].env", "[[][[]x].env", "[[]*", "[", "[*", "[a", "[!", "[]", "[!]", "[]*", "*[", "a[*]b", "[a]b]", "a[]]b",
		".[e]nv", "[.]env", ".[!a]nv", "?env", "*.env", ".e*", "*/.env", "[[]d]/.e*", "[d/x]", "[[]d/x", ".h/*", ".[h]/*.env", "{a,b}", "{a*", "(a)", "@(a)", "*(a)", "[-]", "[a-]*", "[-a]", "[!-]", "[@]*", "[(]*",
		"**", "**/.env", "a?b", "[é].env", "?.env", "*é*", "[]-]", "[!!]", "[^^]*", "[^!]a",
	}
	for i, want := range bashGlobs(t, dir, "C.UTF-8", patterns) {
		got, complete := Expand(dir, patterns[i])
		got, want = withoutDots(dir, got), withoutDots(dir, want)
		slices.Sort(got)
		slices.Sort(want)
		if !complete || !slices.Equal(got, want) {
			t.Errorf("%s: %q, bash says %q", patterns[i], got, want)
		}
	}
}

// withoutDots leaves out "." and "..", which some versions of bash hit and some do not.
func withoutDots(dir string, paths []string) (out []string) {
	for _, p := range paths {
		if rest := strings.TrimPrefix(p, dir+"/"); filepath.Clean(p) == p && p != dir && rest != p {
			out = append(out, p)
		}
	}
	return out
}

// Bypass: whatever a pattern is made of, a name that bash hits is among those that are
// judged, or the pattern is one that asks.
func TestBypassPatternsOfAnyForm(t *testing.T) {
	dir := globFolder(t)
	pieces := strings.Split("a b x e n v . env .env * ? [ ] [! [^ - [a-z] [A-Z] [0-9] [a-b] [b-a] [A-z] [!a-z] [[:alpha:]] [[:lower:]] [[:punct:]] [![:upper:]] [:alpha:] [[:digit:]-z] [[.a.]] [[=a=]] [.-x] [+--] d / [a-] d/ ] [[ é [é-ö] [!-x] {a,b} ( ) ! ^ :", " ")
	rnd := rand.New(rand.NewPCG(1, 2))
	var patterns []string
	for range 2500 {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		if p := b.String(); strings.ContainsAny(p, "*?[") && p[0] != '/' {
			patterns = append(patterns, p)
		}
	}
	read := 0
	for _, locale := range []string{"C", "C.UTF-8", "en_US.UTF-8"} {
		for i, want := range bashGlobs(t, dir, locale, patterns) {
			got, complete := Expand(dir, patterns[i])
			if !complete {
				continue
			}
			read++
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("%s: bash in %s also hits %q; read as %q", patterns[i], locale, w, got)
				}
			}
		}
	}
	if read < len(patterns) {
		t.Errorf("only %d of %d patterns were read", read, 3*len(patterns))
	}
}

// What only the shell knows is not guessed at.
func TestPatternsThatAreNotRead(t *testing.T) {
	dir := globFolder(t)
	for _, pattern := range []string{"[[.a.]]*", "[[=a=]]*", "[[:none:]]*", "[[:alpha:]-z]*", "*\xff", "[\xff]*"} {
		if got, complete := Expand(dir, pattern); complete {
			t.Errorf("%q: %q", pattern, got)
		}
	}
}
