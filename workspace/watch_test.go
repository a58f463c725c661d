package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
)

// command plays a command of which only the files count.
func (r *room) command(do func()) []tool.Change {
	w := r.v.watchFiles(changes.Call{})
	do()
	return w.end()
}

func (r *room) sh(script string) {
	r.t.Helper()
	for line := range strings.Lines(script) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		at := func(i int) string { return filepath.Join(r.root, f[i]) }
		var err error
		switch f[0] {
		case "write":
			os.MkdirAll(filepath.Dir(at(1)), 0o755)
			err = os.WriteFile(at(1), []byte(strings.Join(f[2:], " ")+"\n"), 0o644)
		case "rm":
			err = os.RemoveAll(at(1))
		case "mv":
			err = os.Rename(at(1), at(2))
		case "mkdir":
			err = os.MkdirAll(at(1), 0o755)
		case "chmod+x":
			err = os.Chmod(at(1), 0o755)
		case "link":
			err = os.Symlink(f[2], at(1))
		case "ln":
			err = os.Link(at(1), at(2))
		default:
			err = fmt.Errorf("no command %s", f[0])
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func changed(changes []tool.Change) string {
	var out []string
	for _, c := range changes {
		line := c.Kind + " " + c.Path
		if c.From != "" {
			line += " from " + c.From
		}
		if c.Directory {
			line += "/"
		}
		if !c.Directory && c.Kind != "created" && c.Checkpoint == "" && c.Kind != "moved" {
			line += "?"
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

func TestWatchSeesWhatACommandDid(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no inodes")
	}
	files := map[string]string{
		"a": "1\n", "b": "2\n", "d/x": "3\n", "d/e/y": "4\n", "l": "-> a", "run": "#!\n", ".gitignore": "out/\n*.log\n.env\n", ".git/HEAD": "x",
		"out/o": "5\n", "t.log": "6\n", ".env": "SECRET=1\n", ".agentignore": "hidden\n", "hidden": "7\n",
	}
	for _, row := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"an empty directory", "mkdir n", ""},
		{"modified", "write a one", "modified a"},
		{"created", "write n one\nmkdir m\nwrite m/n two", "created m/, created m/n, created n"},
		{"deleted", "rm b\nrm d", "deleted b, deleted d/e/y, deleted d/x, deleted d/e/, deleted d/"},
		{"moved", "mv a c", "moved c from a"},
		{"moved whole", "mv d f", "created f/, created f/e/, moved f/e/y from d/e/y, moved f/x from d/x, deleted d/e/, deleted d/"},
		{"moved and written", "mv a c\nwrite c other", "deleted a, created c"},
		{"mode", "chmod+x run", "modified run"},
		{"the same again", "write a 1", ""},
		{"replaced by the same", "rm a\nwrite a 1", ""},
		{"another name", "ln a a2", "created a2"},
		{"link", "rm l\nlink l b\nlink l2 d", "modified l, created l2"},
		{"file to link", "rm a\nlink a b", "modified a"},
		{"file to directory", "rm a\nmkdir a\nwrite a/f 1", "deleted a, created a/f, created a/"},
		{"directory to file", "rm d\nwrite d 1", "deleted d/, created d, deleted d/e/y, deleted d/x, deleted d/e/"},
		{"ignored", "write out/o other\nwrite u.log x\nrm .env\nwrite .git/HEAD y\nwrite hidden z", ""},
		{"ignored before", "write .gitignore nothing", "modified .gitignore"},
		{"ignored before, and changed", "write .gitignore nothing\nwrite .env other\nwrite out/o other", "modified .gitignore"},
		{"ignored now", "write .gitignore a\nwrite b other", "modified .gitignore, modified b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, files)
			if got := r.command(func() {}); len(got) != 0 {
				t.Errorf("nothing happened: %s", changed(got))
			}
			before := r.tree()
			changes := r.command(func() { r.sh(row.script) })
			if got := changed(changes); got != row.want {
				t.Fatalf("got  %s\nwant %s", got, row.want)
			}
			if strings.Contains(row.name, "ignored") || strings.Contains(row.name, "empty") {
				return
			}
			got, _ := r.undo(false, changes...)
			if strings.Contains(got, "!") || r.tree() != before {
				t.Errorf("undone: %s\n%s\nwant\n%s", got, r.tree(), before)
			}
		})
	}
}

// What others do meanwhile is not the command's, and never undone.
func TestWatchLeavesOthersAlone(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n", "gone": "4\n", "m": "5\n"})
	r.run("read", "path", "a")
	r.v.DidOpen(fileuri.Of(r.root+"/b"), 1, "2\n")
	changes := r.command(func() {
		r.did("edit", "path", "a", "old", "1", "new", "one")
		r.did("write", "path", "n", "content", "new\n")
		r.did("delete", "path", "gone")
		r.did("move", "from", "m", "to", "m2")
		r.sh("write b typed") // the editor saves
		r.v.DidSave(fileuri.Of(r.root + "/b"))
		r.sh("write c command")
	})
	if got := changed(changes); got != "modified c" {
		t.Error(got)
	}
	changes = r.command(func() {
		r.sh("write b typed again")
		r.v.DidSave(fileuri.Of(r.root + "/b"))
		r.sh("write b formatted") // and then the command: from what was saved
	})
	if got := changed(changes); got != "modified b" {
		t.Error(got)
	}
	if got, _ := r.undo(false, changes...); got != "modified b +1 −1" || r.file("b") != "typed again\n" {
		t.Error(got, r.file("b"))
	}

}

// Directories of others are not the command's either: what is in one is named by who
// moved, deleted or brought it back, and an undo of the command leaves it there.
func TestWatchLeavesDirectoriesOfOthersAlone(t *testing.T) {
	r := newRoom(t, map[string]string{"d/x": "1\n", "d/e/y": "2\n", "g/z": "3\n", "g/h/w": "4\n", "a": "5\n"})
	var moved, deleted []tool.Change
	for _, row := range []struct {
		name string
		do   func()
		want string
	}{
		{"moved", func() { moved = r.did("move", "from", "d", "to", "f") }, ""},
		{"and written into", func() { r.did("move", "from", "f", "to", "i"); r.sh("write i/new 1\nrm i/x") }, "created i/new, deleted i/x"},
		{"moved again", func() { r.sh("write i/x 1\nrm i/new"); r.did("move", "from", "i", "to", "f") }, "deleted i/new"},
		{"brought back", func() { r.undo(false, moved...) }, ""},
		{"deleted", func() { deleted = r.did("delete", "path", "g", "recursive", true) }, ""},
		{"there again", func() { r.undo(false, deleted...) }, ""},
	} {
		if got := changed(r.command(row.do)); got != row.want {
			t.Errorf("%s: %s", row.name, got)
		}
	}
	if got := r.file("d/e/y") + r.file("g/h/w"); got != "2\n4\n" {
		t.Error(got)
	}
}

// Two commands at once: each change is one's alone.
func TestWatchTwoCommands(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "c": "3\n", "d/x": "4\n", "m": "5\n"})
	for _, row := range []struct{ first, second, one, two string }{
		{"write c both", "write a second", "modified c", "modified a"},
		{"mv m m2", "write a third", "moved m2 from m", "modified a"},
		{"rm d", "write a fourth", "deleted d/x, deleted d/", "modified a"},
		{"write n/o/p 1", "write n/o/q 1", "created n/, created n/o/, created n/o/p", "created n/o/q"},
	} {
		first, second := r.v.watchFiles(changes.Call{ID: "one"}), r.v.watchFiles(changes.Call{ID: "two"})
		r.sh(row.first)
		one := first.end()
		r.sh(row.second)
		two := second.end()
		if changed(one) != row.one || changed(two) != row.two {
			t.Errorf("%s: %s; %s: %s", row.first, changed(one), row.second, changed(two))
		}
	}
}

// What is over a limit is said to be beyond an undo, at the edge.
func TestWatchLimits(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	r := newRoom(t, map[string]string{"fits": big, "over": big + "x", "touched": big + "x"})
	changes := r.command(func() {
		r.sh("write fits 1\nwrite over 1\nrm touched")
		r.put(map[string]string{"touched": big + "x", "made": big + "x"})
	})
	if got := changed(changes); got != "modified fits, created made, modified over?, modified touched?" {
		t.Error(got)
	}
	got, _ := r.undo(false, changes...)
	if got != "modified fits +1 −1; deleted made +0 −1; over! never_kept; touched! never_kept" {
		t.Error(got)
	}
	many := func(n int) []tool.Change {
		r := newRoom(t, nil)
		return r.command(func() {
			for i := range n {
				r.sh(fmt.Sprintf("write f%d x", i))
			}
		})
	}
	for _, n := range []int{commandChanges - 1, commandChanges, commandChanges + 1} {
		changes := many(n)
		last := changes[len(changes)-1]
		if more := n > commandChanges; len(changes) != min(n, commandChanges)+map[bool]int{true: 1}[more] || (last.Path == ".") != more {
			t.Errorf("%d files: %d changes, the last %s", n, len(changes), last.Path)
		}
	}
}

// A name that is no text stands in the log as another one: an undo would make a file
// that never was, or put one content into the file of another. Such a change is said
// to be beyond an undo, and the tools do not make it.
func TestNameThatIsNoText(t *testing.T) {
	bad := "d/a\xff.txt"
	r := newRoom(t, map[string]string{"d/a.txt": "a"})
	if err := os.WriteFile(filepath.Join(r.root, bad), []byte("old\n"), 0o644); err != nil {
		t.Skip(err)
	}
	if there, _ := filepath.Glob(filepath.Join(r.root, "d", "a\xff*")); len(there) == 0 {
		t.Skip("the file system has no such names")
	}
	if got := changed(r.command(func() { r.sh("write " + bad + " new\nwrite d/a.txt b") })); got != "modified d/a.txt, modified .?" {
		t.Error(got)
	}
	if got := changed(r.command(func() { r.sh("mv " + bad + " d/b.txt") })); got != "modified .?" {
		t.Error(got)
	}
	if got := changed(r.command(func() { r.sh("mv d/b.txt " + bad) })); got != "modified .?" {
		t.Error(got)
	}
	gone := r.command(func() { r.sh("rm " + bad) })
	if got := changed(gone); got != "modified .?" {
		t.Error(got)
	}
	r.sh("write " + bad + " again")
	for _, call := range [][]any{{"delete", "path", "d", "recursive", true}, {"move", "from", "d", "to", "e"}} {
		r.want(r.run(call[0].(string), call[1:]...), true, "is no text")
	}
	if got, _ := r.undo(false, gone...); got != ".! too_many" {
		t.Error(got)
	}
}

// The folder that is open may be the person's home: what it keeps keys in is not
// copied, and neither is what is the sidecar's own.
func TestWatchLeavesKeysAlone(t *testing.T) {
	r := newRoom(t, map[string]string{".ssh/id": "key\n", ".config/gh/hosts.yml": "token\n", "a": "1\n", ".agent-sidecar/x": "1\n"})
	v, err := Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(r.root, ".agent-sidecar"), UserHome: r.root})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	r.v = v
	changes := r.command(func() { r.sh("write .ssh/id x\nwrite .config/gh/hosts.yml x\nwrite a x\nwrite .agent-sidecar/x x") })
	if got := changed(changes); got != "modified a" {
		t.Error(got)
	}
	rules := v.followed()[0].Rules // what they skip is not read
	for path, want := range map[string]bool{".ssh": true, ".config/gh": true, ".agent-sidecar": true, ".agent-output": true, ".git": true, ".config": false, "a": false} {
		if got := rules.Skips(filepath.Join(r.root, path), path != "a"); got != want {
			t.Errorf("%s is skipped: %v", path, got)
		}
	}
}

// Files that hold rules are known as such, so that a directory which holds one is
// asked for them again.
func TestWatchKnowsRuleFiles(t *testing.T) {
	r := newRoom(t, map[string]string{".gitignore": "x\n", "d/.agentignore": "x\n", "e/a": ""})
	rules := r.v.followed()[0].Rules
	for dir, want := range map[string]struct{ other, own bool }{".": {false, true}, "d": {true, true}, "e": {false, false}} {
		at := filepath.Join(r.root, dir)
		entries, err := os.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		in, own := rules.In(at, entries)
		if own != want.own || (in != rules) != want.other {
			t.Errorf("%s has rules of its own: %v, others than above: %v", dir, own, in != rules)
		}
	}
}
