package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

func TestMove(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n", "d/x": "3\n", "d/e/y": "4\n", "link": "-> a", "../out/o": "5\n", "empty/": ""})
	p, err := r.plan("move", "from", "a", "to", "n/m/a2")
	if err != nil || objectsOf(p) != "edit vault:/a, edit vault:/n/m/a2" || len(p.Lock) != 2 {
		t.Fatal(err, objectsOf(p))
	}
	res := r.finish(p)
	r.want(res, false, "moved a to n/m/a2")
	if c := res.Changes[0]; c.Kind != "moved" || c.From != "a" || c.Path != "n/m/a2" || c.Checkpoint == "" || r.file("n/m/a2") != "1\n" || r.file("a")[0] != '!' {
		t.Errorf("%+v", c)
	}
	p, _ = r.plan("move", "from", "d", "to", "e")
	if got := objectsOf(p); got != "edit vault:/d, edit vault:/e, edit vault:/d/e, edit vault:/d/e/y, edit vault:/d/x, edit vault:/e/e, edit vault:/e/e/y, edit vault:/e/x" {
		t.Error(got)
	}
	res = r.finish(p)
	r.want(res, false, "moved d to e")
	if len(res.Changes) != 4 || !res.Changes[0].Directory || r.file("e/e/y") != "4\n" { // two directories, two files
		t.Errorf("%+v", res.Changes)
	}
	r.want(r.run("move", "from", "link", "to", "link2"), false) // the link itself, dangling by now
	if to, _ := os.Readlink(filepath.Join(r.root, "link2")); to != "a" {
		t.Error(to)
	}
	r.want(r.run("move", "from", "../out/o", "to", "o"), false)
	if r.file("o") != "5\n" || r.file("../out/o")[0] != '!' {
		t.Error("from outside")
	}
	for _, row := range []struct{ from, to, want string }{
		{"b", "o", "o exists already; nothing is overwritten"},
		{"b", "e", "e is a directory; give the whole new path"},
		{"b", "link2", "exists already"},
		{"none", "x", "none does not exist"},
		{"e", "e/in", "into itself"},
		{"e", "../e", "out of it"},
		{".", "x", "open folder of the editor"},
		{"..", "x", "open folder of the editor"},
	} {
		r.want(r.run("move", "from", row.from, "to", row.to), true, row.want)
	}
	p, _ = r.plan("move", "from", "b", "to", "c")
	r.put(map[string]string{"c": "new"})
	r.want(r.finish(p), true, "c exists already")
	p, _ = r.plan("move", "from", "e", "to", "f")
	r.put(map[string]string{"e/more": "new"})
	r.want(r.finish(p), true, "the directory changed since")
	// A moved file counts as read if it was.
	r.run("read", "path", "b")
	r.run("move", "from", "b", "to", "b2")
	r.want(r.run("edit", "path", "b2", "old", "2", "new", "3"), false)
	r.run("read", "path", "e/e/y")
	r.run("move", "from", "e", "to", "e2")
	r.want(r.run("edit", "path", "e2/e/y", "old", "4", "new", "5"), false)
	// The mode goes along, also to another folder.
	os.Chmod(filepath.Join(r.root, "b2"), 0o751)
	r.want(r.run("move", "from", "b2", "to", "../out/b2"), false)
	if fi, err := os.Stat(filepath.Join(r.root, "../out/b2")); err != nil || fi.Mode() != 0o751 {
		t.Error(fi.Mode(), err)
	}
	// Nothing lands on what the editor has not saved yet.
	r.v.DidOpen(fileuri.Of(r.root+"/typed"), 1, "typed")
	r.want(r.run("move", "from", "e2/x", "to", "typed"), true, "unsaved changes")
}

func TestDelete(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n2\n", "d/x": "3\n", "d/e/y": "4\n", "d/l": "-> ../keep", "keep": "k", "link": "-> keep", "empty/": "", "d2/z": "z"})
	res := r.run("delete", "path", "a")
	r.want(res, false, "deleted a (−2, checkpoint ")
	if c := res.Changes[0]; c.Kind != "deleted" || c.Before == "" || c.After != "" {
		t.Errorf("%+v", c)
	} else if data, err := r.v.Load(c.Checkpoint); string(data) != "1\n2\n" {
		t.Error(err)
	}
	p, _ := r.plan("delete", "path", "link")
	if got := objectsOf(p); got != "edit vault:/link" {
		t.Error(got)
	}
	r.want(r.finish(p), false, "deleted the link link")
	if r.file("keep") != "k" {
		t.Error("the target is gone")
	}
	r.want(r.run("delete", "path", "empty"), false)
	r.want(r.run("delete", "path", "d"), true, "set recursive")
	p, _ = r.plan("delete", "path", "d", "recursive", true)
	if got := objectsOf(p); !p.Destructive || got != "edit vault:/d, edit vault:/d/e, edit vault:/d/e/y, edit vault:/d/l, edit vault:/d/x" {
		t.Error(p.Destructive, got)
	}
	res = r.finish(p)
	r.want(res, false, "deleted d with 2 files")
	if len(res.Changes) != 5 || r.file("d/x")[0] != '!' || r.file("keep") != "k" { // two files, a link, two directories
		t.Errorf("%+v", res.Changes)
	}
	for _, c := range res.Changes {
		if _, err := r.v.Load(c.Checkpoint); err != nil && !c.Directory {
			t.Error(err)
		}
	}
	p, _ = r.plan("delete", "path", "d2", "recursive", true)
	r.put(map[string]string{"d2/new": "n"})
	r.want(r.finish(p), true, "the directory changed")
	r.v.DidOpen(fileuri.Of(r.root+"/d2/z"), 1, "typed")
	r.want(r.run("delete", "path", "d2", "recursive", true), true, "unsaved changes")
	r.want(r.run("delete", "path", "."), true, "open folder")
	r.want(r.run("delete", "path", "/"), true, "open folder")
	r.want(r.run("delete", "path", "none"), true, "does not exist")
}
