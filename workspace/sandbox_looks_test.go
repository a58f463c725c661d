//go:build linux

package workspace

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// newLookingWorld is a world with three folders, the last of them a linked worktree where
// there is git, and with what else a command could be led by to what it may not change.
func newLookingWorld(t *testing.T, l sandbox.Level) *world {
	t.Helper()
	w := newJobWorld(t, l, sandbox.Settings{Writable: []string{"~/given"}})
	folders := []Folder{{Path: w.vault}, {Path: w.base + "/second"}}
	put(t, w.base+"/second/b.go", "package b\n")
	put(t, w.user+"/given/file", "given\n")
	put(t, w.vault+"/.agent-output/0001/kept.txt", "kept\n")
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{
			{"init", "-q", w.base + "/main"}, {"-C", w.base + "/main", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"},
			{"-C", w.base + "/main", "worktree", "add", "-q", w.base + "/tree"},
		} {
			if out, err := exec.Command(git, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		folders = append(folders, Folder{Path: w.base + "/tree"})
	}
	for from, to := range map[string]string{w.base + "/second": w.vault + "/dist/second", w.user + "/given": w.vault + "/given"} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(w.vault+"/src/a.go", w.vault+"/node_modules/a.go"); err != nil {
		t.Fatal(err)
	}
	copyProbe(t, w.vault+"/probe")
	if err := w.v.SetFolders(folders); err != nil {
		t.Fatal(err)
	}
	return w
}

// look runs a command as one that only looks, in front or as a job, to its end, and gives
// what was printed and noted. None of it counts as a change.
func (w *world) look(t *testing.T, command string, background bool) string {
	t.Helper()
	p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": w.fill(command), "background": background})
	r, err := p.Run(t.Context(), tool.Grant{Sandbox: tool.SandboxedReadOnly}, &outputtest.Kept{})
	if err != nil || len(r.Changes) > 0 {
		t.Fatal(err, r.Changes)
	}
	return w.untilEnd(t, r.Text)
}

// everything is all that is below the base, with contents and times, but for what is the
// sidecar's own.
func (w *world) everything(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.base, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == w.home {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %s", path, info.Mode(), info.ModTime())
		if info.Mode().IsRegular() && filepath.Base(path) != "probe" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lookingLevels are the levels at which such a command runs at all.
func lookingLevels(t *testing.T, run func(t *testing.T, l sandbox.Level)) {
	for name, l := range levelsHere(t) {
		if l.Name == proc.Namespaces && sandbox.At(l).Report(sandbox.Settings{}).Whole() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, l)
			})
		}
	}
}

// A command that only looks reads what every command can, and has a /tmp, a home and caches
// to write to.
func TestLookingCommandReads(t *testing.T) {
	lookingLevels(t, func(t *testing.T, l sandbox.Level) {
		w := newLookingWorld(t, l)
		before := w.everything(t)
		for command, want := range map[string]string{
			"cat src/a.go dist/app.js ../second/b.go":                 "package a\nold\npackage b\n",
			"cat .agent-output/0001/kept.txt":                         "kept\n",
			"cat given/file":                                          "given\n",
			`echo x > "${TMPDIR:-/tmp}/x" && cat "${TMPDIR:-/tmp}/x"`: "x\n",
			`echo x > "$XDG_CACHE_HOME/x" && cat "$XDG_CACHE_HOME/x"`: "x\n",
			"echo x > ~/x && cat ~/x":                                 "x\n",
			"test ! -r .env && echo closed":                           "closed\n",
			"[ ! -e ../tree ] || { test \"$(git -C ../tree log --format=%s)\" = x && git -C ../tree status --porcelain; } && echo ended": "ended\n",
		} {
			if text := w.look(t, command, false); text != want {
				t.Errorf("%s: %q", command, text)
			}
		}
		if text := w.look(t, "cat src/a.go", true); !strings.Contains(text, "package a\n") {
			t.Errorf("a job: %q", text)
		}
		if after := w.everything(t); after != before {
			t.Errorf("looking has changed something:\n%s", differing(before, after))
		}
	})
}

// looks are ways to change what a command may only look at. Each says "tried", then "got
// in" or "kept out".
var looks = []struct{ name, command string }{
	{"a source", `sh echo new > src/a.go`},
	{"a new source", `sh echo new > src/b.go`},
	{"a source removed", `sh rm src/a.go`},
	{"a source renamed", `sh mv src/a.go src/b.go`},
	{"a directory renamed", `sh mv src src2`},
	{"a mode", `probe chmod src/a.go`},
	{"times", `probe utimes src/a.go`},
	{"an attribute", `probe setxattr src/a.go`},
	{"a truncation", `probe truncate src/a.go`},
	{"an ignored file", `sh echo new > dist/app.js`},
	{"a new ignored file", `sh echo new > node_modules/.cache/y`},
	{"a new ignored directory", `sh mkdir made`},
	{"what the rules of tools hide", `sh echo new > hidden/dist/x`},
	{"the artifacts of the session", `sh echo new > .agent-output/0001/new.txt`},
	{"an artifact of the session", `sh echo new > .agent-output/0001/kept.txt`},
	{"the artifacts of another", `sh mkdir .agent-output/0002`},
	{"the repository", `sh echo new > .git/index`},
	{"its history", `sh echo new > .git/refs/heads/x`},
	{"what git obeys", `sh echo new > .git/hooks/pre-commit`},
	{"a nested repository", `sh echo new > sub/.git/config`},
	{"a protected file", `sh echo new > .vscode/tasks.json`},
	{"a new protected file", `sh echo new > .envrc`},
	{"another folder", `sh echo new > ../second/b.go`},
	{"another folder by a link", `sh echo new > dist/second/b.go`},
	{"another folder by a link of its own", `sh ln -s $BASE/second /tmp/way-$$ && echo new > /tmp/way-$$/b.go`},
	{"a linked worktree", `sh echo new > ../tree/a`},
	{"the repository of a linked worktree", `sh echo new > ../main/.git/refs/heads/y`},
	{"the own part of a linked worktree", `sh echo new > ../main/.git/worktrees/tree/index.lock`},
	{"a commit in a linked worktree", `sh cd ../tree && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m y`},
	{"a second hard link", `sh echo new > node_modules/a.go`},
	{"a hard link to its caches", `sh ln src/a.go "$XDG_CACHE_HOME/hard-$$" && echo new > "$XDG_CACHE_HOME/hard-$$"`},
	{"a hard link to its /tmp", `probe link src/a.go /tmp/hard`},
	{"a rename into its /tmp", `sh mv src/a.go /tmp/a.go`},
	{"what the person has named as writable", `sh echo new > given/file`},
	{"through /proc/self/root", `probe write /proc/self/root$VAULT/src/a.go`},
	{"through /proc/self/cwd", `probe write /proc/self/cwd/src/a.go`},
	{"through the root of the first process", `probe write /proc/1/root$VAULT/src/a.go`},
	{"through a descriptor", `sh exec 3< src/a.go && echo new > /proc/self/fd/3`},
	{"through a descriptor of the directory", `sh exec 3< src && echo new > /proc/self/fd/3/b.go`},
	{"opened by a handle", `probe handle src/a.go`},
	{"mounted anew", `sh mount -o remount,rw $VAULT || mount -o remount,bind,rw $VAULT`},
	{"mounted elsewhere", `sh mkdir -p /tmp/at && mount --bind $VAULT /tmp/at && echo new > /tmp/at/src/a.go`},
	{"a mount taken away", `probe umount $VAULT`},
	{"a user namespace", `probe unshare`},
	{"mounted in a namespace of its own", `sh unshare -Urm sh -c "mount -o remount,bind,rw $VAULT && echo new > $VAULT/src/a.go"`},
	{"another mount namespace", `probe setns /proc/1/ns/mnt`},
	{"a daemon of the project", `probe dial unix $VAULT/d.sock`},
}

// Bypass: a command of an agent that changes nothing changes something, in front or as a
// job.
func TestBypassLookingCommandChangesTheWorkspace(t *testing.T) {
	lookingLevels(t, func(t *testing.T, l sandbox.Level) {
		w := newLookingWorld(t, l)
		daemon, err := net.Listen("unix", relative(t, w.vault+"/d.sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer daemon.Close()
		before := w.everything(t)
		var all strings.Builder
		for _, row := range looks {
			fmt.Fprintf(&all, "echo '== %s'; %s\n", row.name, probeCommand(row.command))
		}
		for _, background := range []bool{false, true} {
			text := w.look(t, all.String(), background)
			tried := strings.Split(text, "== ")[1:]
			if len(tried) < len(looks) {
				t.Fatalf("background %v: %d of %d rows ran: %s", background, len(tried), len(looks), text)
			}
			for _, text := range tried[len(tried)-len(looks):] { // before them, of a job, what its call has shown
				if !strings.Contains(text, "tried") || strings.Contains(text, "got in") || !strings.Contains(text, "kept out") {
					t.Errorf("background %v: %s", background, text)
				}
			}
			if after := w.everything(t); after != before {
				t.Fatalf("background %v: something has changed: %s\n%s", background, text, differing(before, after))
			}
		}
	})
}

// The rows above are real: with the same sandbox, but for what only looks, they get in.
func TestLooksAreReal(t *testing.T) {
	lookingLevels(t, func(t *testing.T, l sandbox.Level) {
		w := newLookingWorld(t, l)
		daemon, err := net.Listen("unix", relative(t, w.vault+"/d.sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer daemon.Close()
		for _, command := range []string{
			`sh echo new > src/a.go`, `probe utimes src/a.go`, `sh mkdir made`, `sh echo new > .agent-output/0001/new.txt`, `sh echo new > ../second/b.go`,
			`sh echo new > dist/second/b.go`, `sh echo new > node_modules/a.go`, `probe write /proc/self/root$VAULT/src/a.go`, `sh echo new > given/file`, `probe dial unix $VAULT/d.sock`, `sh mv src src2`,
		} {
			if text, _ := w.run(t, probeCommand(command)); !strings.Contains(text, "got in") {
				t.Errorf("%s: %s", command, text)
			}
		}
	})
}

// whenReady is a sink that does something once it is shown the first output.
type whenReady struct {
	outputtest.Kept
	once sync.Once
	then func()
}

func (w *whenReady) Output(_, _ string) { w.once.Do(w.then) }

// What somebody else makes while a command only looks is theirs: nothing of it is taken for
// the command's, and nothing is undone.
func TestLookingCommandUndoesNothing(t *testing.T) {
	lookingLevels(t, func(t *testing.T, l sandbox.Level) {
		w := newLookingWorld(t, l)
		p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": "echo ready; until [ -e src/go ]; do sleep 0.02; done"})
		person := &whenReady{then: func() {
			put(t, w.vault+"/.envrc", "mine\n")
			put(t, w.vault+"/.vscode/settings.json", "{}")
			put(t, w.vault+"/src/go", "")
		}}
		r, err := p.Run(t.Context(), tool.Grant{Sandbox: tool.SandboxedReadOnly}, person)
		if err != nil || r.Failed || r.Text != "ready\n" || len(r.Changes) > 0 {
			t.Errorf("%+v %v", r, err)
		}
		w.keeps(t, ".envrc", "mine\n")
		w.keeps(t, ".vscode/settings.json", "{}")
	})
}

// Where its own /tmp is in a folder, or a folder in it, there is no sandbox in which
// everything is read-only, and nothing runs.
func TestBypassLookingCommandWithItsTempInTheWorkspace(t *testing.T) {
	lookingLevels(t, func(t *testing.T, l sandbox.Level) {
		w := newWorld(t, l, sandbox.Settings{})
		w.run(t, "mkdir /tmp/inner")
		temp, err := w.v.temps.Of("").Dir()
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{temp + "/inner", filepath.Dir(temp)} {
			if err := w.v.SetFolders([]Folder{{Path: folder}}); err != nil {
				t.Fatal(err)
			}
			if text := w.look(t, "echo it did", false); !strings.Contains(text, "overlap; nothing was run") || strings.Contains(text, "it did") {
				t.Errorf("%s: %s", folder, text)
			}
		}
	})
}
