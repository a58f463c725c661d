package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// git runs the real git in dir, away from the person's own configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.excludesFile=", "-c", "core.quotePath=false", "-c", "core.ignoreCase=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir+"/nohome", "XDG_CONFIG_HOME="+dir+"/nohome", "GIT_CONFIG_NOSYSTEM=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %v: %v", args, err)
	}
	return out.String()
}

// Our ignore rules are git's: random patterns over random trees, held against
// `git ls-files -co --exclude-standard` and `git check-ignore`.
func TestIgnoreAgainstGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rnd := rand.New(rand.NewPCG(7, uint64(11)))
	names := []string{"a", "b", "foo", "foo.go", "bar.log", ".log", ".go", ".hid", "build", "x{y}", "sp ace", "[z]", "A", "é", "a-b"}
	parts := []string{
		"a", "b", "foo", "*.go", "*.log", "*", "**", "?", "f*", "[ab]", "[!a]", "[a-f]oo", "build", "x{y}", "sp ace", `\[z]`, "[]z]", "[[:alpha:]]", "*o*", ".*", "**.go", "a**b", `\a`, "[a-", "é", "[^b]*", "[a-b-]*", "[[:upper:]]",
	}
	pattern := func() string {
		var segs []string
		for range 1 + rnd.IntN(3) {
			segs = append(segs, parts[rnd.IntN(len(parts))])
		}
		p := strings.Join(segs, "/")
		if rnd.IntN(5) == 0 {
			p = "/" + p
		}
		if rnd.IntN(4) == 0 {
			p += "/"
		}
		if rnd.IntN(4) == 0 {
			p = "!" + p
		}
		switch rnd.IntN(20) {
		case 0:
			p += "  "
		case 1:
			p = "#" + p
		case 2:
			p += `\ `
		case 3:
			p += "\r"
		}
		return p
	}
	checked := 0
	for range 25 {
		dir, _ := filepath.EvalSymlinks(t.TempDir())
		dirs := []string{dir}
		for range 12 {
			at := filepath.Join(dirs[rnd.IntN(len(dirs))], names[rnd.IntN(len(names))])
			if os.MkdirAll(at, 0o755) == nil {
				dirs = append(dirs, at)
			}
		}
		for range 40 {
			os.WriteFile(filepath.Join(dirs[rnd.IntN(len(dirs))], names[rnd.IntN(len(names))]), nil, 0o644)
		}
		for range 3 {
			var lines []string
			for range 1 + rnd.IntN(4) {
				lines = append(lines, pattern())
			}
			os.WriteFile(filepath.Join(dirs[rnd.IntN(len(dirs))], ".gitignore"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
		}
		git(t, dir, "init", "-q")
		os.MkdirAll(filepath.Join(dir, ".git/info"), 0o755)
		os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte(pattern()+"\n"), 0o644)

		want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00")
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		slices.Sort(want)
		got := walked(t, below(dir, "."))
		checked += len(want)
		if !slices.Equal(got, want) {
			var rules strings.Builder
			filepath.WalkDir(dir, func(p string, _ fs.DirEntry, _ error) error {
				if filepath.Base(p) == ".gitignore" || strings.HasSuffix(p, "info/exclude") {
					data, _ := os.ReadFile(p)
					fmt.Fprintf(&rules, "%s:\n%s", strings.TrimPrefix(p, dir), data)
				}
				return nil
			})
			t.Errorf("rules\n%s\nonly ours: %q\nonly git: %q", rules.String(), minus(got, want), minus(want, got))
		}
		// One subdirectory alone: the rules above it hold there too.
		sub, _ := filepath.Rel(dir, dirs[rnd.IntN(len(dirs))])
		if git(t, dir, "check-ignore", sub) == "" && sub != "." {
			var inSub []string
			for _, w := range want {
				if strings.HasPrefix(w, filepath.ToSlash(sub)+"/") {
					inSub = append(inSub, strings.TrimPrefix(w, filepath.ToSlash(sub)+"/"))
				}
			}
			if got := walked(t, below(dir, sub)); !slices.Equal(got, inSub) {
				t.Errorf("below %s: only ours %q, only git %q", sub, minus(got, inSub), minus(inSub, got))
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d files compared", checked)
	}
}

// below is a walk through sub, in the repository at dir.
func below(dir, sub string) *Walk {
	at := Place{Dirs: []string{dir}, Agent: func(string) bool { return true }, Repository: dir, GitDir: filepath.Join(dir, ".git")}
	base := dir
	for seg := range strings.SplitSeq(filepath.ToSlash(sub), "/") {
		if base = filepath.Join(base, seg); seg != "." {
			at.Dirs = append(at.Dirs, base)
		}
	}
	rules, free := at.Rules()
	return NewWalk(Directory{Base: base, Rules: rules, Free: free, Asked: func(string, string, fs.FileMode) bool { return false }})
}

// walked are the files that w comes to, sorted.
func walked(t *testing.T, w *Walk) []string {
	t.Helper()
	var mu sync.Mutex
	var out []string
	err := w.Run(context.Background(), func(f Found) error {
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

// What .agentignore hides is hidden below as well, whatever git says, and no rule of a
// directory that is itself hidden is asked.
func TestHidden(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".agentignore": "secret\n*.key\n", "a/.agentignore": "!mine.key\nb/\n", "a/.gitignore": "c\n", "secret/.agentignore": "!open\n"} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{"a": false, "secret": true, "secret/open": true, "x.key": true, "a/x.key": true, "a/mine.key": false, "a/b": true, "a/b/d": true, "a/c": false, "b": false} {
		dirs := []string{dir}
		for seg := range strings.SplitSeq(path, "/") {
			dirs = append(dirs, filepath.Join(dirs[len(dirs)-1], seg))
		}
		if got := Hidden(dirs); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// A walk leaves out what is ignored, hidden or asked about, counts the last, and does
// not ask about what is not wanted. In a place that was named on purpose git's rules are none.
func TestWalkLeavesOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".gitignore": "gen/\n", ".agentignore": "hidden\n", "a.go": "", "d/b.go": "", "d/.agentignore": "c.go\n", "d/c.go": "", "d/.env": "", "gen/g.go": "", "hidden/h.go": "", ".git/z.go": ""} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(rel, abs string, mode fs.FileMode) bool {
		if abs != filepath.Join(dir, filepath.FromSlash(rel)) || !mode.IsRegular() {
			t.Errorf("asked about %s, %s, %v", rel, abs, mode)
		}
		return strings.HasSuffix(rel, ".env")
	}
	for _, row := range []struct {
		free, agent bool
		wants       func(string) bool
		files       []string
		sensitive   int
	}{
		{false, true, nil, []string{".agentignore", ".gitignore", "a.go", "d/.agentignore", "d/b.go"}, 1},
		{false, true, NewNameGlob("**/*.go").Match, []string{"a.go", "d/b.go"}, 0},
		{true, true, NewNameGlob("**/*.go").Match, []string{".git/z.go", "a.go", "d/b.go", "gen/g.go"}, 0},
		{false, false, NewNameGlob("**/*.go").Match, []string{"a.go", "d/b.go", "d/c.go", "hidden/h.go"}, 0},
	} {
		rules, _ := Place{Dirs: []string{dir}, Agent: func(string) bool { return row.agent }}.Rules()
		w := NewWalk(Directory{Base: dir, Rules: rules, Free: row.free, Outside: !row.agent, Asked: asked})
		w.Wants = row.wants
		if got := walked(t, w); !slices.Equal(got, row.files) || w.Skips() != (Skips{Sensitive: row.sensitive}) {
			t.Errorf("%+v: %q, %+v", row, got, w.Skips())
		}
	}
}
