//go:build unix

package workspace

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// answers runs do, which must not wait for whoever writes to a pipe. If it does, the
// pipe is opened for writing, so that the test ends.
func answers(t *testing.T, pipe, what string, do func()) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	t.Errorf("%s waits for a named pipe", what)
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // both ends: it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	<-done
}

// A command that makes a named pipe where a directory was stops neither the tools nor
// an undo nor the memory.
func TestBypassPipeForADirectory(t *testing.T) {
	for what, do := range map[string]func(r *room) tool.Result{
		"read":   func(r *room) tool.Result { return r.run("read", "path", "d/f") },
		"write":  func(r *room) tool.Result { return r.run("write", "path", "d/f", "content", "x\n") },
		"deeper": func(r *room) tool.Result { return r.run("write", "path", "d/e/f", "content", "x\n") },
		"edit":   func(r *room) tool.Result { return r.run("edit", "path", "d/f", "old", "1", "new", "2") },
		"ls":     func(r *room) tool.Result { return r.run("ls", "path", "d") },
		"grep":   func(r *room) tool.Result { return r.run("grep", "path", "d/f", "pattern", "1") },
		"delete": func(r *room) tool.Result { return r.run("delete", "path", "d/f") },
		"move":   func(r *room) tool.Result { return r.run("move", "from", "g", "to", "d/g") },
		"moved":  func(r *room) tool.Result { return r.run("move", "from", "d/f", "to", "h") },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRoom(t, map[string]string{"d/f": "1\n", "g": "2\n"})
			r.pipeAt("d")
			answers(t, filepath.Join(r.root, "d"), what, func() {
				if res := do(r); !res.Failed {
					t.Error(res.Text)
				}
			})
		})
	}
}

// pipeAt makes a named pipe in the place of what is there.
func (r *room) pipeAt(name string) {
	r.t.Helper()
	at := filepath.Join(r.root, name)
	if err := os.RemoveAll(at); err != nil {
		r.t.Fatal(err)
	}
	if err := syscall.Mkfifo(at, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// What such a command took away is found, and an undo of it answers.
func TestBypassPipeAndUndo(t *testing.T) {
	r := newRoom(t, map[string]string{"d/f": "1\n", "d/e/g": "2\n"})
	var changes []tool.Change
	pipe := filepath.Join(r.root, "d")
	answers(t, pipe, "the command", func() { changes = r.command(func() { r.pipeAt("d") }) })
	answers(t, pipe, "the next command", func() { r.command(func() {}) })
	answers(t, pipe, "the undo", func() { r.wantUndo("created d/e/g +1 −0; created d/f +1 −0", changes...) })
}

// What a command leaves in the place of a file and holds nothing goes, and the file comes
// back. An undo of that takes the file away again.
func TestUndoOfAPipe(t *testing.T) {
	files := map[string]string{"f": "1\n", "d/x": "2\n", "d/e/y": "3\n", "l": "-> f"}
	for command, gone := range map[string]string{
		"rm f; mkfifo f":                         "f",
		"rm l; mkfifo -m 600 l":                  "l",
		"rm -r d; mkfifo d":                      "d",
		"rm d/x; mkfifo d/x; rm -r d/e":          "d/x",
		"rm f; mkfifo f; mv f d/p; mkfifo f":     "f",
		"mkdir t; mkfifo t/p; rm -r d; mv t/p d": "d",
	} {
		t.Run(command, func(t *testing.T) {
			r := newRoom(t, files)
			before := r.tree()
			changes := r.did("bash", "command", command)
			_, done := r.undo(false, changes...)
			for _, kept := range []string{"d/p", "t"} { // a pipe in no place of a file is told, and stays
				os.Remove(filepath.Join(r.root, kept))
			}
			if got := r.tree(); got != before {
				t.Fatalf("undone:\n%s\nwant\n%s\nof %+v", got, before, changes)
			}
			r.undo(false, done...)
			if _, err := os.Lstat(filepath.Join(r.root, gone)); err == nil {
				t.Errorf("undone again:\n%s", r.tree())
			}
		})
	}
}

// A pipe that somebody else made, or changed, is theirs; one that somebody took away is
// in nobody's way.
func TestUndoOfAPipeOfOthers(t *testing.T) {
	for name, row := range map[string]struct {
		command, since, want string
	}{
		"another pipe":         {"rm f; mkfifo f", "mkfifo p; rm f; mv p f", "f! changed_since"},
		"another mode":         {"rm f; mkfifo f", "chmod 600 f", "f! changed_since"},
		"a file":               {"rm f; mkfifo f", "rm f; echo mine > f", "f! changed_since"},
		"a pipe of theirs":     {"rm f", "mkfifo f", "f! appeared_since"},
		"in place of a move":   {"mv f z; mkfifo f", "true", "f! appeared_since"},
		"nothing":              {"rm f; mkfifo f", "rm f", "created f +1 −0"},
		"one beside a new one": {"rm f; echo new > f", "rm f; mkfifo f", "f! changed_since"},
	} {
		r := newRoom(t, map[string]string{"f": "1\n"})
		changes := r.did("bash", "command", row.command)
		if out, err := exec.Command("/bin/sh", "-c", `cd "$0" && `+row.since, r.root).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		before := r.tree()
		r.wantUndo(row.want, changes...)
		if got := r.tree(); strings.Contains(row.want, "!") && got != before {
			t.Errorf("%s: %s", name, got)
		}
	}
	// What was known of a pipe does not keep a later command from its file.
	r := newRoom(t, map[string]string{"f": "1\n"})
	changes := append(r.did("bash", "command", "rm f; mkfifo f"), r.did("bash", "command", "rm f; echo 2 > f")...)
	r.wantUndo("modified f +1 −1", changes...)
}

// What the program itself looks for in a folder may be a pipe from the beginning.
func TestBypassPipeForOurNames(t *testing.T) {
	for _, name := range []string{".agent", ".agent/memory", ".agent/MEMORY.md", "AGENTS.md", ".agent-output", ".git", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".gitignore", ".agentignore"} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"f": "1\n", "sub/g": "2\n"}
			if dir := filepath.Dir(name); dir != "." {
				files[dir+"/other"] = "x\n"
			}
			r := newRoom(t, files)
			r.pipeAt(name)
			pipe := filepath.Join(r.root, name)
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			answers(t, pipe, "memory", func() { r.v.Memory(now) })
			answers(t, pipe, "foreign memory", func() { r.v.ForeignMemory(now) })
			answers(t, pipe, "instructions", func() { r.v.Instructions(nil, 1000) })
			answers(t, pipe, "artifacts", func() { r.v.Artifacts().List("s1") })
			answers(t, pipe, "a command", func() { r.command(func() {}) })
			answers(t, pipe, "grep", func() { r.run("grep", "pattern", "1") })
			answers(t, pipe, "bash", func() {
				if res := r.run("bash", "command", "true"); strings.Contains(res.Text, "pipe") {
					t.Log(res.Text)
				}
			})
		})
	}
}
