package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
)

// What is ignored is counted by the time that nobody can set, whoever ignores it and however
// deep it is; what is followed, or git's or ours, is not.
func TestUnfollowed(t *testing.T) {
	dir := t.TempDir()
	write := func(rel, text string) string {
		path := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(".gitignore", "node_modules/\n*.o\n.agent-output\n")
	write(".git/HEAD", "ref: refs/heads/main\n")
	old := write("node_modules/a/old.js", "x")
	v, err := Open([]Folder{{Path: dir}}, Options{ArtifactDir: ".agent-output"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	at, err := changes.ChangedAt(old)
	if err != nil {
		t.Fatal(err)
	}
	later := at.Add(mtimeGranularity + time.Nanosecond) // behind every file so far
	if n, first, all := v.Unfollowed(t.Context(), later); n != 0 || first != nil || !all {
		t.Fatalf("nothing has changed: %d %v %v", n, first, all)
	}
	if n, _, _ := v.Unfollowed(t.Context(), time.Time{}); n != 1 {
		t.Errorf("since ever: %d", n)
	}
	var want []string
	for i := range 12 {
		path := write(fmt.Sprintf("node_modules/b/%02d.js", i), "x")
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil { // it says that it is old
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("node_modules/b/%02d.js", i))
	}
	write("src/x.o", "x")
	write("src/x.c", "x")
	write(".git/index", "x")
	write(".agent-output/0001/x.txt", "x")
	since := at.Add(-time.Nanosecond)
	n, first, all := v.Unfollowed(t.Context(), since)
	if n != 14 || !all || len(first) != shownUnfollowed || !slices.Contains(first, want[0]) || !slices.Contains(first, "node_modules/a/old.js") {
		t.Errorf("%d %q %v", n, first, all)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, _, all := v.Unfollowed(ctx, since); n != 0 || all {
		t.Errorf("nobody waits any more: %d %v", n, all)
	}
}

// Files that cannot be looked at are not said to be none.
func TestBypassUnfollowedTooDeep(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".agentignore"), []byte("target\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := string(slices.Repeat([]byte("d"), 200))
	at := root
	if err := root.Mkdir("target", 0o755); err != nil {
		t.Fatal(err)
	}
	for i, step := 0, "target"; i < 30; i, step = i+1, name {
		if at, err = at.OpenRoot(step); err != nil {
			t.Skip("not run: no path can be that long here: ", err)
		}
		defer at.Close()
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Skip("not run: no path can be that long here: ", err)
		}
	}
	v, err := Open([]Folder{{Path: dir}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	if n, _, all := v.Unfollowed(t.Context(), time.Time{}); n != 0 || all {
		t.Errorf("%d %v", n, all)
	}
}
