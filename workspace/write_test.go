package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestWrite(t *testing.T) {
	r := newRoom(t, map[string]string{"old": "a\nb\n", "crlf": "a\r\nb\r\n", "bom": "\xEF\xBB\xBFa\n", "noend": "a", "dir/x": "", "u16": "\xFF\xFEa\x00\n\x00", "bin": "a\x00b"})
	read := func(names ...string) {
		for _, n := range names {
			r.want(r.run("read", "path", n), false)
		}
	}
	res := r.run("write", "path", "new/deep/f.txt", "content", "x\ny\n")
	r.want(res, false, "created new/deep/f.txt (+2 −0)", "--- /dev/null\n+++ b/new/deep/f.txt\n", "+x\n+y")
	if c := res.Changes[0]; c.Kind != "created" || c.Path != "new/deep/f.txt" || c.Before != "" || c.After != hashOf([]byte("x\ny\n")) || c.Checkpoint != "" || c.Additions != 2 {
		t.Errorf("%+v", c)
	}
	// What we wrote counts as read.
	r.want(r.run("write", "path", "new/deep/f.txt", "content", "z\n"), false, "wrote new/deep/f.txt (+1 −2, checkpoint ")

	r.want(r.run("write", "path", "old", "content", "c\n"), true, "was not read in this session")
	r.run("grep", "pattern", "a", "path", "old") // a hit is no read
	r.want(r.run("write", "path", "old", "content", "c\n"), true, "was not read in this session")
	r.want(r.run("read", "path", "old", "offset", 2, "limit", 1), false)
	res = r.run("write", "path", "old", "content", "c\n")
	r.want(res, false, "wrote old (+1 −2", "-a\n-b\n+c")
	if c := res.Changes[0]; c.Kind != "modified" || c.Before != hashOf([]byte("a\nb\n")) {
		t.Errorf("%+v", c)
	} else if data, err := r.v.Load(c.Checkpoint); err != nil || string(data) != "a\nb\n" {
		t.Errorf("checkpoint: %q %v", data, err)
	}
	r.put(map[string]string{"old": "changed\n"})
	r.want(r.run("write", "path", "old", "content", "d\n"), true, "changed since it was read; read it again")

	read("crlf", "bom", "noend", "u16", "bin")
	for _, row := range []struct{ path, content, want string }{
		{"crlf", "x\ny\n", "x\r\ny\r\n"},
		{"crlf", "x", "x\r\n"},
		{"bom", "b\n", "\xEF\xBB\xBFb\n"},
		{"noend", "b", "b"},
		{"u16", "b\n", "\xFF\xFEb\x00\n\x00"},
		{"bin", "text", "text"},
	} {
		r.want(r.run("write", "path", row.path, "content", row.content), false)
		if got := r.file(row.path); got != row.want {
			t.Errorf("%s: %q, want %q", row.path, got, row.want)
		}
	}
	r.want(r.run("write", "path", "crlf", "content", ""), true, "allowEmpty")
	r.want(r.run("write", "path", "crlf", "content", "", "allowEmpty", true), false)
	r.want(r.run("write", "path", "dir", "content", "x"), true, "is a directory")
	r.want(r.run("write", "path", "new/x/", "content", "x"), true, "names a directory")
	r.want(r.run("write", "path", "bom", "content", "x\n// ... rest of code\n"), true, "placeholder")
	r.want(r.run("write", "path", "old/x", "content", "x"), true, "not a directory")
	if left, _ := filepath.Glob(filepath.Join(r.root, ".agent-*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	r := newRoom(t, map[string]string{"real/run.sh": "a\n", "link": "-> real/run.sh"})
	os.Chmod(filepath.Join(r.root, "real/run.sh"), 0o751)
	r.run("read", "path", "link")
	p, err := r.plan("edit", "path", "link", "old", "a", "new", "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := objectsOf(p); got != "edit vault:/link, edit vault:/real/run.sh" {
		t.Errorf("targets %s", got)
	}
	if p.Title != "edit real/run.sh (through link)" || len(p.Lock) != 1 {
		t.Errorf("%s %v", p.Title, p.Lock)
	}
	r.want(r.finish(p), false)
	fi, _ := os.Lstat(filepath.Join(r.root, "link"))
	st, _ := os.Stat(filepath.Join(r.root, "link"))
	if fi.Mode()&os.ModeSymlink == 0 || st.Mode().Perm() != 0o751 || r.file("real/run.sh") != "b\n" {
		t.Errorf("%v %v %q", fi.Mode(), st.Mode(), r.file("real/run.sh"))
	}
}

// What differs from what was judged is not written.
func TestChangedBetweenPlanAndRun(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(r *room)
		want   string
	}{
		{"content", func(r *room) { r.put(map[string]string{"f": "other\n"}) }, "changed since the call was approved; nothing was done"},
		{"content behind the same size and time", func(r *room) {
			at := filepath.Join(r.root, "f")
			fi, _ := os.Stat(at)
			os.WriteFile(at, []byte("b\n"), 0o644)
			os.Chtimes(at, fi.ModTime(), fi.ModTime())
		}, "changed since the call was approved"},
		{"gone", func(r *room) { os.Remove(filepath.Join(r.root, "f")) }, "changed since the call was approved"},
		{"a link now", func(r *room) {
			os.Remove(filepath.Join(r.root, "f"))
			os.Symlink("g", filepath.Join(r.root, "f"))
		}, "path changed since it was approved"},
		{"dirty now", func(r *room) { r.v.DidOpen(fileuri.Of(r.root+"/f"), 1, "typed\n") }, "unsaved changes"},
		{"no room for the pre-image", func(r *room) {
			os.MkdirAll(filepath.Join(r.root, "../home"), 0o755)
			os.WriteFile(filepath.Join(r.root, "../home/checkpoints"), nil, 0o644)
		}, "not changed: keep the previous content"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"f": "a\n", "g": "a\n"})
			r.run("read", "path", "f")
			p, err := r.plan("edit", "path", "f", "old", "a", "new", "b")
			if err != nil {
				t.Fatal(err)
			}
			row.change(r)
			before := r.file("f")
			r.want(r.finish(p), true, row.want)
			if r.file("f") != before || r.file("g") != "a\n" {
				t.Errorf("written: %q %q", r.file("f"), r.file("g"))
			}
		})
	}
	r := newRoom(t, nil)
	p, _ := r.plan("write", "path", "f", "content", "x")
	r.put(map[string]string{"f": "appeared\n"})
	r.want(r.finish(p), true, "a file appeared there")
	if r.file("f") != "appeared\n" {
		t.Error("overwritten")
	}
}

func TestDigestCoversContent(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "a\n"})
	digest := func() string {
		r.run("read", "path", "f")
		p, err := r.plan("edit", "path", "f", "old", "a", "new", "b")
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest
	}
	one, same := digest(), digest()
	r.put(map[string]string{"f": "a\nmore\n"})
	if other := digest(); one != same || one == other {
		t.Errorf("%s %s %s", one, same, other)
	}
}

func TestPreview(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\nx\n"})
	r.run("read", "path", "f")
	p, _ := r.plan("edit", "path", "f", "old", "3\n", "new", "three\n")
	pre, err := p.Preview(context.Background(), tool.Grant{})
	if err != nil || pre.Kind != "diff" || !strings.HasPrefix(pre.Text, "--- a/f\n+++ b/f\n@@ ") || len(pre.Places) != 1 {
		t.Fatalf("%+v %v", pre, err)
	}
	if pl := pre.Places[0]; pl.Start != 2 || pl.End != 3 || pl.URI != fileuri.Of(r.root+"/f") {
		t.Errorf("%+v", pl)
	}
	// The model gets 200 lines of a long diff, a person all.
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintln(&long, i)
	}
	p, _ = r.plan("write", "path", "g", "content", long.String())
	pre, _ = p.Preview(context.Background(), tool.Grant{})
	res := r.finish(p)
	if strings.Count(pre.Text, "\n") < 500 || strings.Count(res.Text, "\n") > 205 {
		t.Errorf("%d %d", strings.Count(pre.Text, "\n"), strings.Count(res.Text, "\n"))
	}
	r.want(res, false, "more lines of the diff")
}

// A file with more than one hard link asks.
func TestHardLinkAsks(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "a\n"})
	if err := os.Link(filepath.Join(r.root, "f"), filepath.Join(r.root, "../other")); err != nil {
		t.Fatal(err)
	}
	r.run("read", "path", "f")
	p, err := r.plan("edit", "path", "f", "old", "a", "new", "b")
	if err != nil || p.Why.IsZero() || !strings.Contains(p.Title, "one of 2 hard links") {
		t.Fatalf("%+v %v", p, err)
	}
	r.want(r.finish(p), false)
	if r.file("../other") != "a\n" || r.file("f") != "b\n" {
		t.Error("the other name was changed")
	}
}

func TestEditTool(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "a\nb\n", "bin": "a\x00b", "latin": "caf\xe9 x\n", "bom": "\xEF\xBB\xBFa\r\nb\r\n"})
	r.want(r.run("edit", "path", "f", "old", "a", "new", "x"), true, "was not read")
	r.run("read", "path", "f")
	r.want(r.run("edit", "path", "f", "old", "a", "new", "x"), false, "edited f (+1 −1, checkpoint ", "-a\n+x")
	r.want(r.run("edit", "path", "f", "old", "x", "new", "y"), false) // our own edit counts as read
	r.want(r.run("edit", "path", "f", "old", "q", "new", "y"), true, "not in the file")
	r.want(r.run("edit", "path", "g", "old", "q", "new", "y"), true, "g does not exist; use write")
	r.run("read", "path", "bin")
	r.want(r.run("edit", "path", "bin", "old", "a", "new", "y"), true, "binary")
	r.run("read", "path", "latin")
	r.want(r.run("edit", "path", "latin", "old", "x", "new", "y"), false)
	if r.file("latin") != "caf\xe9 y\n" {
		t.Errorf("%q", r.file("latin"))
	}
	r.run("read", "path", "bom")
	r.want(r.run("edit", "path", "bom", "old", "a\nb\n", "new", "c\nd"), false)
	if r.file("bom") != "\xEF\xBB\xBFc\r\nd\r\n" {
		t.Errorf("%q", r.file("bom"))
	}
	r.put(map[string]string{"bad16": "\xFF\xFEa\x00\x00\xD8b\x00"})
	r.run("read", "path", "bad16")
	r.want(r.run("edit", "path", "bad16", "old", "a", "new", "y"), true, "encoding is damaged")
	// Another session has not read it.
	other := &room{t: t, v: r.v, root: r.root}
	other.tools = other.tools.With(r.v.Tools(Owner{Session: "s2"})...)
	other.want(other.run("edit", "path", "f", "old", "y", "new", "z"), true, "was not read")
}

func TestEditOutsideTheVault(t *testing.T) {
	r := newRoom(t, map[string]string{"../out/f": "a\n"})
	at := filepath.Join(filepath.Dir(r.root), "out/f")
	p, err := r.plan("read", "path", "../out/f")
	if err != nil || objectsOf(p) != "read fs:/"+strings.TrimPrefix(at, "/") {
		t.Fatal(objectsOf(p), err)
	}
	r.want(r.finish(p), false, "1: a")
	p, err = r.plan("edit", "path", at, "old", "a", "new", "b")
	if err != nil || objectsOf(p) != "edit fs:/"+strings.TrimPrefix(at, "/") {
		t.Fatal(objectsOf(p), err)
	}
	res := r.finish(p)
	r.want(res, false, "edited "+at)
	if res.Changes[0].Path != at || r.file("../out/f") != "b\n" {
		t.Errorf("%+v", res.Changes)
	}
}
