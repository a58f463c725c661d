package mirror

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
)

// plainGit runs git without a sandbox.
func plainGit(t *testing.T, m *Mirror) func(context.Context, Call) error {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: there is no git")
	}
	return func(ctx context.Context, c Call) error {
		cmd := exec.CommandContext(ctx, program, c.Args...)
		var said bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.Folder, c.Env, c.In, c.Out, &said
		if c.In == nil {
			cmd.Stdin = nil
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("git %v: %w: %s", c.Args, err, said.String())
		}
		return nil
	}
}

func newMirror(t *testing.T, own bool) *Mirror {
	t.Helper()
	dir := t.TempDir()
	m := &Mirror{Dir: filepath.Join(dir, "mirror.git"), Folder: filepath.Join(dir, "w"), Disk: &durable.Disk{}}
	m.Git = plainGit(t, m)
	for _, d := range []string{m.Dir, m.Folder} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if own {
		m.commit(t, "first")
	}
	return m
}

// commit commits the files of the folder to its own repository, as a person does.
func (m *Mirror) commit(t *testing.T, message string) {
	t.Helper()
	git := filepath.Join(m.Folder, ".git")
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = m.Folder
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if _, err := os.Stat(git); err != nil {
		run("init", "-q", "-b", "trunk")
	}
	run("add", "-A")
	run("-c", "user.name=p", "-c", "user.email=p@x", "commit", "-q", "--allow-empty", "-m", message)
	m.Own = Own{Objects: filepath.Join(git, "objects"), Head: run("rev-parse", "HEAD"), Branch: "trunk", Exclude: filepath.Join(git, "info", "exclude")}
}

func (m *Mirror) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(m.Folder, filepath.FromSlash(name))
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mode := fs.FileMode(0o600)
		if strings.HasPrefix(text, "#!") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *Mirror) read(t *testing.T) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(m.Folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(m.Folder, path)
		out = append(out, fmt.Sprintf("%s %q", rel, text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

// send makes the files of there those of here.
func send(t *testing.T, here, there *Mirror) State {
	t.Helper()
	now, err := here.Take(t.Context(), RefOf("s", "here"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := there.Fresh(); err != nil {
		t.Fatal(err)
	}
	carry(t, here, there, now.Commit, false, there.Laid().Commit)
	if err := there.Adopt(t.Context(), here.Own.Head, cmp.Or(here.Own.Branch, "trunk")); err != nil {
		t.Fatal(err)
	}
	if err := there.Lay(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	return now
}

func carry(t *testing.T, from, to *Mirror, commit string, check bool, have ...string) {
	t.Helper()
	file, err := from.Bundle(t.Context(), commit, have...)
	if err != nil {
		t.Fatal(err)
	}
	if file == "" {
		return
	}
	if err := to.Receive(t.Context(), file, commit, check); err != nil {
		t.Fatal(err)
	}
}

// A folder that is sent is there what it is here, byte for byte, with what is not committed
// and without what git ignores; what is changed there is known, and comes back whole.
func TestThereAndBack(t *testing.T) {
	for _, own := range []bool{true, false} {
		t.Run(fmt.Sprintf("own repository %t", own), func(t *testing.T) {
			here, there := newMirror(t, false), newMirror(t, false)
			here.write(t, map[string]string{"a.txt": "one\r\ntwo\n", ".gitattributes": "* text=auto eol=crlf\n*.bin filter=lfs ident\n", "run.sh": "#!/bin/sh\n", "x.bin": "$Id$\x00\xff", ".gitignore": "built\n", "gone.txt": "x"})
			if own {
				here.commit(t, "first")
			}
			here.write(t, map[string]string{"a.txt": "one\r\nTWO\n", "new/b.txt": "b", "built": "no", "gone.txt": ""})
			sent := send(t, here, there)
			want := strings.Replace(here.read(t), "built \"no\"\n", "", 1)
			if got := there.read(t); got != want {
				t.Fatalf("there is\n%s\nwant\n%s", got, want)
			}
			if _, err := os.Stat(filepath.Join(there.Folder, ".git")); (err == nil) != own {
				t.Errorf("a repository there: %v", err)
			}
			if again, err := there.Take(t.Context(), RefOf("s", "r0")); err != nil || again != sent {
				t.Errorf("nothing has changed there: %v %v, sent %v", again, err, sent)
			}

			there.write(t, map[string]string{"a.txt": "one\r\nthree\n", "new/b.txt": "", "c.txt": "c", "run.sh": "#!/bin/bash\n", "built": "there"})
			if err := os.Symlink("/etc/passwd", filepath.Join(there.Folder, "link")); err != nil {
				t.Fatal(err)
			}
			now, err := there.Take(t.Context(), RefOf("s", "r1"))
			if err != nil {
				t.Fatal(err)
			}
			carry(t, there, here, now.Commit, true, sent.Commit)
			changed, err := here.Changed(t.Context(), sent.Commit, now.Commit)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, c := range changed {
				said = append(said, fmt.Sprintf("%s %d>%d", c.Path, c.Was.Kind, c.Now.Kind))
			}
			if got, want := strings.Join(said, ", "), "a.txt 1>1, c.txt 0>1, link 0>3, new/b.txt 1>0, run.sh 2>2"; got != want {
				t.Errorf("changed are %s, want %s", got, want)
			}
			var texts []string
			if err := here.Contents(t.Context(), []string{changed[0].Was.ID, changed[0].Now.ID, changed[1].Now.ID}, 9, func(c []byte) error {
				texts = append(texts, string(c))
				return nil
			}); err != nil || fmt.Sprintf("%q", texts) != `["one\r\nTWO\n" "" "c"]` {
				t.Errorf("%q %v", texts, err)
			}

			if err := there.Settle(now); err != nil {
				t.Fatal(err)
			}
			here.write(t, map[string]string{"c.txt": "mine"})
			if own {
				here.commit(t, "second")
			}
			send(t, here, there)
			if got, want := there.read(t), strings.Replace(here.read(t), `built "no"`, `built "there"`, 1); got != want {
				t.Errorf("sent again, there is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A folder that has files of its own is no place to send to.
func TestBypassFolderOfOthers(t *testing.T) {
	there := newMirror(t, false)
	there.write(t, map[string]string{"mine.txt": "x"})
	if _, err := there.Fresh(); err != ErrOthers {
		t.Errorf("%v", err)
	}
}

// Git runs nothing that a folder or its repository names: no filter, hook or monitor.
func TestBypassProgramsOfARepository(t *testing.T) {
	here, there := newMirror(t, true), newMirror(t, false)
	trap := filepath.Join(t.TempDir(), "trap")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+trap+"'\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	set := func(m *Mirror) {
		for key, value := range map[string]string{"filter.f.clean": program, "filter.f.smudge": program, "core.fsmonitor": program, "core.hooksPath": filepath.Dir(program),
			"diff.external": program, "core.alternateRefsCommand": program, "core.sshCommand": program, "core.pager": program} {
			cmd := exec.Command("git", "config", "-f", filepath.Join(m.Folder, ".git", "config"), key, value)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
		}
		for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change", "pre-commit"} {
			for _, dir := range []string{filepath.Dir(program), filepath.Join(m.Folder, ".git", "hooks")} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(program, filepath.Join(dir, hook)); err != nil && !os.IsExist(err) {
					t.Fatal(err)
				}
			}
		}
	}
	here.write(t, map[string]string{".gitattributes": "* filter=f diff=f\n", "a.txt": "a"})
	set(here)
	first := send(t, here, there)
	set(there)
	there.write(t, map[string]string{"a.txt": "b"})
	now, err := there.Take(t.Context(), RefOf("s", "r1"))
	if err != nil {
		t.Fatal(err)
	}
	carry(t, there, here, now.Commit, true, first.Commit)
	if _, err := here.Changed(t.Context(), first.Commit, now.Commit); err != nil {
		t.Fatal(err)
	}
	here.write(t, map[string]string{"a.txt": "c"})
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the repository ran")
	}
	here.commit(t, "second") // which runs them
	if err := os.Remove(trap); err != nil {
		t.Fatal("the trap is none:", err)
	}
	send(t, here, there)
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the repository ran")
	}
}

// A process may die at each step of sending for the first time, and the next one goes on.
func TestFirstSendingDies(t *testing.T) {
	here := newMirror(t, true)
	here.write(t, map[string]string{"a.txt": "a", "b.txt": "b"})
	for steps := 0; ; steps++ {
		there := newMirror(t, false)
		git, left := there.Git, steps
		there.Git = func(ctx context.Context, c Call) error {
			if left--; left < 0 {
				return io.ErrUnexpectedEOF
			}
			return git(ctx, c)
		}
		now, err := here.Take(t.Context(), RefOf("s", "here"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := here.Bundle(t.Context(), now.Commit)
		if err != nil {
			t.Fatal(err)
		}
		once := func() error {
			if _, err := there.Fresh(); err != nil {
				t.Fatalf("%d steps: %v", steps, err)
			}
			if err := there.Receive(t.Context(), file, now.Commit, false); err != nil {
				return err
			}
			if err := there.Adopt(t.Context(), here.Own.Head, "trunk"); err != nil {
				return err
			}
			return there.Lay(t.Context(), now)
		}
		died := once() != nil
		if there.Git = git; died {
			if err := once(); err != nil {
				t.Fatalf("%d steps: %v", steps, err)
			}
		}
		if got := there.read(t); got != here.read(t) {
			t.Fatalf("%d steps: %s", steps, got)
		}
		if got := there.ownHead(t); got != here.Own.Head {
			t.Fatalf("%d steps: the repository there is at %q", steps, got)
		}
		if !died {
			return
		}
	}
}

func (m *Mirror) ownHead(t *testing.T) string {
	t.Helper()
	out, _ := exec.Command("git", "-C", m.Folder, "rev-parse", "HEAD").Output()
	return strings.TrimSpace(string(out))
}

// The repository there follows the branch of here, also to another branch or back; what was
// committed there is not lost.
func TestRepositoryThereFollows(t *testing.T) {
	here, there := newMirror(t, true), newMirror(t, false)
	git := func(m *Mirror, args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", m.Folder, "-c", "user.name=p", "-c", "user.email=p@x"}, args...)...).CombinedOutput(); err != nil {
			t.Fatal(args, err, string(out))
		}
	}
	for _, step := range []struct {
		here, there []string
		follows     bool
	}{
		{[]string{"commit", "--allow-empty", "-m", "second"}, nil, true},
		{[]string{"commit", "--allow-empty", "--amend", "-m", "amended"}, nil, true},
		{[]string{"checkout", "-q", "-b", "other", "HEAD~1"}, nil, true},
		{[]string{"commit", "--allow-empty", "-m", "on another"}, []string{"commit", "--allow-empty", "-m", "there"}, false},
		{[]string{"checkout", "-q", "trunk"}, nil, false},
	} {
		if step.there != nil {
			send(t, here, there)
			git(there, step.there...)
		}
		git(here, step.here...)
		here.Own.Head = here.ownHead(t)
		out, err := exec.Command("git", "-C", here.Folder, "branch", "--show-current").Output()
		if err != nil {
			t.Fatal(err)
		}
		here.Own.Branch = strings.TrimSpace(string(out))
		send(t, here, there)
		if follows := there.ownHead(t) == here.Own.Head; follows != step.follows {
			t.Errorf("%v: the repository there follows: %t", step.here, follows)
		}
	}
}
