package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// did runs a tool and returns what it changed.
func (r *room) did(name string, args ...any) []tool.Change {
	r.t.Helper()
	res := r.run(name, args...)
	if res.Failed {
		r.t.Fatal(res.Text)
	}
	return res.Changes
}

// undo undoes changes, and says what came of it in one line.
func (r *room) undo(merge bool, changes ...tool.Change) (line string, done []tool.Change) {
	r.t.Helper()
	dry, dryConflicts, err := r.v.Undo(context.Background(), changes, merge, true, func(tool.Change) error { panic("a dry run") })
	if err != nil {
		r.t.Fatal(err)
	}
	var recorded []tool.Change
	done, conflicts, err := r.v.Undo(context.Background(), changes, merge, false, func(c tool.Change) error {
		recorded = append(recorded, c)
		return nil
	})
	if err != nil || len(recorded) != len(done) {
		r.t.Fatal(err, recorded)
	}
	say := func(done []tool.Change, conflicts []tool.Conflict) string {
		var out []string
		for _, c := range done {
			if !c.Directory {
				out = append(out, fmt.Sprintf("%s %s +%d −%d", c.Kind, c.Path, c.Additions, c.Deletions))
			}
		}
		for _, c := range conflicts {
			out = append(out, c.Path+"! "+string(c.Reason))
		}
		return strings.Join(out, "; ")
	}
	line = say(done, conflicts)
	if foretold := say(dry, dryConflicts); foretold != line {
		r.t.Errorf("the dry run said %s\nand it was %s", foretold, line)
	}
	return line, done
}

func (r *room) wantUndo(want string, changes ...tool.Change) (done []tool.Change) {
	r.t.Helper()
	got, done := r.undo(false, changes...)
	if got != want {
		r.t.Errorf("got  %s\nwant %s", got, want)
	}
	return done
}

// tree is everything in the folder, one line each, with its mode.
func (r *room) tree() string {
	r.t.Helper()
	var lines []string
	err := filepath.Walk(r.root, func(path string, info os.FileInfo, err error) error {
		if err != nil || path == r.root {
			return err
		}
		rel, _ := filepath.Rel(r.root, path)
		line := info.Mode().String() + " " + rel
		switch {
		case info.Mode().IsRegular():
			data, _ := os.ReadFile(path)
			line += " " + string(data)
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			line += " -> " + to
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestUndoBringsBackAndForth(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n2\n", "d/x": "3\n", "d/e/y": "4\n", "d/empty/": "", "d/l": "-> x", "b": "5\n", "tool.sh": "#!/bin/sh\n"})
	os.Chmod(filepath.Join(r.root, "tool.sh"), 0o755)
	os.Chmod(filepath.Join(r.root, "d/e/y"), 0o600)
	os.Chmod(filepath.Join(r.root, "d/e"), 0o750)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	os.Chtimes(filepath.Join(r.root, "b"), old, old)
	before := r.tree()
	r.run("read", "path", "a")
	r.run("read", "path", "tool.sh")
	var all []tool.Change
	for _, c := range [][]any{
		{"edit", "path", "a", "old", "1", "new", "one"},
		{"write", "path", "n/m/new", "content", "new\n"},
		{"edit", "path", "a", "old", "2", "new", "two"},
		{"move", "from", "d", "to", "moved"},
		{"delete", "path", "moved", "recursive", true},
		{"delete", "path", "tool.sh"},
		{"move", "from", "b", "to", "c"},
	} {
		all = append(all, r.did(c[0].(string), c[1:]...)...)
	}
	after := r.tree()
	undone := r.wantUndo("modified a +2 −2; created d/e/y +1 −0; created d/l +1 −0; created d/x +1 −0; created tool.sh +1 −0; moved b +0 −0; deleted n/m/new +0 −1", all...)
	if got := strings.Replace(r.tree(), "drwxr-xr-x n\ndrwxr-xr-x n/m\n", "", 1); got != before { // whose directories those are nobody knows
		t.Errorf("after the undo:\n%s\nwant\n%s", got, before)
	}
	if info, err := os.Stat(filepath.Join(r.root, "b")); err != nil || !info.ModTime().Equal(old) {
		t.Error("moved back, it is another file:", info.ModTime(), err)
	}
	if got, _ := r.undo(false, all...); got != "" {
		t.Error("undone twice:", got)
	}
	redone, _ := r.undo(false, undone...)
	if got := r.tree(); got != after || strings.Contains(redone, "!") {
		t.Errorf("after the redo (%s):\n%s\nwant\n%s", redone, got, after)
	}
}

func TestUndoNeverTouchesWhatIsNotOurs(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "gone": "1\n", "dir/f": "1\n"})
	r.run("read", "path", "a")
	made := r.did("write", "path", "made", "content", "ours\n")
	edited := r.did("edit", "path", "a", "old", "1", "new", "2")
	deleted := r.did("delete", "path", "gone")
	dir := r.did("delete", "path", "dir", "recursive", true)
	r.put(map[string]string{"made": "ours, and mine\n", "a": "mine\n", "gone": "mine\n", "dir": "mine\n"})
	mine := r.tree()
	r.wantUndo("made! changed_since; a! changed_since; gone! appeared_since; dir/f! not a directory; dir! appeared_since",
		append(append(append(made, edited...), deleted...), dir...)...)
	if r.tree() != mine {
		t.Error(r.tree())
	}

	// A link that the person, or somebody else, put in the way.
	r = newRoom(t, map[string]string{"d/f": "1\n", "../out/f": "2\n"})
	r.run("read", "path", "d/f")
	edited = r.did("edit", "path", "d/f", "old", "1", "new", "2")
	os.Rename(filepath.Join(r.root, "d"), filepath.Join(r.root, "e"))
	r.put(map[string]string{"d": "-> ../out"})
	r.wantUndo("d/f! elsewhere", edited...)
	os.Remove(filepath.Join(r.root, "d"))
	r.put(map[string]string{"d/f": "-> ../../out/f"})
	r.wantUndo("d/f! changed_since", edited...)
	if r.file("../out/f") != "2\n" {
		t.Error("through a link, outside")
	}

	// A document with unsaved changes.
	r = newRoom(t, map[string]string{"a": "1\n"})
	r.run("read", "path", "a")
	edited = r.did("edit", "path", "a", "old", "1", "new", "2")
	r.v.DidOpen(fileuri.Of(r.root+"/a"), 1, "2\ntyped\n")
	r.wantUndo("a! unsaved", edited...)
	r.v.DidChange(fileuri.Of(r.root+"/a"), 2, "2\n")
	r.wantUndo("modified a +1 −1", edited...)
}

// Unsaved text that is what the agent left is taken back in the editor, and stays
// unsaved; what else the editor shows is the person's.
func TestUndoInTheEditor(t *testing.T) {
	r, editor := newEditedRoom(t, map[string]string{"a": "1\n2\n", "b": "1\n", "c": "1\n"})
	a, shown := fileuri.Of(r.root+"/a"), func(uri string) string { text, _, _ := r.v.Buffer(uri); return text }
	r.v.DidOpen(a, 1, "1\n2\n")
	r.v.DidChange(a, 2, "1 typed\n2\n")
	for _, name := range []string{"a", "b", "c"} {
		r.run("read", "path", name)
	}
	first := r.did("edit", "path", "b", "old", "1", "new", "one")
	mine := r.did("edit", "path", "a", "old", "2", "new", "two")
	all := append(first, mine...)
	undone := r.wantUndo("modified a +1 −1; modified b +1 −1", all...)
	if shown(a) != "1 typed\n2\n" || r.file("a") != "1\n2\n" || r.file("b") != "1\n" {
		t.Errorf("%q, saved %q; %q", shown(a), r.file("a"), r.file("b"))
	}
	r.wantUndo("", all...) // twice
	r.wantUndo("modified a +1 −1; modified b +1 −1", undone...)
	if shown(a) != "1 typed\ntwo\n" || r.file("a") != "1\n2\n" || r.file("b") != "one\n" {
		t.Errorf("%q, saved %q; %q", shown(a), r.file("a"), r.file("b"))
	}
	r.v.DidChange(a, 9, "1 typed\ntwo and more\n")
	r.wantUndo("a! unsaved", mine...)
	if got, _ := r.undo(true, mine...); got != "a! unsaved" { // also with merge
		t.Error(got)
	}
	r.v.DidChange(a, 10, "1 typed\ntwo\n")

	// What the editor says no to, or changes at the same time.
	for name, breaks := range map[string]func(){
		"no":    func() { editor.refuse = errors.New("no") },
		"typed": func() { editor.before = func() { r.v.DidChange(a, 11, "1 typed\ntwo!\n") } },
	} {
		r.v.DidChange(a, 10, "1 typed\ntwo\n")
		editor.refuse, editor.before = nil, nil
		breaks()
		done, conflicts, err := r.v.Undo(t.Context(), mine, false, false, func(tool.Change) error { t.Error("recorded"); return nil })
		if err != nil || len(done) != 0 || len(conflicts) != 1 || conflicts[0].Reason != tool.NotInEditor {
			t.Error(name, done, conflicts, err)
		}
	}
	editor.refuse, editor.before = nil, nil

	// A new file with unsaved text is not taken away.
	made := r.did("write", "path", "new", "content", "n\n")
	uri := fileuri.Of(r.root + "/new")
	r.v.DidOpen(uri, 1, "n\n")
	r.v.DidChange(uri, 2, "typed\n")
	r.run("read", "path", "new")
	again := r.did("edit", "path", "new", "old", "typed", "new", "TYPED")
	r.wantUndo("new! changed_between", append(made, again...)...)
	r.wantUndo("new! unsaved", made...)
	// What was not told while the editor was asked is told in the end.
	r.wantUndo("modified new +1 −1", again...)
	if shown(uri) != "typed\n" || r.file("new") != "n\n" {
		t.Errorf("%q %q", shown(uri), r.file("new"))
	}
}

// The sidecar's own files are nobody's to undo, whatever a log says.
func TestUndoOutsideAndHome(t *testing.T) {
	r := newRoom(t, map[string]string{"../out/f": "1\n", "../home/config.jsonc": "evil"})
	id, _ := r.v.Keep([]byte("forged"))
	own := filepath.Join(r.v.home, "config.jsonc")
	r.wantUndo(own+"! own_home", tool.Change{Path: own, Kind: "modified", Before: id, After: hashOf([]byte("evil")), Checkpoint: id})
	out := filepath.Join(filepath.Dir(r.root), "out", "f")
	r.run("read", "path", out)
	edited := r.did("edit", "path", out, "old", "1", "new", "2")
	r.wantUndo("modified "+out+" +1 −1", edited...)
	for _, path := range []string{"", "../out/../out/f/\x00", "~nobody/x", "vault@none:/x"} {
		if got, _ := r.undo(false, tool.Change{Path: path, Kind: "created", After: hashOf([]byte("1\n"))}); !strings.Contains(got, "!") && got != "" {
			t.Error(path, got)
		}
	}
	if r.file("../out/f") != "1\n" || r.file("../home/config.jsonc") != "evil" {
		t.Error("changed")
	}
}

func TestUndoMerges(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n2\n3\n4\n", "b": "1\n2\n"})
	r.run("read", "path", "a")
	r.run("read", "path", "b")
	changes := append(r.did("edit", "path", "a", "old", "1", "new", "one"), r.did("edit", "path", "b", "old", "1", "new", "one")...)
	r.put(map[string]string{"a": "one\n2\n3\nfour\n", "b": "eins\n2\n"})
	r.wantUndo("a! changed_since; b! changed_since", changes...)
	got, undone := r.undo(true, changes...)
	if got != "modified a +1 −1; b! overlaps" || r.file("a") != "1\n2\n3\nfour\n" || r.file("b") != "eins\n2\n" {
		t.Error(got, r.file("a"), r.file("b"))
	}
	r.wantUndo("modified a +1 −1", undone...)
	if r.file("a") != "one\n2\n3\nfour\n" {
		t.Error(r.file("a"))
	}
}

// A pre-image that the quota, or somebody, has removed.
func TestUndoWithoutCheckpoint(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n"})
	r.run("read", "path", "a")
	changes := append(r.did("edit", "path", "a", "old", "1", "new", "one"), r.did("delete", "path", "b")...)
	if err := r.v.sweepCheckpoints(0); err != nil {
		t.Fatal(err)
	}
	r.wantUndo("a! not_kept_now; b! not_kept_now", changes...)
}

// What nobody may read comes back so.
func TestUndoOfWhatNobodyMayRead(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not run: only root can keep what nobody may read")
	}
	for _, mode := range []os.FileMode{0, 0o200, 0o111, 0o400} {
		for _, change := range [][]any{
			{"bash", "command", "rm f; rm -r d"}, {"bash", "command", "rm f; mkdir f; rm -r d; echo x > d"}, {"bash", "command", "chmod 644 f; chmod 755 d; rm -r d"},
			{"delete", "path", "f"},
		} {
			r := newRoom(t, map[string]string{"f": "1\n", "d/e/x": "2\n"})
			for _, name := range []string{"f", "d/e", "d"} {
				if err := os.Chmod(filepath.Join(r.root, name), mode); err != nil {
					t.Fatal(err)
				}
			}
			before := r.tree()
			r.undo(false, r.did(change[0].(string), change[1:]...)...)
			if got := r.tree(); got != before {
				t.Errorf("%v, %v:\n%s\nwant\n%s", mode, change, got, before)
			}
		}
	}
}

// Files that are not for others do not become so on their way back.
func TestUndoModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	r := newRoom(t, map[string]string{".netrc": "secret\n", "s": "x\n"})
	os.Chmod(filepath.Join(r.root, ".netrc"), 0o600)
	os.Chmod(filepath.Join(r.root, "s"), 0o755)
	r.run("read", "path", "s")
	changes := append(r.did("delete", "path", ".netrc"), r.did("edit", "path", "s", "old", "x", "new", "y")...)
	os.Chmod(filepath.Join(r.root, "s"), 0o700) // by the person, since
	r.wantUndo("created .netrc +1 −0; modified s +1 −1", changes...)
	if got := r.tree(); got != "-rw------- .netrc secret\n\n-rwx------ s x\n" {
		t.Error(got)
	}
}
