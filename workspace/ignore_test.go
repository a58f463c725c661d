package workspace

import (
	"bytes"
	"context"
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
		v, err := Open([]Folder{{Path: dir}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := walkAll(t, v, ".")
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
			if got := walkAll(t, v, sub); !slices.Equal(got, inSub) {
				t.Errorf("below %s: only ours %q, only git %q", sub, minus(got, inSub), minus(inSub, got))
			}
		}
		v.Close()
	}
	if checked < 100 {
		t.Errorf("only %d files compared", checked)
	}
}

func walkAll(t *testing.T, v *Vault, at string) []string {
	t.Helper()
	p, err := v.Path(at)
	if err != nil {
		t.Fatal(err)
	}
	return walked(t, newDesk(v, "s").newWalker(p))
}

// walked are the files that w comes to, sorted.
func walked(t *testing.T, w *walker) []string {
	t.Helper()
	var mu sync.Mutex
	var out []string
	err := w.run(context.Background(), func(f found) error {
		mu.Lock()
		defer mu.Unlock()
		out = append(out, f.rel)
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

// A folder inside a larger repository: the rules above the folder hold.
func TestIgnoreAboveTheFolder(t *testing.T) {
	r := newRoom(t, map[string]string{"../.gitignore": "*.log\n/vault/gen\n", "../.git/info/exclude": "excl\n", "a.log": "", "gen/x": "", "excl": "", "keep": "", "../user/.config/git/ignore": "mine\n", "mine": ""})
	if got := walkAll(t, r.v, "."); !slices.Equal(got, []string{"keep"}) {
		t.Error(got)
	}
}
