package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// begin makes a patch of its middle.
func begin(s string) string { return "*** Begin Patch\n" + s + "*** End Patch\n" }

func TestApplyPatch(t *testing.T) {
	r := newRoom(t, map[string]string{
		"a": "1\n2\n3\n", "crlf": "\xEF\xBB\xBFa\r\nb\r\n", "u16": "\xFF\xFEa\x00\n\x00b\x00", "d": "gone\nfor ever\n", "m": "x\n", "me": "old\nstays\n", "run.sh": "echo\n", "real": "r\n", "link": "-> real",
	})
	os.Chmod(filepath.Join(r.root, "me"), 0o640)
	os.Chmod(filepath.Join(r.root, "run.sh"), 0o755)
	for _, name := range []string{"a", "crlf", "u16", "me", "run.sh", "link"} {
		r.want(r.run("read", "path", name), false)
	}
	p, err := r.plan("apply_patch", "patch", begin(
		"*** Update File: a\n 1\n-2\n+two\n"+
			"*** Update File: crlf\n-b\n+c\n+d\n"+
			"*** Update File: u16\n-b\n+c\n"+
			"*** Add File: n/e/w\n+new\n+\n+file\n"+
			"*** Delete File: d\n"+
			"*** Update File: m\n*** Move to: n/m2\n"+
			"*** Update File: me\n*** Move to: me2\n-old\n+new\n"+
			"*** Update File: run.sh\n-echo\n+echo hi\n"+
			"*** Update File: link\n-r\n+s\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := objectsOf(p); got != "edit vault:/a, edit vault:/crlf, edit vault:/u16, edit vault:/n/e/w, edit vault:/d, edit vault:/m, edit vault:/n/m2, edit vault:/me, edit vault:/me2, edit vault:/run.sh, edit vault:/link, edit vault:/real" {
		t.Error(got)
	}
	if p.Title != "patch a, crlf, u16 and 6 more" || len(p.Lock) != 11 || len(p.Base) != 9 || !p.Why.IsZero() {
		t.Errorf("%q %v %v %q", p.Title, p.Lock, p.Base, p.Why)
	}
	pre, err := p.Preview(context.Background(), tool.Grant{})
	if err != nil || pre.Kind != "diff" || len(pre.Places) != 8 {
		t.Errorf("%+v %v", pre, err)
	}
	for _, want := range []string{"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n", "--- /dev/null\n+++ b/n/e/w\n", "--- a/d\n+++ /dev/null\n", "rename from m\nrename to n/m2\n", "diff --git a/me b/me2\nrename from me\nrename to me2\n--- a/me\n+++ b/me2\n"} {
		if !strings.Contains(pre.Text, want) {
			t.Errorf("want %q in\n%s", want, pre.Text)
		}
	}
	res := r.finish(p)
	r.want(res, false, "patched 9 files (+10 −8)\nedited a (+1 −1, checkpoint ", "\ncreated n/e/w (+3 −0)\n", "\ndeleted d (−2, checkpoint ", "\nmoved m to n/m2\n", "\nmoved me to me2, and edited me2 (+1 −1, checkpoint ", "--- a/a\n+++ b/a\n")
	for name, want := range map[string]string{
		"a": "1\ntwo\n3\n", "crlf": "\xEF\xBB\xBFa\r\nc\r\nd\r\n", "u16": "\xFF\xFEa\x00\n\x00c\x00", "n/e/w": "new\n\nfile\n", "d": "!no such file or directory", "m": "!no such file or directory",
		"n/m2": "x\n", "me": "!no such file or directory", "me2": "new\nstays\n", "run.sh": "echo hi\n", "real": "s\n",
	} {
		if got := r.file(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]os.FileMode{"me2": 0o640, "run.sh": 0o755, "link": os.ModeSymlink | 0o777} {
		if fi, _ := os.Lstat(filepath.Join(r.root, name)); fi.Mode() != want {
			t.Errorf("%s: %v", name, fi.Mode())
		}
	}
	if strings.Contains(r.tree(), ".tmp") {
		t.Error(r.tree())
	}
	var kinds []string
	for _, c := range res.Changes {
		kinds = append(kinds, c.Kind+" "+c.Path)
		if c.Checkpoint != "" {
			if data, err := r.v.Load(c.Checkpoint); err != nil || hashOf(data) != c.Before {
				t.Errorf("%+v %v", c, err)
			}
		}
	}
	if got := strings.Join(kinds, ", "); got != "modified a, modified crlf, modified u16, created n/e/w, deleted d, moved n/m2, moved me2, modified me2, modified run.sh, modified real" {
		t.Error(got)
	}
	// What it has left counts as read, also under its new name; what is gone does not.
	r.want(r.run("edit", "path", "me2", "old", "new", "new", "newer"), false)
	r.want(r.run("edit", "path", "n/e/w", "old", "new", "new", "newer"), false)
	r.put(map[string]string{"d": "again\n"})
	r.want(r.run("edit", "path", "d", "old", "again", "new", "x"), true, "was not read")
}

func TestApplyUnifiedDiff(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n2\n3\n", "d": "x\ny\n", "m": "1\n2\n", "e": ""})
	for _, name := range []string{"a", "m", "d"} {
		r.run("read", "path", name)
	}
	res := r.run("apply_patch", "patch", "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"+
		"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"+
		"diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"+
		"diff --git a/m b/m2\nsimilarity index 50%\nrename from m\nrename to m2\n--- a/m\n+++ b/m2\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"+
		"diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n")
	r.want(res, false, "patched 5 files (+3 −4)")
	if got := r.tree(); got != "-rw-r--r-- a 1\ntwo\n3\n\n-rw-r--r-- m2 one\n2\n\n-rw-r--r-- n new" {
		t.Error(got)
	}
}

// Whatever is wrong with one file, no file changes.
func TestPatchIsRefusedWhole(t *testing.T) {
	good := "*** Update File: a\n-1\n+one\n"
	for _, row := range []struct{ name, patch, want string }{
		{"text", "a to b", "this is no patch"},
		{"second file", begin(good + "*** Update File: b\n-9\n+x\n"), "nothing was changed: b: hunk 1 (line 6 of the patch) does not fit: its old lines are not in the file"},
		{"second hunk", begin(good + "@@\n-9\n+x\n"), "nothing was changed: a: hunk 2 (line 5 of the patch) does not fit"},
		{"two files", begin("*** Update File: a\n-8\n+x\n*** Update File: b\n-9\n+x\n"), "nothing was changed.\na: hunk 1 (line 3 of the patch) does not fit"},
		{"two files, the other", begin("*** Update File: a\n-8\n+x\n*** Update File: b\n-9\n+x\n"), "\nb: hunk 1 (line 6 of the patch) does not fit"},
		{"two places", begin("*** Update File: b\n-1\n+x\n"), "b: hunk 1 (line 3 of the patch) fits 2 places, from line 1, 3 on"},
		{"not read", begin(good + "*** Update File: unread\n-1\n+x\n"), "unread exists and was not read in this session"},
		{"not read, and it moves", begin(good + "*** Update File: unread\n*** Move to: x\n-1\n+x\n"), "unread exists and was not read in this session"},
		{"not there", begin(good + "*** Update File: none\n-1\n+x\n"), "none does not exist"},
		{"not there to go", begin(good + "*** Delete File: none\n"), "none does not exist"},
		{"not there to move", begin(good + "*** Update File: none\n*** Move to: x\n"), "none does not exist"},
		{"there already", begin(good + "*** Add File: b\n+x\n"), "b exists already"},
		{"move onto another", begin(good + "*** Update File: b\n*** Move to: unread\n"), "unread exists already; nothing is overwritten"},
		{"twice", begin(good + "*** Delete File: a\n"), "a stands in the patch more than once"},
		{"twice by another name", begin(good + "*** Update File: ./x/../a\n-2\n+x\n"), "more than once"},
		{"twice through a link", begin(good + "*** Update File: link\n-2\n+x\n"), "more than once"},
		{"moved to what is changed", begin(good + "*** Update File: b\n*** Move to: a\n"), "more than once"},
		{"a directory", begin(good + "*** Delete File: dir\n"), "dir is a directory; use delete"},
		{"a directory moves", begin(good + "*** Update File: dir\n*** Move to: dir2\n"), "dir is a directory; move it by itself"},
		{"a link goes", begin("*** Delete File: link\n"), "link is a link; use delete"},
		{"a directory is changed", begin("*** Update File: dir\n-1\n+2\n"), "dir: is a directory"},
		{"below a file", begin(good + "*** Add File: b/c\n+x\n"), "b/c: not a directory"},
		{"a binary file", begin(good + "*** Update File: bin\n-a\n+b\n"), "bin is a binary file"},
		{"nothing to do", begin("*** Update File: a\n-1\n+1\n"), "a: nothing would change"},
		{"placeholder", begin(good + "*** Update File: b\n-2\n+// ... rest of code\n"), "placeholder"},
		{"deleted with other lines", "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "the lines that the patch removes are not all that the file holds"},
		{"unsaved", begin(good + "*** Update File: dirty\n-1\n+x\n"), "dirty has unsaved changes in the editor"},
		{"unsaved, and it goes", begin(good + "*** Delete File: dirty\n"), "dirty has unsaved changes in the editor"},
		{"an open folder", begin(good + "*** Update File: .\n*** Move to: x\n"), "open folder"},
		{"hidden", begin(good + "*** Delete File: hidden\n"), ".agentignore"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"a": "1\n2\n", "b": "1\n2\n1\n", "unread": "1\n", "dir/x": "", "bin": "a\x00", "link": "-> a", "dirty": "1\n", "hidden": "1\n", ".agentignore": "hidden\n"})
			for _, name := range []string{"a", "b", "bin", "dirty"} {
				r.run("read", "path", name)
			}
			r.v.DidOpen(fileuri.Of(r.root+"/dirty"), 1, "typed\n")
			before := r.tree()
			r.want(r.run("apply_patch", "patch", row.patch), true, row.want)
			if now := r.tree(); now != before {
				t.Errorf("%s\nwas\n%s", now, before)
			}
		})
	}
}

// A file that differs from what was judged, whichever it is, ends all of it.
func TestPatchChangedBetweenPlanAndRun(t *testing.T) {
	patch := begin("*** Update File: a\n-1\n+one\n*** Add File: n\n+x\n*** Delete File: d\n*** Update File: m\n*** Move to: m2\n")
	for _, row := range []struct {
		name   string
		change func(r *room)
		want   string
	}{
		{"first", func(r *room) { r.put(map[string]string{"a": "1\nmore\n"}) }, "nothing was changed: a: the file changed since"},
		{"new", func(r *room) { r.put(map[string]string{"n": "other\n"}) }, "nothing was changed: n: a file appeared there"},
		{"deleted", func(r *room) { r.put(map[string]string{"d": "other\n"}) }, "nothing was changed: d: the file changed since"},
		{"moved", func(r *room) { r.put(map[string]string{"m": "other\n"}) }, "nothing was changed: m: the file changed since"},
		{"goal", func(r *room) { r.put(map[string]string{"m2": "other\n"}) }, "nothing was changed: m: m2 exists already"},
		{"gone", func(r *room) { os.Remove(filepath.Join(r.root, "d")) }, "nothing was changed: d: the file changed since"},
		{"a link now", func(r *room) {
			os.Remove(filepath.Join(r.root, "a"))
			os.Symlink("d", filepath.Join(r.root, "a"))
		}, "nothing was changed: a: path changed since"},
		{"a link to a directory now", func(r *room) {
			os.Rename(filepath.Join(r.root, "sub"), filepath.Join(r.root, "sub2"))
			os.Symlink("sub2", filepath.Join(r.root, "sub"))
		}, "!"},
		{"dirty now", func(r *room) { r.v.DidOpen(fileuri.Of(r.root+"/d"), 1, "typed\n") }, "nothing was changed: d has unsaved changes"},
		{"no room for what was there", func(r *room) {
			os.MkdirAll(filepath.Join(r.root, "../home"), 0o755)
			os.WriteFile(filepath.Join(r.root, "../home/checkpoints"), nil, 0o644)
		}, "nothing was changed: a: keep the previous content"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"a": "1\n", "d": "2\n", "m": "3\n", "sub/x": "1\n"})
			r.run("read", "path", "a")
			text := patch
			if row.want == "!" {
				r.run("read", "path", "sub/x")
				text = begin("*** Update File: a\n-1\n+one\n*** Update File: sub/x\n-1\n+one\n")
				row.want = "nothing was changed: sub/x: path changed since"
			}
			p, err := r.plan("apply_patch", "patch", text)
			if err != nil {
				t.Fatal(err)
			}
			row.change(r)
			before := r.tree()
			r.want(r.finish(p), true, strings.Replace(row.want, "changed: d has", "changed: d: d has", 1))
			if now := r.tree(); now != before {
				t.Errorf("%s\nwas\n%s", now, before)
			}
		})
	}
}

// newRoomOnDisk is a room whose disk can fail.
func newRoomOnDisk(t *testing.T, files map[string]string) (*room, *durable.Disk) {
	t.Helper()
	r := newRoom(t, files)
	disk := &durable.Disk{}
	var err error
	if r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(r.root, "../home"), Disk: disk}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.v.Close() })
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s"})...)
	return r, disk
}

// At every step to the disk the patch fails, for every kind of step, once and for
// good: all files are as they were, with their modes, or all are as they should be.
// Without -thorough it is a third of the steps.
func TestPatchIsPutBack(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "1\n", "d": "2\n", "m": "3\n", "me": "4\n", "z": "5\n"}
	patch := begin("*** Update File: a\n-1\n+one\n*** Add File: n/e/w\n+x\n*** Delete File: d\n*** Update File: m\n*** Move to: o/m2\n*** Update File: me\n*** Move to: me2\n-4\n+four\n*** Update File: z\n-5\n+five\n")
	start := func(t *testing.T) (*room, *durable.Disk, func() bool, string) {
		r, disk := newRoomOnDisk(t, files)
		for name := range files {
			os.Chmod(filepath.Join(r.root, name), 0o640)
			r.want(r.run("read", "path", name), false)
		}
		p, err := r.plan("apply_patch", "patch", patch)
		if err != nil {
			t.Fatal(err)
		}
		for name := range files { // what was there is kept already: that is not its subject
			r.v.Keep([]byte(files[name]))
		}
		return r, disk, func() bool { return r.finish(p).Failed }, r.tree()
	}
	seed := sample.Seed(t)
	t.Logf("AGENT_SIDECAR_SEED=%d", seed)
	r, disk, run, before := start(t)
	steps := 0
	disk.Fail(func(op durable.Op, path string) error { steps++; return nil })
	if run() {
		t.Fatal("it fails by itself")
	}
	after := r.tree()
	if steps < 20 || before == after || strings.Contains(after, ".tmp") {
		t.Fatal(steps, after)
	}
	for _, way := range []struct {
		name  string
		fails func(n, at int, op durable.Op) bool
	}{
		{"once", func(n, at int, _ durable.Op) bool { return n == at }},
		{"no room from then on", func(n, at int, op durable.Op) bool { return n >= at && (op == durable.OpTemp || op == durable.OpMkdir) }},
	} {
		failed, tried := 0, 0
		for at := 1; at <= steps; at++ {
			if !sample.Chosen(seed, 3, way.name, at) {
				continue
			}
			tried++
			t.Run(fmt.Sprintf("%s/%d", way.name, at), func(t *testing.T) {
				r, disk, run, before := start(t)
				n, what := 0, ""
				disk.Fail(func(op durable.Op, path string) error {
					n++
					if !way.fails(n, at, op) {
						return nil
					}
					what += string(op) + " " + filepath.Base(path) + ", "
					return syscall.ENOSPC
				})
				bad := run()
				now := r.tree()
				switch {
				case bad && now != before:
					t.Errorf("%s failed and left\n%s\nwas\n%s", what, now, before)
				case bad:
					failed++
				case now != after && !strings.Contains(now, ".tmp"):
					t.Errorf("%s did not fail and made\n%s\nnot\n%s", what, now, after)
				}
			})
		}
		t.Logf("%s: %d of %d steps failed it", way.name, failed, tried)
		if failed < tried/4 {
			t.Errorf("%s: only %d steps fail it", way.name, failed)
		}
	}
}

// What cannot be put back is said, and is among the changes.
func TestPatchThatCannotBePutBack(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n"})
	disk := &durable.Disk{}
	var err error
	if r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(r.root, "../home"), Disk: disk}); err != nil {
		t.Fatal(err)
	}
	defer r.v.Close()
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s"})...)
	r.run("read", "path", "a")
	r.run("read", "path", "b")
	disk.Watch(func(op durable.Op, path string) {
		if op == durable.OpRename && filepath.Base(path) == "a" {
			disk.Fail(func(durable.Op, string) error { return errors.New("the platter is gone") })
		}
	})
	res := r.run("apply_patch", "patch", begin("*** Update File: a\n-1\n+one\n*** Update File: b\n-2\n+two\n"))
	r.want(res, true, "the patch failed: b: write beside b: the platter is gone\nNot everything could be put back (a: ", "\na is modified; its previous content is checkpoint 4355a46b19d3")
	if len(res.Changes) != 1 || res.Changes[0].Kind != "modified" || res.Changes[0].Path != "a" || r.file("b") != "2\n" {
		t.Errorf("%+v", res.Changes)
	}
}

// A patch asks for what it touches, also outside every folder.
func TestPatchAsks(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "a\n", "g": "b\n", "../out/o": "x\n"})
	if err := os.Link(filepath.Join(r.root, "g"), filepath.Join(r.root, "../other")); err != nil {
		t.Fatal(err)
	}
	r.run("read", "path", "f")
	r.run("read", "path", "g")
	p, err := r.plan("apply_patch", "patch", begin("*** Update File: f\n-a\n+b\n*** Update File: g\n-b\n+c\n"))
	if err != nil || p.Why.String() != "g is one of 2 hard links, and the others keep the old content" {
		t.Fatalf("%+v %v", p, err)
	}
	p, err = r.plan("apply_patch", "patch", begin("*** Update File: f\n-a\n+b\n*** Update File: g\n*** Move to: h\n"))
	if err != nil || !p.Why.IsZero() { // a move keeps the tie
		t.Fatalf("%+v %v", p, err)
	}
	out := filepath.Join(filepath.Dir(r.root), "out")
	// Nothing is said about files outside before the call is judged, not even that
	// there is none.
	for _, name := range []string{"o", "none"} {
		p, err = r.plan("apply_patch", "patch", begin("*** Update File: f\n-a\n+b\n*** Update File: "+out+"/"+name+"\n-q\n+c\n"))
		if err != nil || !strings.HasSuffix(objectsOf(p), "edit vault:/f, edit fs:/"+strings.TrimPrefix(out, "/")+"/"+name) {
			t.Fatal(err, objectsOf(p))
		}
		r.want(r.finish(p), true, "nothing was changed")
	}
	r.v.Tools(Owner{Session: "x"})
	for _, tl := range r.v.ToolsToExplain(Owner{Session: "e"}) {
		if tl.Spec().Name != "apply_patch" {
			continue
		}
		p, err := tl.Plan([]byte(`{"patch": "*** Begin Patch\n*** Update File: f\n-zzz\n+b\n*** Delete File: .git/config\n*** End Patch\n"}`))
		if err != nil || objectsOf(p) != "edit vault:/f, edit vault:/.git/config" {
			t.Fatal(err, p)
		}
	}
}

// A bypass: what a patch removes was once shown in its result, so that a file which
// may be deleted and not read could be read by deleting it; and lines that are
// guessed of a file were compared with it before anybody was asked.
func TestPatchTellsNothingOfWhatItDeletes(t *testing.T) {
	r := newRoom(t, map[string]string{".env": "KEY=secret\n"})
	for _, guess := range []string{"KEY=secret", "KEY=other"} {
		r.want(r.run("apply_patch", "patch", "--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-"+guess+"\n"), true, ".env exists and was not read in this session")
	}
	r.want(r.run("apply_patch", "patch", begin("*** Delete File: .env\n")), false, "deleted .env (−1, checkpoint ", "!secret")
}

func TestPatchDiffIsBounded(t *testing.T) {
	r := newRoom(t, nil)
	res := r.run("apply_patch", "patch", begin("*** Add File: a\n"+strings.Repeat("+x\n", 300)+"*** Add File: b\n+y\n"))
	r.want(res, false, "more lines of the diff")
	if n := strings.Count(res.Text, "\n"); n > 206 {
		t.Error(n)
	}
}
