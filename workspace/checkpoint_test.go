package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCheckpoint(t *testing.T) {
	r := newRoom(t, nil)
	content := bytes.Repeat([]byte("content\n"), 10_000)
	id, err := r.v.Keep(content)
	if err != nil || id != hashOf(content) {
		t.Fatal(id, err)
	}
	if same, err := r.v.Keep(content); err != nil || same != id {
		t.Error(same, err)
	}
	file := filepath.Join(r.v.home, "checkpoints", id[:2], id+".gz")
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 || fi.Size() > 2000 {
		t.Error(fi, err)
	}
	if got, err := r.v.Load(id); err != nil || !bytes.Equal(got, content) {
		t.Error(err)
	}
	if empty, err := r.v.Keep(nil); err != nil {
		t.Error(err)
	} else if got, err := r.v.Load(empty); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "x", "../../etc/passwd", hashOf([]byte("other")), id[:63] + "/"} {
		if _, err := r.v.Load(bad); err == nil {
			t.Errorf("%q loaded", bad)
		}
	}
	other, _ := r.v.Keep([]byte("other"))
	os.Rename(filepath.Join(r.v.home, "checkpoints", other[:2], other+".gz"), file)
	if _, err := r.v.Load(id); err == nil {
		t.Error("damaged content loaded")
	}
	if left, _ := filepath.Glob(filepath.Join(r.v.home, "checkpoints/*/.new-*")); len(left) > 0 {
		t.Error(left)
	}
}

func TestBranch(t *testing.T) {
	for _, row := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, "main"},
		{map[string]string{".git/HEAD": "ref: refs/heads/fix/a-b\n"}, "fix/a-b"},
		{map[string]string{"../.git/HEAD": "ref: refs/heads/above\n"}, "above"},
		{map[string]string{".git": "gitdir: ../repo/worktrees/w\n", "../repo/worktrees/w/HEAD": "ref: refs/heads/tree\n"}, "tree"},
		{map[string]string{".git/HEAD": "0123456789012345678901234567890123456789\n"}, "012345678901"},
		{map[string]string{".git/HEAD": "ref: refs/heads/x\x1b[31m\n"}, ""},
		{map[string]string{".git/HEAD": "root:x:0:0\n"}, ""},
		{map[string]string{".git": "gitdir: /etc\n"}, ""},
		{map[string]string{".git/": ""}, ""},
		{nil, ""},
	} {
		r := newRoom(t, row.files)
		if got := r.v.Branch(); got != row.want {
			t.Errorf("%v: %q", row.files, got)
		}
	}
	r := newRoom(t, nil)
	if id := r.v.WorkspaceID(); len(id) != len("vault-")+8 || id[:6] != "vault-" {
		t.Error(id)
	}
}

func TestSweepCheckpoints(t *testing.T) {
	r := newRoom(t, nil)
	image := func(name string, age time.Duration) (id string) {
		id, err := r.v.Keep([]byte(name))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(r.v.checkpointFile(id)), at, at); err != nil {
			t.Fatal(err)
		}
		return id
	}
	old, second, third := image("old", 8*24*time.Hour), image("second", 2*time.Hour), image("third", time.Hour)
	dir, _ := r.v.checkpointFile(old)
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(mine, time.Unix(0, 0), time.Unix(0, 0))
	has := func(id string) bool { _, err := r.v.Load(id); return err == nil }
	if err := r.v.SweepCheckpoints(); err != nil || has(old) || !has(second) || !has(third) {
		t.Error("by age:", err, has(old), has(second), has(third))
	}
	if err := r.v.sweepCheckpoints(40); err != nil || has(second) || !has(third) {
		t.Error("by size:", err, has(second), has(third))
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("a file that is not ours:", err)
	}
	if id, err := r.v.Keep([]byte("old")); err != nil || id != old || !has(old) {
		t.Error("kept again:", err)
	}
}
