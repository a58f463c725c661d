//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/opens"
)

// tracedPrograms are those that a person of these tests allows with any arguments.
// None of them runs another program by itself.
var tracedPrograms = []string{
	"cat", "head", "tail", "wc", "grep", "ls", "cut", "nl", "sort", "uniq", "diff", "cmp", "stat", "file", "du", "tac", "od", "rev", "paste", "comm", "join", "fold", "expand",
	"cp", "mv", "ln", "touch", "mkdir", "rmdir", "rm", "tee", "dd", "sed", "awk", "find", "tar", "truncate", "split", "chmod", "install",
	"echo", "printf", "test", "[", "true", ":", "cd", "pwd", "read", "basename", "dirname", "readlink", "realpath", "base64", "md5sum", "tr", "mapfile", "set", "shopt", "exec", "f", "pushd", "popd",
	"git log", "git diff", "git show", "git status", "git blame", "git ls-files", "git grep", "git rev-parse",
}

// traced is a workspace beside what must not be touched, a program that judges
// commands in it, and a tracer that runs them.
type traced struct {
	root, work, temp string
	repository       string // a template of .git, "" where there is no git
	baits            map[[2]uint64]string
	changed          string // by the last script, of the tree; at first all of it
	back             *rpc.Backend
	tracer           *opens.Tracer
}

func newTraced(t *testing.T) *traced {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &traced{root: root, work: filepath.Join(root, "work"), temp: filepath.Join(root, "temp")}
	for _, dir := range []string{w.work, w.temp, filepath.Join(root, "home", ".agent-sidecar")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.tracer, err = opens.Start(w.work, w.temp)
	if errors.Is(err, opens.ErrNotHad) {
		t.Skipf("not run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.tracer.Close(); err != nil {
			t.Error(err)
		}
	})
	w.repository = templateRepository(t, root)
	w.changed = filepath.Join(w.work, ".git")
	w.lay(t) // which opens the program
	t.Cleanup(func() { closeBackend(w.back) })
	return w
}

// open starts the program with the rules of a person who allows much.
func (w *traced) open(t *testing.T) {
	t.Helper()
	var rules []control.Rule
	for _, p := range tracedPrograms {
		rules = append(rules, control.Rule{Domain: "bash", Pattern: p + " *", Decision: "allow"}, control.Rule{Domain: "bash", Pattern: p, Decision: "allow", Exact: true})
	}
	listed, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(w.root, "home")
	config := fmt.Sprintf(`{"agents": {"runtime": {"permission": {"rules": %s}}}}`, listed)
	sidecar := filepath.Join(home, ".agent-sidecar")
	if err := errors.Join(testclient.AskingHome(sidecar), os.WriteFile(filepath.Join(sidecar, "config.jsonc"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	wiring := &wiring{home: sidecar, userHome: home, log: zerolog.Nop(), trustClient: true, looking: true, env: func(string) string { return "" }}
	ws := workspaceOf(w.work, &terminal{})
	trusted := true
	ws.Trusted = &trusted
	if w.back != nil {
		closeBackend(w.back)
	}
	if w.back, err = wiring.open(ws); err != nil {
		t.Fatal(err)
	}
}

// templateRepository is a .git of two commits, made once.
func templateRepository(t *testing.T, root string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		return ""
	}
	dir := filepath.Join(root, "template")
	script := `set -e; mkdir -p "$1/src"; cd "$1"; "$2" init -q -b main .; "$2" config user.name n; "$2" config user.email e@e
echo one >a.txt; echo 'package p' >src/m.go; printf 'sub/\n*.tmp\n' >.gitignore; "$2" add .; "$2" commit -q -m one; echo two >>a.txt; "$2" commit -q -am two; "$2" repack -adq; rm -rf .git/hooks/* .git/logs .git/COMMIT_EDITMSG .git/description`
	cmd := exec.Command("/bin/sh", "-c", script, "sh", dir, git)
	cmd.Env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	return filepath.Join(dir, ".git")
}

// lay makes the tree as it was, with the workspace, what lies beside it, and a home.
// What is as it should be stays: the program remembers for a moment which files have
// two names. Files that must not be touched are known by what the disk calls them.
func (w *traced) lay(t *testing.T) {
	t.Helper()
	if w.changed == "" {
		return
	}
	w.clear(t)
	for _, f := range treeFiles {
		at, text := filepath.Join(w.root, f), []byte("KEY="+f+"\nfoo bar\n")
		if was, err := os.ReadFile(at); err == nil && bytes.Equal(was, text) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range treeLinks {
		name, to, _ := strings.Cut(l, " -> ")
		at := filepath.Join(w.root, name)
		if err := os.Symlink(strings.ReplaceAll(to, "ROOT", w.root), at); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	again := false
	for _, l := range treeTwins {
		name, of, _ := strings.Cut(l, " = ")
		if err := os.Link(filepath.Join(w.root, of), filepath.Join(w.root, name)); err == nil {
			again = true
		} else if !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	if git := filepath.Join(w.work, ".git"); w.repository != "" && strings.Contains(w.changed, git) {
		if err := errors.Join(os.RemoveAll(git), os.CopyFS(git, os.DirFS(w.repository))); err != nil {
			t.Fatal(err)
		}
	}
	w.baits = map[[2]uint64]string{}
	for _, f := range treeFiles {
		if bait(f) {
			w.baits[identity(t, filepath.Join(w.root, f))] = f
		}
	}
	if w.changed = ""; again && w.tracer != nil {
		w.open(t)
	}
}

// clear removes what does not belong to the tree.
func (w *traced) clear(t *testing.T) {
	t.Helper()
	kind, twins := map[string]os.FileMode{}, map[string]string{}
	for _, f := range treeFiles {
		kind[filepath.Join(w.root, f)] = 0
	}
	for _, l := range treeTwins {
		name, of, _ := strings.Cut(l, " = ")
		name, of = filepath.Join(w.root, name), filepath.Join(w.root, of)
		kind[name], twins[name], twins[of] = 0, of, name
	}
	for _, l := range treeLinks {
		name, _, _ := strings.Cut(l, " -> ")
		kind[filepath.Join(w.root, name)] = os.ModeSymlink
	}
	for _, dir := range []string{w.work, w.temp} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == dir:
				return nil
			case path == filepath.Join(w.work, ".git") && d.IsDir():
				return filepath.SkipDir
			}
			want, known := kind[path]
			info, err := d.Info()
			if err != nil {
				return err
			}
			inDir := d.IsDir() && slices.ContainsFunc(treeFiles, func(f string) bool { return strings.HasPrefix(filepath.Join(w.root, f), path+"/") })
			names := uint64(1)
			if twin := twins[path]; twin != "" {
				if other, err := os.Lstat(twin); err == nil && os.SameFile(info, other) {
					names = 2
				} else {
					known = false
				}
			}
			st, _ := info.Sys().(*syscall.Stat_t)
			switch {
			case inDir:
				return os.Chmod(path, 0o700)
			case known && d.Type() == want && st != nil && uint64(st.Nlink) == names && (want != 0 || info.Mode() == 0o600):
				return nil
			}
			if err := os.RemoveAll(path); err != nil || !d.IsDir() {
				return err
			}
			return filepath.SkipDir
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// bait says that a file of the tree must not be read unasked.
func bait(file string) bool {
	rest, inside := strings.CutPrefix(file, "work/")
	return !inside || control.MerelySecret("vault:/"+rest) || strings.Contains(rest, ".env")
}

// decide judges a script as a call of the bash tool is judged.
func (w *traced) decide(t *testing.T, script string) (control.Decision, bool) {
	t.Helper()
	w.lay(t)
	input, err := json.Marshal(map[string]string{"command": script})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.back.Sessions.Explain("", session.CallToExplain{Tool: "bash", Input: input})
	if err != nil {
		return control.Decision{}, false // such as an empty command
	}
	return e.Decision, true
}

// try judges a script and, where it is allowed, runs it: what it touched although
// nobody was asked, "" for nothing. ran says that it was allowed.
func (w *traced) try(t *testing.T, script string) (found string, ran bool) {
	t.Helper()
	d, ok := w.decide(t, script)
	if !ok || d.Verdict != control.Allow {
		return "", false
	}
	for _, e := range w.run(t, script).Events {
		if found = w.trespasses(e); found != "" {
			break
		}
	}
	return found, true
}

// smaller takes parts away from a script for as long as it still trespasses.
func (w *traced) smaller(t *testing.T, script string) string {
	t.Helper()
	for size := len(script) / 2; size > 0; {
		cut := false
		for at := 0; at+size <= len(script); {
			shorter := script[:at] + script[at+size:]
			if found, _ := w.try(t, shorter); found != "" {
				script, cut = shorter, true
				continue
			}
			at += max(1, size/2)
		}
		if !cut {
			size /= 2
		}
		size = min(size, len(script))
	}
	return script
}

// run runs a script in a new tree.
func (w *traced) run(t *testing.T, script string) opens.Result {
	t.Helper()
	w.lay(t)
	ctx, cancel := shortly()
	defer cancel()
	r, err := w.tracer.Run(ctx, opens.Script{
		Args: []string{"/bin/bash", "-c", script}, Dir: w.work,
		Env:  []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(w.root, "home"), "TMPDIR=" + w.temp, "LANG=C.UTF-8", "GIT_PAGER=cat"},
		Most: 400,
	})
	if err != nil {
		t.Fatalf("%q: %v", script, err)
	}
	for _, e := range r.Events {
		if e.Op == opens.Write && strings.HasPrefix(e.Path, w.root+"/") {
			w.changed += e.Path + "\n"
		}
	}
	return r
}

// identity is what the disk calls a file, whatever its names are.
func identity(t *testing.T, path string) [2]uint64 {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("%s: nothing is known of it", path)
	}
	return [2]uint64{st.Dev, st.Ino}
}
